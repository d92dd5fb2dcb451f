//! The current facts that the stage remembers: by entity, latest first, and as edges.
//!
//! | first byte | then | value |
//! | --- | --- | --- |
//! | `f` | version | the fact |
//! | `n` | entity, start, version | the other end, where it is an entity |
//! | `e` | entity | what is said of the entity |
//! | `c` | community | the community |
//! | `m` | entity | the community that it is in |
//! | `q` | community | the versions that it quotes |
//! | `k` | community | what came and went since it was told |
//! | `t` | | the entities whose facts changed since the last episode |
//! | `s` | | how much has changed |

use mneme_events::{FactForgotten, FactNoted, FactVersionCreated};
use mneme_model::{EntityId, Instant};
use mneme_stage::{GroupRows, StageError, prefix_end, read_row, write_row};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What is said of an entity, and what it was said from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The name, as facts give it.
    pub name: String,
    /// The versions that the summary is made of.
    pub versions: Vec<Uuid>,
    /// The latest current facts, latest first: start and version. They are what is quoted, and are
    /// kept here since looking them up in the range of all facts costs more than all else.
    pub latest: Vec<(Instant, Uuid)>,
    /// Current facts of the entity.
    pub facts: u64,
    /// Facts that came since the summary was made.
    pub added: u64,
    /// Whether a fact of the summary is gone.
    pub stale: bool,
}

/// A community as it was last told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Community {
    pub name: String,
    pub keywords: Vec<String>,
    pub summary: String,
    pub members: Vec<EntityId>,
}

/// What came and went in a community since it was told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Since {
    /// Facts of the members when it was told.
    pub facts: u64,
    /// Facts of the members that came since.
    pub added: u64,
    /// Whether one that it quotes is gone.
    pub stale: bool,
}

/// How much of the graph has changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Edges between entities now.
    pub edges: u64,
    /// Edges that came or went since the last refresh.
    pub changed: u64,
}

pub fn key(first: u8, parts: &[&[u8]]) -> Vec<u8> {
    [&[first], parts.concat().as_slice()].concat()
}

/// How many of the latest facts of an entity are quoted, in its summary and in that of its community.
pub const LATEST: usize = 8;

const SIZE: &[u8] = b"s";

/// How much of the graph has changed.
pub fn size(rows: &dyn GroupRows) -> Result<Size, StageError> {
    Ok(read_row(rows, SIZE)?.unwrap_or_default())
}

pub fn set_size(rows: &mut dyn GroupRows, size: Size) -> Result<(), StageError> {
    write_row(rows, SIZE.to_vec(), &size)
}

/// What is said of an entity.
pub fn said_of(rows: &dyn GroupRows, entity: EntityId) -> Result<Said, StageError> {
    Ok(read_row(rows, &key(b'e', &[entity.as_bytes()]))?.unwrap_or_default())
}

pub fn set_said(rows: &mut dyn GroupRows, entity: EntityId, said: &Said) -> Result<(), StageError> {
    write_row(rows, key(b'e', &[entity.as_bytes()]), said)
}

/// The community that an entity is in.
pub fn community_of(rows: &dyn GroupRows, entity: EntityId) -> Result<Option<Uuid>, StageError> {
    read_row(rows, &key(b'm', &[entity.as_bytes()]))
}

/// What came and went in a community since it was told.
pub fn since(rows: &dyn GroupRows, community: Uuid) -> Result<Since, StageError> {
    Ok(read_row(rows, &key(b'k', &[community.as_bytes()]))?.unwrap_or_default())
}

pub fn set_since(
    rows: &mut dyn GroupRows,
    community: Uuid,
    since: Since,
) -> Result<(), StageError> {
    write_row(rows, key(b'k', &[community.as_bytes()]), &since)
}

fn note_in_community(rows: &mut dyn GroupRows, entity: EntityId) -> Result<(), StageError> {
    let Some(community) = community_of(rows, entity)? else {
        return Ok(());
    };
    let mut changed = since(rows, community)?;
    changed.added += 1;
    set_since(rows, community, changed)
}

fn forget_in_community(
    rows: &mut dyn GroupRows,
    entity: EntityId,
    version: Uuid,
) -> Result<(), StageError> {
    let Some(community) = community_of(rows, entity)? else {
        return Ok(());
    };
    let quoted: Option<Vec<Uuid>> = read_row(rows, &key(b'q', &[community.as_bytes()]))?;
    if quoted.is_some_and(|quoted| quoted.contains(&version)) {
        let mut changed = since(rows, community)?;
        changed.stale = true;
        set_since(rows, community, changed)?;
    }
    Ok(())
}

/// A fact by its version.
pub fn fact(rows: &dyn GroupRows, version: Uuid) -> Result<Option<FactNoted>, StageError> {
    read_row(rows, &key(b'f', &[version.as_bytes()]))
}

/// The sentence of a fact, as it is joined with others.
pub fn sentence_of(noted: &FactNoted) -> String {
    noted.fact.trim().trim_end_matches('.').to_owned()
}

