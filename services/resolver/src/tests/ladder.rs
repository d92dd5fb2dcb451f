//! The rules of the ladder and the choice among several, seen from outside.

use mneme_events::{Author, EpisodeOutcome, Event, ExtractionFailed};

use super::world::{World, extraction, named, push_mention, typed};

#[test]
fn an_exact_name_is_found_among_many_alike() {
    let mut world = World::new();
    let shops = [
        "Bakery",
        "Dairy",
        "Forge",
        "Nursery",
        "Tannery",
        "Brewery",
        "Quarry",
        "Sawmill",
        "Laundry",
        "Printworks",
        "Foundry",
        "Orchard",
        "Vineyard",
        "Kiln",
        "Ropewalk",
        "Smokehouse",
        "Cannery",
        "Glassworks",
        "Apiary",
        "Creamery",
    ];
    let supplies: Vec<_> = shops
        .iter()
        .map(|shop| {
            let object = typed(&format!("Larkfield {shop}"), "Organization");
            (typed("Agnes Rowe", "Person"), "SUPPLIES", object)
        })
        .collect();
    world.says("e1", &supplies);
    let kiln = || typed("Larkfield Kiln", "Organization");
    world.says("e2", &[(typed("Bertil Ek", "Person"), "SUPPLIES", kiln())]);
    world.says(
        "e3",
        &[(kiln(), "HEADQUARTERED_IN", typed("Derry", "City"))],
    );
    world.check();
    assert_eq!(world.entities.len(), 23);
    assert_eq!(world.rule("e3", 0), "name");
}

#[test]
fn types_part_equal_names_and_a_missing_type_is_learned() {
    let mut world = World::new();
    let (morgan, hollis) = (typed("Morgan", "Person"), typed("Hollis", "Organization"));
    world.says("e1", &[(morgan, "EMPLOYED_BY", hollis)]);
    let (hollis, morgan) = (typed("Hollis", "Person"), typed("Morgan", "Organization"));
    world.says("e2", &[(hollis, "EMPLOYED_BY", morgan)]);
    assert_eq!(world.names(), ["Hollis", "Hollis", "Morgan", "Morgan"]);
    assert_eq!(world.rule("e2", 0), "types_conflict");

    world.says(
        "e3",
        &[(named("Saltmarsh Trust"), "ISSUED", named("tide table"))],
    );
    world.says(
        "e4",
        &[(
            typed("Saltmarsh Trust", "Organization"),
            "ISSUED",
            named("report"),
        )],
    );
    let (_, trust) = world.entity("Saltmarsh Trust");
    assert_eq!(trust.entity_type.as_deref(), Some("Organization"));
    world.check();
}

#[test]
fn an_id_decides_whatever_the_name() {
    let mut world = World::new();
    world.mentions("e1", &[typed("Ann Lee", "Person").with_id("crm:8812")]);
    world.mentions("e2", &[named("Lee, A.").with_id("crm:8812")]);
    let (_, ann) = world.entity("Ann Lee");
    assert_eq!(ann.aliases, ["Lee, A."]);
    assert_eq!(world.rule("e2", 0), "external_id");
    // The alias leads to her too.
    world.mentions("e3", &[named("lee a")]);
    assert_eq!(world.entities.len(), 1);
    // Another id of the same system is another person of the same name.
    world.mentions("e4", &[typed("Ann Lee", "Person").with_id("crm:9000")]);
    assert_eq!(world.entities.len(), 2);
    assert_eq!(world.rule("e4", 0), "ids_differ");
    // An id of another system says nothing against it.
    world.mentions("e5", &[typed("Bo Ek", "Person").with_id("crm:1")]);
    world.mentions("e6", &[typed("Bo Ek", "Person").with_id("bo@example.com")]);
    world.mentions("e7", &[typed("B. Ek", "Person").with_id("BO@example.com")]);
    assert_eq!(world.entities.len(), 3);
    world.check();
}

#[test]
fn bare_numbers_are_ids_within_a_type_only() {
    let mut world = World::new();
    world.mentions("e1", &[typed("Ann Lee", "Person").with_id("7")]);
    world.mentions("e2", &[typed("Hazel Ltd", "Organization").with_id("7")]);
    world.mentions("e3", &[typed("A. Lee", "Person").with_id("7")]);
    assert_eq!(world.names(), ["Ann Lee", "Hazel Ltd"]);
}

