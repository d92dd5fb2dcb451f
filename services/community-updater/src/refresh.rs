//! Communities: derived anew from the whole graph, or extended by what an episode touched. Only what
//! changed is told.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use mneme_events::{CommunityChanged, CommunityRemoved, EventHeader};
use mneme_model::{EntityId, GroupId, Instant, derived_id};
use mneme_stage::{GroupRows, StageError, read_row, write_row};
use uuid::Uuid;

use crate::facts::{
    Community, LATEST, Since, Size, community_of, fact, facts_of, key, said_of, sentence_of,
    set_since, since,
};
use crate::label::{Graph, communities};
use crate::words::keywords;

/// A community has at least this many entities.
const SMALLEST: usize = 3;
/// The most entities that a community tells; those with most facts count.
const LARGEST_TOLD: usize = 1_000;
/// Larger communities grow at a refresh only, so that a newcomer never costs more than this.
const LARGEST_EXTENDED: usize = 64;
/// The share of the edges whose change brings a refresh: one in this many.
const REFRESH_SHARE: u64 = 10;

/// Whether enough has changed to derive all communities anew.
pub fn is_due(size: Size) -> bool {
    size.changed > 0 && size.changed * REFRESH_SHARE >= size.edges.max(1)
}

/// The communities that are other than they were told, and those that are no more.
type Changes = (Vec<CommunityChanged>, Vec<CommunityRemoved>);

/// All communities as they follow from the whole graph, those that changed.
pub fn refresh(rows: &dyn GroupRows, header: &EventHeader) -> Result<Changes, StageError> {
    let mut graph = Graph::new();
    for (row, value) in rows.range(b"n", b"o") {
        let entity = row
            .get(1..17)
            .and_then(|bytes| Uuid::from_slice(bytes).ok());
        if let (Some(entity), Ok(other)) = (entity, Uuid::from_slice(&value)) {
            *graph.entry(entity).or_default().entry(other).or_default() += 1;
        }
    }
    let mut old: BTreeMap<Uuid, Community> = BTreeMap::new();
    for (row, _) in rows.range(b"c", b"d") {
        let id = row
            .get(1..17)
            .and_then(|bytes| Uuid::from_slice(bytes).ok());
        if let (Some(id), Some(community)) = (id, read_row(rows, &row)?) {
            old.insert(id, community);
        }
    }
    let mut changed = Vec::new();
    let mut kept: BTreeSet<Uuid> = BTreeSet::new();
    for members in communities(&graph) {
        if members.len() < SMALLEST {
            continue;
        }
        let id = id_of(&header.group_id, &members, &old, &kept);
        kept.insert(id);
        let old = old.get(&id);
        let is_same = old.is_some_and(|old| old.members == members);
        if !is_same || is_told_again(since(rows, id)?) {
            changed.extend(tell(rows, header, id, members, old)?);
        }
    }
    let gone = old.keys().filter(|id| !kept.contains(id));
    let removed = gone.map(|&community_id| CommunityRemoved {
        header: header.clone(),
        community_id,
    });
    Ok((changed, removed.collect()))
}

/// A community keeps the id of the old one that most of its members were in, if no other has it.
fn id_of(
    group: &GroupId,
    members: &[EntityId],
    old: &BTreeMap<Uuid, Community>,
    taken: &BTreeSet<Uuid>,
) -> Uuid {
    let members: BTreeSet<&EntityId> = members.iter().collect();
    let shared = |community: &Community| {
        community
            .members
            .iter()
            .filter(|member| members.contains(member))
            .count()
    };
    let most = old
        .iter()
        .filter(|(id, _)| !taken.contains(id))
        .map(|(id, community)| (shared(community), id))
        .filter(|(shared, _)| shared * 2 > members.len())
        .max();
    let first = members.first().map_or_else(Uuid::nil, |first| **first);
    most.map_or_else(
        || derived_id(first, &[b"mneme.community", group.as_str().as_bytes()]),
        |(_, id)| *id,
    )
}

/// Whether a community is told again though nobody joined it: it may say what holds no longer, or
/// enough has come since. As with summaries, the cost per fact does not grow with what is known.
fn is_told_again(since: Since) -> bool {
    since.stale || since.added >= (since.facts / LATEST as u64).max(1)
}

/// What an episode does to a community.
#[derive(Default)]
struct Touch {
    newcomers: BTreeSet<EntityId>,
    /// Members that have no facts any longer.
    leavers: BTreeSet<EntityId>,
}

