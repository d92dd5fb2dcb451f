//! What people ask for: merges, splits, corrections.

use mneme_events::{Correction, Event, EventKind};

use super::world::{World, named, typed};

fn kinds(outputs: &[Event]) -> Vec<EventKind> {
    outputs.iter().map(Event::kind).collect()
}

/// What a split after a merge must restore.
fn snapshot(world: &World) -> impl PartialEq + std::fmt::Debug + use<> {
    let entities: Vec<_> = world
        .entities
        .iter()
        .map(|(id, row)| {
            (
                *id,
                row.name.clone(),
                row.aliases.clone(),
                row.entity_type.clone(),
            )
        })
        .collect();
    (entities, world.facts())
}

#[test]
fn a_merge_joins_names_and_later_mentions_and_a_split_undoes_it() {
    let mut world = World::new();
    let bluegate = || typed("Bluegate", "Organization");
    let holding = || typed("Bluegate Holding", "Organization");
    // The one that goes was known first: the one that stays keeps its name all the same.
    world.says(
        "e2",
        &[(holding(), "ISSUED", typed("share certificate", "Document"))],
    );
    world.says(
        "e1",
        &[(bluegate(), "HEADQUARTERED_IN", typed("Leiden", "City"))],
    );
    let before = snapshot(&world);
    let outputs = world.merge("Bluegate Holding", "bluegate");
    assert_eq!(
        kinds(&outputs)[..],
        [
            EventKind::EntitiesMerged,
            EventKind::EntityUpdated,
            EventKind::EntityUpdated,
            EventKind::MentionResolved,
            EventKind::StatementResolved,
            EventKind::EntitiesMergeRequested,
        ]
    );
    assert_eq!(world.entity("Bluegate").1.aliases, ["Bluegate Holding"]);
    assert_eq!(world.entities.len(), 3);
    assert!(world.facts().contains(&(
        "Bluegate".into(),
        "ISSUED".into(),
        "share certificate".into()
    )));
    world.check();
    let outputs = world.split("Bluegate", &["e2"]);
    assert_eq!(
        kinds(&outputs)[..],
        [
            EventKind::EntityCreated,
            EventKind::EntityUpdated,
            EventKind::EntitySplit,
            EventKind::MentionResolved,
            EventKind::StatementResolved,
            EventKind::EntitySplitRequested,
        ]
    );
    assert_eq!(snapshot(&world), before);
    world.check();
}

#[test]
fn after_a_merge_either_name_reaches_the_one_that_stays() {
    let mut world = World::new();
    let works = |who, place| {
        (
            typed(who, "Person"),
            "EMPLOYED_BY",
            typed(place, "Organization"),
        )
    };
    world.says("e1", &[works("Orla", "Pike Instruments")]);
    world.says("e2", &[works("Bess", "Pike Scientific Instruments")]);
    world.merge("Pike Scientific Instruments", "Pike Instruments");
    world.says("e3", &[works("Cormac", "Pike Scientific Instruments")]);
    assert_eq!(world.entities.len(), 4);
    assert_eq!(
        world.mention("e3", 1).entity_id,
        world.mention("e1", 1).entity_id
    );
    // The later mention of the old name goes back with it when asked to.
    world.split("Pike Instruments", &["e2", "e3"]);
    assert_eq!(world.entities.len(), 5);
    assert_eq!(
        world.mention("e3", 1).entity_id,
        world.mention("e2", 1).entity_id
    );
    assert_eq!(
        world.entity("Pike Instruments").1.aliases,
        Vec::<String>::new()
    );
    world.check();
}

#[test]
fn merges_of_merges_come_apart_in_any_order() {
    let mut world = World::new();
    for (episode, name) in [("e1", "Ash"), ("e2", "Birch"), ("e3", "Cedar")] {
        world.says(episode, &[(named(name), "NEAR", named("the pond"))]);
    }
    let before = snapshot(&world);
    world.merge("Ash", "Birch");
    let between = snapshot(&world);
    world.merge("Birch", "Cedar");
    assert_eq!(world.entities.len(), 2);
    // The last merge first.
    world.split("Cedar", &["e1", "e2"]);
    assert_eq!(snapshot(&world), between);
    world.split("Birch", &["e1"]);
    assert_eq!(snapshot(&world), before);
    // The inner one straight out of the outer one.
    world.merge("Ash", "Birch");
    world.merge("Birch", "Cedar");
    world.split("Cedar", &["e1"]);
    assert_eq!(world.names(), ["Ash", "Cedar", "the pond"]);
    world.split("Cedar", &["e2"]);
    assert_eq!(snapshot(&world), before);
    world.check();
}