#[test]
fn a_reference_by_id_takes_the_first_real_name_and_its_statements_say_it() {
    let mut world = World::new();
    world.says(
        "e1",
        &[(named("Renewal"), "OWNER", named("u-7").with_id("u-7"))],
    );
    assert_eq!(world.names(), ["Renewal", "u-7"]);
    world.mentions("e2", &[typed("Ann Lee", "Person").with_id("u-7")]);
    let (_, ann) = world.entity("Ann Lee");
    assert_eq!(ann.aliases, Vec::<String>::new());
    assert!(
        world
            .facts()
            .contains(&("Renewal".into(), "OWNER".into(), "Ann Lee".into()))
    );
    world.check();
}

#[test]
fn a_record_known_by_type_and_id_takes_its_name() {
    let mut world = World::new();
    world.mentions("e1", &[typed("Deal 501", "Deal").with_id("deal:501")]);
    world.mentions(
        "e2",
        &[typed("Pier 4 expansion", "Deal").with_id("deal:501")],
    );
    let (_, deal) = world.entity("Pier 4 expansion");
    assert_eq!(deal.aliases, ["Deal 501"]);
    world.erase("e2");
    assert_eq!(world.names(), ["Deal 501"]);
}

#[test]
fn an_alias_that_an_episode_gives_is_kept() {
    let mut world = World::new();
    world.mentions("e1", &[named("NYC")]);
    world.mentions("e2", &[typed("New York City", "City").also("NYC")]);
    assert_eq!(world.entities.len(), 1);
    assert_eq!(world.rule("e2", 0), "alias");
    world.mentions("e3", &[typed("Robert Smith", "Person").also("Bob")]);
    world.mentions("e4", &[typed("Bob", "Person")]);
    assert_eq!(world.rule("e4", 0), "alias");
    assert_eq!(world.entities.len(), 2);
    // A type that conflicts is not joined by an alias.
    world.mentions("e5", &[typed("Bob", "Organization")]);
    assert_eq!(world.entities.len(), 3);
    world.check();
}

#[test]
fn what_is_alike_is_recorded_at_both_ends_and_numbers_part() {
    let mut world = World::new();
    world.mentions("e1", &[typed("Velmar Corp", "Organization")]);
    world.mentions("e2", &[typed("Velmar Corporation", "Organization")]);
    let (corp, corporation) = (
        world.entity("Velmar Corp"),
        world.entity("Velmar Corporation"),
    );
    assert_eq!(corp.1.possible_same_as, [corporation.0]);
    assert_eq!(corporation.1.possible_same_as, [corp.0]);
    world.mentions(
        "e3",
        &[
            typed("Order KB-3310", "Order"),
            typed("Order KB-3311", "Order"),
        ],
    );
    assert_eq!(world.rule("e3", 1), "numbers_differ");
    assert!(world.entity("Order KB-3311").1.possible_same_as.is_empty());
    world.check();
}

#[test]
fn likeness_beyond_doubt_joins() {
    let mut world = World::new();
    let name = |word: &str| typed(&format!("Pelican Bay {word} Laboratories"), "Organization");
    world.mentions("e1", &[name("International")]);
    world.mentions("e2", &[name("Internatonal")]);
    assert_eq!(world.entities.len(), 1);
    assert_eq!(world.rule("e2", 0), "similarity");
    assert!(world.mention("e2", 0).score < 1.0);
}

/// Two people of one name, told apart by a split.
fn two_danas() -> World {
    let mut world = World::new();
    let dana = || typed("Dana Moss", "Person");
    let works = |place| (dana(), "EMPLOYED_BY", typed(place, "Organization"));
    world.says_in(Some("t1"), "e1", &[works("Lindqvist Bindery")]);
    world.says_in(Some("t2"), "e2", &[works("Skua Stables")]);
    world.split("Dana Moss", &["e2"]);
    assert_eq!(world.entities.len(), 4);
    world.check();
    world
}

#[test]
fn of_two_the_thread_decides() {
    let mut world = two_danas();
    let second = world.mention("e2", 0).entity_id;
    let knows = (typed("Dana Moss", "Person"), "KNOWS", named("Ove"));
    world.says_in(Some("t2"), "e3", &[knows]);
    assert_eq!(world.mention("e3", 0).entity_id, second);
    assert_eq!(world.rule("e3", 0), "same_thread");
}