/// The touched entities that have no community join the one that most of their facts lead to, and
/// those that have no facts leave theirs.
pub fn extend(
    rows: &dyn GroupRows,
    header: &EventHeader,
    touched: &[EntityId],
) -> Result<Changes, StageError> {
    let mut touches: BTreeMap<Uuid, Touch> = BTreeMap::new();
    for &entity in touched {
        let mut members = BTreeMap::<Uuid, u64>::new();
        if let Some(own) = community_of(rows, entity)? {
            let touch = touches.entry(own).or_default();
            if said_of(rows, entity)?.facts == 0 {
                touch.leavers.insert(entity);
            }
            continue;
        }
        for (_, other) in facts_of(rows, entity).take(LARGEST_EXTENDED) {
            let Some(other) = other else { continue };
            if let Some(community) = community_of(rows, other)? {
                *members.entry(community).or_default() += 1;
            }
        }
        let most = members
            .into_iter()
            .max_by_key(|&(id, count)| (count, Reverse(id)));
        if let Some((community, _)) = most {
            let touch = touches.entry(community).or_default();
            touch.newcomers.insert(entity);
        }
    }
    let (mut changed, mut removed) = (Vec::new(), Vec::new());
    for (id, touch) in touches {
        let (since, is_left) = (since(rows, id)?, !touch.leavers.is_empty());
        if touch.newcomers.is_empty() && !is_left && !is_told_again(since) {
            continue;
        }
        let old: Option<Community> = read_row(rows, &key(b'c', &[id.as_bytes()]))?;
        let is_small = |old: &Community| old.members.len() <= LARGEST_EXTENDED;
        let Some(old) = old.filter(|old| since.stale || is_left || is_small(old)) else {
            continue;
        };
        let mut members: BTreeSet<EntityId> = old.members.into_iter().collect();
        members.extend(touch.newcomers);
        members.retain(|member| !touch.leavers.contains(member));
        if members.len() < SMALLEST {
            removed.push(CommunityRemoved {
                header: header.clone(),
                community_id: id,
            });
            continue;
        }
        changed.extend(tell(rows, header, id, members.into_iter().collect(), None)?);
    }
    Ok((changed, removed))
}

/// The members of a community with their names, those with most facts first.
type Ranked = Vec<(Reverse<u64>, String, EntityId, Vec<(Instant, Uuid)>)>;

fn ranked(rows: &dyn GroupRows, members: Vec<EntityId>) -> Result<Ranked, StageError> {
    let mut ranked = Vec::with_capacity(members.len());
    for member in members {
        let said = said_of(rows, member)?;
        ranked.push((Reverse(said.facts), said.name, member, said.latest));
    }
    ranked.sort();
    ranked.truncate(LARGEST_TOLD);
    Ok(ranked)
}

/// The versions whose sentences a community is told with.
fn quoted(ranked: &Ranked) -> Vec<Uuid> {
    let latest = ranked
        .iter()
        .take(LATEST)
        .flat_map(|(_, _, _, latest)| latest);
    latest.map(|(_, version)| *version).collect()
}

/// The event of a community, if it is other than `old`.
fn tell(
    rows: &dyn GroupRows,
    header: &EventHeader,
    community_id: Uuid,
    members: Vec<EntityId>,
    old: Option<&Community>,
) -> Result<Option<CommunityChanged>, StageError> {
    let ranked = ranked(rows, members)?;
    let mut sentences: Vec<String> = Vec::new();
    for version in quoted(&ranked) {
        let Some(noted) = fact(rows, version)? else {
            continue;
        };
        let sentence = sentence_of(&noted);
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    let name = ranked
        .iter()
        .take(2)
        .map(|(_, name, _, _)| name.as_str())
        .collect::<Vec<_>>();
    let mut members: Vec<EntityId> = ranked.iter().map(|(_, _, member, _)| *member).collect();
    members.sort_unstable();
    let community = Community {
        name: name.join(" and "),
        keywords: keywords(sentences.iter().map(String::as_str), 6),
        summary: format!(
            "{}.",
            sentences
                .iter()
                .take(LATEST)
                .cloned()
                .collect::<Vec<_>>()
                .join(". ")
        ),
        members,
    };
    if old == Some(&community) {
        return Ok(None);
    }
    let Community {
        name,
        keywords,
        summary,
        members,
    } = community;
    Ok(Some(CommunityChanged {
        header: header.clone(),
        community_id,
        name,
        keywords,
        summary,
        members,
    }))
}

/// Folds a community.
pub fn apply(rows: &mut dyn GroupRows, changed: &CommunityChanged) -> Result<(), StageError> {
    let id = changed.community_id;
    remove(rows, id)?;
    for member in &changed.members {
        write_row(rows, key(b'm', &[member.as_bytes()]), &id)?;
    }
    let ranked = ranked(rows, changed.members.clone())?;
    let quoted = quoted(&ranked);
    write_row(rows, key(b'q', &[id.as_bytes()]), &quoted)?;
    let told = Since {
        facts: ranked.iter().map(|(Reverse(facts), ..)| facts).sum(),
        ..Since::default()
    };
    set_since(rows, id, told)?;
    let community = Community {
        name: changed.name.clone(),
        keywords: changed.keywords.clone(),
        summary: changed.summary.clone(),
        members: changed.members.clone(),
    };
    write_row(rows, key(b'c', &[id.as_bytes()]), &community)
}

/// Folds the end of a community.
pub fn remove(rows: &mut dyn GroupRows, id: Uuid) -> Result<(), StageError> {
    let row = key(b'c', &[id.as_bytes()]);
    let old: Option<Community> = read_row(rows, &row)?;
    for member in old.into_iter().flat_map(|old| old.members) {
        if community_of(rows, member)? == Some(id) {
            rows.delete(&key(b'm', &[member.as_bytes()]));
        }
    }
    rows.delete(&row);
    rows.delete(&key(b'q', &[id.as_bytes()]));
    rows.delete(&key(b'k', &[id.as_bytes()]));
    Ok(())
}