/// The versions of an entity's facts, latest first, with the other end.
pub fn facts_of<'r>(
    rows: &'r dyn GroupRows,
    entity: EntityId,
) -> impl Iterator<Item = (Uuid, Option<EntityId>)> + 'r {
    let prefix = key(b'n', &[entity.as_bytes()]);
    let found = rows.range_back(&prefix, &prefix_end(&prefix));
    found.filter_map(|(key, value)| {
        let version = Uuid::from_slice(key.get(25..)?).ok()?;
        Some((version, Uuid::from_slice(&value).ok()))
    })
}

/// Whether a version is a current fact to be noted.
pub fn is_current(created: &FactVersionCreated) -> bool {
    let ends_later = |end: Instant| end > created.header.recorded_at;
    created.expired_at.is_none() && created.invalid_at.is_none_or(|end| ends_later(end.at))
}

fn near(entity: EntityId, start: Instant, version: Uuid) -> Vec<u8> {
    key(
        b'n',
        &[entity.as_bytes(), &start.to_key(), version.as_bytes()],
    )
}

const TOUCHED: &[u8] = b"t";

/// Remembers an entity until the episode is done. All are in one row, since rows that come and go in
/// a range leave marks behind in the store that every later look at the range must pass.
fn touch(rows: &mut dyn GroupRows, entity: EntityId) -> Result<(), StageError> {
    let mut all = touched(rows)?;
    match all.binary_search(&entity) {
        Ok(_) => Ok(()),
        Err(place) => {
            all.insert(place, entity);
            write_row(rows, TOUCHED.to_vec(), &all)
        }
    }
}

/// The entities touched since the last episode, in order.
pub fn touched(rows: &dyn GroupRows) -> Result<Vec<EntityId>, StageError> {
    Ok(read_row(rows, TOUCHED)?.unwrap_or_default())
}

/// Nothing is touched any longer.
pub fn untouch(rows: &mut dyn GroupRows) {
    rows.delete(TOUCHED);
}

/// The latest facts of an entity, read from all.
fn latest_of(rows: &dyn GroupRows, entity: EntityId) -> Result<Vec<(Instant, Uuid)>, StageError> {
    let versions: Vec<Uuid> = facts_of(rows, entity)
        .take(LATEST)
        .map(|(version, _)| version)
        .collect();
    let mut latest = Vec::with_capacity(versions.len());
    for version in versions {
        latest.extend(fact(rows, version)?.map(|fact| (fact.valid_at, version)));
    }
    Ok(latest)
}

/// Folds a noted fact.
pub fn note(rows: &mut dyn GroupRows, noted: &FactNoted) -> Result<(), StageError> {
    write_row(rows, key(b'f', &[noted.version_id.as_bytes()]), noted)?;
    let ends = [Some(&noted.subject), noted.object.as_ref()];
    for (index, end) in ends.into_iter().enumerate() {
        let Some(end) = end else { continue };
        let other = ends[1 - index].map(|other| other.entity_id.as_bytes().to_vec());
        let near = near(end.entity_id, noted.valid_at, noted.version_id);
        rows.put(near, other.unwrap_or_default());
        let mut said = said_of(rows, end.entity_id)?;
        said.name.clone_from(&end.name);
        said.facts += 1;
        said.added += 1;
        let fact = (noted.valid_at, noted.version_id);
        let place = said.latest.partition_point(|latest| *latest > fact);
        if said.latest.get(place) != Some(&fact) {
            said.latest.insert(place, fact);
            said.latest.truncate(LATEST);
        }
        set_said(rows, end.entity_id, &said)?;
        note_in_community(rows, end.entity_id)?;
        touch(rows, end.entity_id)?;
    }
    if noted.object.is_some() {
        let Size { edges, changed } = size(rows)?;
        set_size(
            rows,
            Size {
                edges: edges + 1,
                changed: changed + 1,
            },
        )?;
    }
    Ok(())
}

/// Folds a forgotten fact.
pub fn forget(rows: &mut dyn GroupRows, forgotten: &FactForgotten) -> Result<(), StageError> {
    let version = forgotten.version_id;
    rows.delete(&key(b'f', &[version.as_bytes()]));
    for end in [Some(forgotten.subject_id), forgotten.object_id]
        .into_iter()
        .flatten()
    {
        rows.delete(&near(end, forgotten.valid_at, version));
        let mut said = said_of(rows, end)?;
        said.facts = said.facts.saturating_sub(1);
        said.stale |= said.versions.contains(&version);
        if said.latest.iter().any(|(_, latest)| *latest == version) {
            said.latest = latest_of(rows, end)?;
        }
        set_said(rows, end, &said)?;
        forget_in_community(rows, end, version)?;
        touch(rows, end)?;
    }
    if forgotten.object_id.is_some() {
        let Size { edges, changed } = size(rows)?;
        set_size(
            rows,
            Size {
                edges: edges.saturating_sub(1),
                changed: changed + 1,
            },
        )?;
    }
    Ok(())
}