#[test]
fn of_two_the_neighbour_decides_wherever_it_stands() {
    let mut world = two_danas();
    let second = world.mention("e2", 0).entity_id;
    let left = (
        named("Dana Moss"),
        "LEFT",
        typed("Skua Stables", "Organization"),
    );
    world.says("e3", &[left]);
    assert_eq!(world.mention("e3", 0).entity_id, second);
    assert_eq!(world.rule("e3", 0), "shared_neighbour");
    world.check();
}

#[test]
fn of_two_without_context_the_first_known_is_meant_and_no_third_is_made() {
    let mut world = two_danas();
    let (first, second) = (
        world.mention("e1", 0).entity_id,
        world.mention("e2", 0).entity_id,
    );
    world.mentions("e3", &[named("Dana Moss"), named("dana moss")]);
    assert_eq!(world.mention("e3", 0).entity_id, first);
    assert_eq!(world.mention("e3", 1).entity_id, first);
    assert_eq!(world.rule("e3", 0), "earliest");
    assert_eq!(world.entities[&first].possible_same_as, [second]);
    assert_eq!(world.entities.len(), 4);
    world.check();
}

#[test]
fn the_speaker_has_the_id_of_the_author() {
    let mut world = World::new();
    for (episode, name) in [("e1", "Ann"), ("e2", "Ann Lee")] {
        let mut extracted = extraction(None, episode);
        extracted.episode.author = Some(Author {
            name: name.to_owned(),
            role: None,
            external_id: Some("u:1".to_owned()),
        });
        push_mention(&mut extracted, &named(name));
        extracted.mentions[0].speaker = true;
        world.take(extracted);
    }
    assert_eq!(world.entity("Ann").1.aliases, ["Ann Lee"]);
}

#[test]
fn a_strict_relation_takes_only_what_fits() {
    let mut world = World::new();
    world.ontology(
        r#"{"relations":{"EMPLOYED_BY":{"signatures":[["Person","Organization"]],"strict":true}}}"#,
    );
    let ann = || typed("Ann", "Person");
    let outputs = world.says(
        "e1",
        &[
            (ann(), "EMPLOYED_BY", typed("Leiden", "City")),
            (ann(), "EMPLOYED_BY", typed("Hazel", "Company")),
            (ann(), "EMPLOYED_BY", named("Something")),
        ],
    );
    assert_eq!(world.statements.len(), 2);
    let Some(Event::EpisodeResolved(marker)) = outputs.last() else {
        panic!("the marker comes last");
    };
    assert_eq!(marker.notes.len(), 1);
    assert!(marker.notes[0].starts_with("signature: EMPLOYED_BY"));
    world.ontology("{}");
    world.says("e2", &[(ann(), "EMPLOYED_BY", typed("Leiden", "City"))]);
    assert_eq!(world.statements.len(), 3);
}

#[test]
fn a_self_statement_and_a_failure_pass() {
    let mut world = World::new();
    let ruta = |name: &str| typed(name, "Person");
    world.says("e1", &[(ruta("Ruta Kalns"), "MANAGES", ruta("RUTA KALNS"))]);
    assert_eq!((world.entities.len(), world.statements.len()), (1, 1));
    let outputs = world.take(ExtractionFailed {
        header: extraction(None, "e2").header,
        episode: extraction(None, "e2").episode,
        reason: "no JSON".to_owned(),
    });
    let [Event::EpisodeResolved(marker)] = outputs.as_slice() else {
        panic!("one marker");
    };
    assert_eq!(marker.outcome, EpisodeOutcome::Failed);
    assert_eq!(marker.reason.as_deref(), Some("no JSON"));
}

#[test]
fn a_foreign_event_is_refused() {
    use mneme_stage::{Answers, MemoryRows, Stage, StageError};
    let input: Event = mneme_events::EntityErased {
        header: extraction(None, "e1").header,
        entity_id: uuid::Uuid::nil(),
    }
    .into();
    let refused = crate::Resolver.step(&MemoryRows::default(), &input, &Answers::default());
    assert!(matches!(refused, Err(StageError::BrokenInput(_))));
}
