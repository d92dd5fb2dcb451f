//! What holds for any history.

use std::collections::{BTreeMap, BTreeSet};

use mneme_model::{EntityId, EpisodeId};
use proptest::prelude::*;

use super::world::{Named, World, named};

/// A name of a few, so that they meet; by now and then with an id or another name.
fn any_named(with_ties: bool) -> impl Strategy<Value = Named> {
    let names = prop::sample::select(vec!["Ann", "Bo", "Cy", "Dee", "Eve Ash", "Eve Birch"]);
    let tie = prop::option::weighted(0.2, 0..4u8);
    (names, tie.clone(), tie).prop_map(move |(name, id, alias)| {
        let mut one = named(name);
        if with_ties {
            one.external_id = id.map(|id| format!("system{id}:{id}"));
            one.aliases = alias
                .map(|alias| format!("alias {alias}"))
                .into_iter()
                .collect();
        }
        one
    })
}

type Story = Vec<Vec<(Named, Named)>>;

fn any_story(with_ties: bool) -> impl Strategy<Value = Story> {
    let pair = (any_named(with_ties), any_named(with_ties));
    prop::collection::vec(prop::collection::vec(pair, 1..4), 2..7)
}

fn tell(world: &mut World, story: &Story, without: Option<usize>) {
    for (at, pairs) in story.iter().enumerate() {
        if Some(at) != without {
            let statements: Vec<_> = pairs
                .iter()
                .map(|(a, b)| (a.clone(), "KNOWS", b.clone()))
                .collect();
            world.says(&format!("e{at}"), &statements);
        }
    }
}

/// Mentions, name, other names, ids.
type Shape = (Vec<(EpisodeId, i32)>, String, Vec<String>, Vec<String>);

/// The world ids aside: which mentions are together, and what is shown of them.
fn shape(world: &World) -> BTreeSet<Shape> {
    let mut together: BTreeMap<EntityId, Vec<(EpisodeId, i32)>> = BTreeMap::new();
    for (key, mention) in &world.mentions {
        together
            .entry(mention.entity_id)
            .or_default()
            .push(key.clone());
    }
    together
        .into_iter()
        .map(|(id, mentions)| {
            let row = &world.entities[&id];
            let (name, aliases) = (row.name.clone(), row.aliases.clone());
            (mentions, name, aliases, row.external_ids.clone())
        })
        .collect()
}

fn ends(world: &World) -> Vec<(uuid::Uuid, EntityId, Option<EntityId>)> {
    world
        .statements
        .values()
        .map(|said| {
            let object = said.object.as_ref().map(|object| object.entity_id);
            (said.statement_id, said.subject.entity_id, object)
        })
        .collect()
}

proptest! {
    #[test]
    fn erasing_gives_the_world_that_never_had_the_episode(
        story in any_story(false), gone in 0..6usize,
    ) {
        let gone = gone % story.len();
        let (mut erased, mut without) = (World::new(), World::new());
        tell(&mut erased, &story, None);
        erased.erase(&format!("e{gone}"));
        tell(&mut without, &story, Some(gone));
        erased.check();
        prop_assert_eq!(shape(&erased), shape(&without));
        prop_assert_eq!(erased.facts(), without.facts());
    }

    #[test]
    fn erasing_all_leaves_no_row(
        story in any_story(true),
        merge in any::<bool>(),
    ) {
        let mut world = World::new();
        tell(&mut world, &story, None);
        if merge {
            world.merge("Ann", "Bo");
        }
        for at in 0..story.len() {
            world.check();
            world.erase(&format!("e{at}"));
        }
        prop_assert_eq!(world.rows(), vec![]);
    }

    #[test]
    fn a_split_undoes_a_merge(story in any_story(true), pick in any::<(usize, usize)>()) {
        let mut world = World::new();
        tell(&mut world, &story, None);
        world.check();
        let ids: Vec<EntityId> = world.entities.keys().copied().collect();
        let (from, into) = (ids[pick.0 % ids.len()], ids[pick.1 % ids.len()]);
        let before = (shape(&world), ends(&world), world.facts());
        let episodes: BTreeSet<String> = world
            .mentions
            .values()
            .filter(|mention| mention.entity_id == from)
            .map(|mention| mention.episode_id.to_string())
            .collect();
        world.merge(&from.to_string(), &into.to_string());
        world.check();
        if from != into {
            prop_assert_eq!(world.entities.len(), ids.len() - 1);
            let episodes: Vec<&str> = episodes.iter().map(String::as_str).collect();
            world.split(&into.to_string(), &episodes);
            world.check();
        }
        prop_assert_eq!((shape(&world), ends(&world), world.facts()), before);
    }

    #[test]
    fn anything_asked_in_any_order_keeps_the_world_whole(
        story in any_story(true),
        asks in prop::collection::vec((0..3u8, any::<(usize, usize)>()), 0..8),
    ) {
        let mut world = World::new();
        tell(&mut world, &story, None);
        for (ask, (a, b)) in asks {
            let ids: Vec<EntityId> = world.entities.keys().copied().collect();
            if ids.is_empty() {
                break;
            }
            let (one, other) = (ids[a % ids.len()].to_string(), ids[b % ids.len()].to_string());
            let episode = format!("e{}", b % story.len());
            match ask {
                0 => world.merge(&one, &other),
                1 => world.split(&one, &[&episode]),
                _ => world.erase(&episode),
            };
            world.check();
        }
    }
}
