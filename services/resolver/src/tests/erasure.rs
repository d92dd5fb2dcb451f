//! What is left when an episode goes.

use mneme_events::{Event, EventKind, GroupErased};

use super::world::{World, extraction, named, typed};

#[test]
fn entities_that_only_it_named_go_and_nothing_of_them_stays() {
    let mut world = World::new();
    let person = |name| typed(name, "Person");
    let city = |name| typed(name, "City");
    world.says("e2", &[(person("Filip"), "LIVES_IN", city("Brno"))]);
    let before = world.rows();
    world.says(
        "e1",
        &[
            (person("Filip"), "MANAGES", person("Hedvika")),
            (person("Hedvika"), "LIVES_IN", city("Plzen")),
        ],
    );
    let outputs = world.erase("e1");
    let closing = outputs.last().map(mneme_events::Event::kind);
    assert_eq!(
        closing,
        Some(EventKind::EpisodeErased),
        "what follows comes before the mark"
    );
    assert_eq!(world.names(), ["Brno", "Filip"]);
    assert_eq!(world.rows(), before);
    world.check();
    world.erase("e2");
    assert_eq!(world.rows(), []);
}

#[test]
fn the_name_type_and_ids_of_the_erased_mention_go_with_it() {
    let mut world = World::new();
    world.says(
        "e1",
        &[(
            typed("Jonathan Q", "Person").with_id("u:1"),
            "LIKES",
            named("tea"),
        )],
    );
    world.says(
        "e2",
        &[(named("Jon").with_id("u:1"), "LIKES", named("whey"))],
    );
    assert_eq!(world.entity("Jonathan Q").1.aliases, ["Jon"]);
    let outputs = world.erase("e1");
    let (_, jon) = world.entity("Jon");
    assert_eq!((jon.aliases.len(), jon.entity_type), (0, None));
    assert_eq!(jon.external_ids, ["u:1"]);
    // The statement that is left carried the erased name.
    assert!(
        outputs
            .iter()
            .any(|output| output.kind() == EventKind::StatementResolved)
    );
    assert!(
        world
            .facts()
            .contains(&("Jon".into(), "LIKES".into(), "whey".into()))
    );
    for (key, value) in world.rows() {
        assert!(!key.contains("jonathan"));
        assert!(!String::from_utf8_lossy(&value).contains("Jonathan"));
    }
    world.check();
}

#[test]
fn what_only_the_erased_episode_tied_falls_apart() {
    let mut world = World::new();
    let tied = |world: &mut World| {
        world.says("e1", &[(named("New York City"), "HAS", named("a park"))]);
        world.mentions("e2", &[named("New York City").also("NYC")]);
        world.says("e3", &[(named("NYC"), "HAS", named("a port"))]);
    };
    tied(&mut world);
    assert_eq!(world.entities.len(), 3);
    world.erase("e2");
    assert_eq!(world.names(), ["NYC", "New York City", "a park", "a port"]);
    assert_eq!(world.rule("e3", 0), "parted");
    assert!(
        world
            .facts()
            .contains(&("NYC".into(), "HAS".into(), "a port".into()))
    );
    world.check();
    // Where another episode ties the same, all stays.
    let mut world = World::new();
    tied(&mut world);
    world.mentions("e4", &[named("NYC").also("New York City")]);
    world.erase("e2");
    assert_eq!(world.entities.len(), 3);
    world.check();
}

#[test]
fn many_equal_ties_are_not_looked_through() {
    let mut world = World::new();
    for episode in 0..40 {
        world.mentions(&format!("e{episode}"), &[named("Ann").with_id("u:1")]);
    }
    assert_eq!(world.erase("e0").len(), 1);
    assert_eq!(world.entities.len(), 1);
    world.check();
}

#[test]
fn what_a_person_joined_stays_joined() {
    let mut world = World::new();
    world.mentions("e1", &[named("Ash").also("A")]);
    world.mentions("e2", &[named("Birch")]);
    world.mentions("e3", &[named("A")]);
    world.merge("Birch", "Ash");
    world.erase("e1");
    assert_eq!(world.entities.len(), 1);
    assert_eq!(world.entity("A").1.aliases, ["Birch"]);
    world.erase("e3");
    assert_eq!(world.names(), ["Birch"]);
    world.check();
}

#[test]
fn possible_sameness_ends_with_the_entity() {
    let mut world = World::new();
    world.mentions("e1", &[named("Velmar Corp")]);
    world.mentions("e2", &[named("Velmar Corporation")]);
    world.erase("e2");
    assert!(world.entity("Velmar Corp").1.possible_same_as.is_empty());
    world.check();
}

#[test]
fn a_group_is_forwarded_whole() {
    let mut world = World::new();
    let outputs = world.take(GroupErased {
        header: extraction(None, "e1").header,
    });
    assert!(matches!(outputs.as_slice(), [Event::GroupErased(_)]));
}