#[test]
fn an_episode_that_names_both_gives_back_only_what_the_merge_brought() {
    let mut world = World::new();
    world.says("e1", &[(named("Iveta"), "MANAGES", named("Ruta"))]);
    let before = snapshot(&world);
    world.merge("Iveta", "Ruta");
    assert_eq!(world.entities.len(), 1);
    world.split("Ruta", &["e1"]);
    assert_eq!(snapshot(&world), before);
    world.check();
}

#[test]
fn what_can_not_be_asked_changes_nothing() {
    let mut world = World::new();
    world.mentions(
        "e1",
        &[
            named("Ann"),
            typed("Morgan", "Person"),
            typed("Morgan", "City"),
        ],
    );
    let before = world.rows();
    for outputs in [
        world.merge("Ann", "nobody"),
        world.merge("Ann", "ann"),
        world.merge("Ann", "Morgan"),
        world.split("Ann", &["e9"]),
        world.split("Ann", &["e1"]),
        world.erase("e9"),
    ] {
        assert_eq!(outputs.len(), 1);
        assert!(outputs[0].is_control());
    }
    assert_eq!(world.rows(), before);
    let city = world.mention("e1", 2).entity_id.to_string();
    let person = world.mention("e1", 1).entity_id.to_string();
    world.merge(&city, &person);
    assert_eq!(world.entities.len(), 2);
}

#[test]
fn possible_sameness_follows_a_merge() {
    let mut world = World::new();
    world.mentions("e1", &[named("Velmar Corp")]);
    world.mentions("e2", &[named("Velmar Corporation")]);
    world.mentions("e3", &[named("Larch")]);
    world.merge("Velmar Corporation", "Larch");
    let (corp, larch) = (world.entity("Velmar Corp"), world.entity("Larch"));
    assert_eq!(corp.1.possible_same_as, [larch.0]);
    world.check();
}

fn nothing() -> Correction {
    Correction {
        relation: None,
        object: None,
        object_type: None,
        value: None,
        fact: None,
        valid_at: None,
        invalid_at: None,
        retract: false,
    }
}

#[test]
fn a_correction_carries_its_ends_and_lives_as_long_as_its_fact() {
    let mut world = World::new();
    let born = || (typed("Otto", "Person"), "BORN_IN", typed("Lindau", "City"));
    world.says("e1", &[born()]);
    world.says("e2", &[born()]);
    let set = |object: &str| Correction {
        object: Some(object.to_owned()),
        ..nothing()
    };
    let correction = world.correct(("otto", "BORN_IN", "Lindau"), set("Landau"));
    assert_eq!(correction.subject_id, Some(world.entity("Otto").0));
    assert_eq!(correction.object_id, Some(world.entity("Lindau").0));
    let landau = world.entity("Landau").0;
    assert_eq!(correction.new_object.unwrap().entity_id, landau);
    assert_eq!(world.rule("e1", 2), "correction");
    // Corrected again, from what no statement says.
    let correction = world.correct(("Otto", "BORN_IN", "Landau"), set("Landen"));
    assert_eq!(correction.object_id, Some(landau));
    assert_eq!(
        correction.new_object.unwrap().entity_id,
        world.entity("Landen").0
    );
    world.check();
    world.erase("e1");
    assert_eq!(world.names(), ["Landau", "Landen", "Lindau", "Otto"]);
    world.erase("e2");
    assert_eq!(world.names(), Vec::<String>::new());
    assert_eq!(world.rows(), []);
}

#[test]
fn a_correction_of_a_value_or_of_nothing() {
    let mut world = World::new();
    world.values("e1", typed("Ann", "Person"), "PLAN", "basic");
    let set = Correction {
        value: Some(mneme_model::Literal::string("gold")),
        ..nothing()
    };
    let correction = world.correct(("Ann", "PLAN", "basic"), set.clone());
    assert_eq!(correction.subject_id, Some(world.entity("Ann").0));
    assert_eq!((correction.object_id, correction.new_object), (None, None));
    let correction = world.correct(("Nobody", "PLAN", "basic"), set);
    assert_eq!(correction.subject_id, None);
    let retracted = Correction {
        retract: true,
        ..nothing()
    };
    world.says(
        "e2",
        &[(typed("Ann", "Person"), "USES", named("the lathe"))],
    );
    let correction = world.correct(("Ann", "USES", "the lathe"), retracted);
    assert_eq!(correction.object_id, Some(world.entity("the lathe").0));
    assert_eq!(world.entities.len(), 2);
}
