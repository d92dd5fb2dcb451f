//! A correction is forwarded with its ends resolved. The right object is an entity like any other:
//! each episode that the corrected fact rests on mentions it from then on, so it goes with the
//! last of them.

use mneme_events::{FactCorrected, MentionResolved, StatementResolved};
use mneme_model::{EntityId, EpisodeId};
use mneme_stage::{GroupRows, StageError, prefix_end, read_row};
use uuid::Uuid;

use crate::choice::{Context, choose};
use crate::decision::Decision;
use crate::episode::{create, join};
use crate::identity::{self, Named};
use crate::ladder::{Finding, climb};
use crate::rule::Rule;
use crate::settle::resolved;
use crate::state::{has_any, statement_keys};
use crate::support::mentions_of;
use crate::{candidates, keys, state};

/// More episodes than these don't carry the right object.
const MAX_EPISODES: usize = 256;

/// Resolves the ends of a correction and forwards it.
pub fn correct(decision: &mut Decision<'_>, asked: &FactCorrected) -> Result<(), StageError> {
    let mut correction = asked.clone();
    correction.header = decision.header();
    if let Some((subject, object)) = ends(decision.rows(), asked)? {
        correction.subject_id = Some(subject);
        correction.object_id = object;
        if let Some(right) = asked.set.object.as_deref().filter(|_| !asked.set.retract) {
            let episodes = episodes_behind(decision.rows(), asked, subject, object)?;
            let entity = right_object(decision, asked, right, subject, episodes)?;
            correction.new_object = entity
                .map(|entity| resolved(decision.rows(), entity))
                .transpose()?;
        }
    }
    decision.emit(correction)
}

/// The ends meant: of the entities with these names, the first pair that statements tie.
fn ends(
    rows: &dyn GroupRows,
    asked: &FactCorrected,
) -> Result<Option<(EntityId, Option<EntityId>)>, StageError> {
    let subjects = candidates::by_text(rows, &asked.subject)?;
    let objects = candidates::by_text(rows, &asked.object)?;
    for &subject in &subjects {
        for &object in &objects {
            if has_any(rows, &keys::ends_between(subject, object)) {
                return Ok(Some((subject, Some(object))));
            }
        }
    }
    for &subject in &subjects {
        if !literal_episodes(rows, asked, subject)?.is_empty() {
            return Ok(Some((subject, None)));
        }
    }
    // A fact that was corrected before has ends that no statement ties.
    Ok(subjects
        .first()
        .map(|subject| (*subject, objects.first().copied())))
}

/// The episodes that the fact rests on, or failing that those that speak of its ends.
fn episodes_behind(
    rows: &dyn GroupRows,
    asked: &FactCorrected,
    subject: EntityId,
    object: Option<EntityId>,
) -> Result<Vec<EpisodeId>, StageError> {
    let mut found = match object {
        Some(object) => episodes_of(rows, &keys::ends_between(subject, object), |_| true)?,
        None => literal_episodes(rows, asked, subject)?,
    };
    if found.is_empty()
        && let Some(object) = object
    {
        for mention in mentions_of(rows, object)? {
            let of_episode = state::mentions(rows, &mention.episode_id)?;
            if of_episode.iter().any(|other| other.entity_id == subject) {
                found.push(mention.episode_id);
            }
        }
    }
    if found.is_empty() {
        let first = mentions_of(rows, subject)?.into_iter().next();
        found.extend(first.map(|mention| mention.episode_id));
    }
    found.dedup();
    found.truncate(MAX_EPISODES);
    Ok(found)
}

fn literal_episodes(
    rows: &dyn GroupRows,
    asked: &FactCorrected,
    subject: EntityId,
) -> Result<Vec<EpisodeId>, StageError> {
    episodes_of(rows, &keys::ends_between(subject, Uuid::nil()), |said| {
        said.relation == asked.relation
            && said
                .value
                .as_ref()
                .is_some_and(|value| value.text == asked.object)
    })
}

fn episodes_of(
    rows: &dyn GroupRows,
    ends: &[u8],
    is_meant: impl Fn(&StatementResolved) -> bool,
) -> Result<Vec<EpisodeId>, StageError> {
    let mut episodes = Vec::new();
    for key in statement_keys(rows, ends) {
        let said: Option<StatementResolved> = read_row(rows, &key)?;
        if let Some(said) = said.filter(&is_meant)
            && !episodes.contains(&said.episode_id)
        {
            episodes.push(said.episode_id);
        }
    }
    Ok(episodes)
}

/// Finds or makes the right object and has each episode mention it.
fn right_object(
    decision: &mut Decision<'_>,
    asked: &FactCorrected,
    right: &str,
    subject: EntityId,
    episodes: Vec<EpisodeId>,
) -> Result<Option<EntityId>, StageError> {
    let by_id = right.trim().parse::<EntityId>().ok();
    let known = by_id
        .map(|id| state::entity(decision.rows(), id))
        .transpose()?
        .flatten();
    let name = known.as_ref().map_or(right, |row| &row.name).to_owned();
    let named = Named::new(&name, &[], asked.set.object_type.as_deref(), None);
    let mut entity = by_id.filter(|_| known.is_some());
    let mut alike = Vec::new();
    if entity.is_none() {
        match climb(decision.rows(), &named)? {
            Finding::One { entity: one, .. } => entity = Some(one),
            Finding::Several(several) => {
                let context = Context {
                    thread: None,
                    present: &[subject],
                };
                entity =
                    choose(decision.rows(), &several, &named, context)?.map(|choice| choice.entity);
            }
            Finding::New { alike: others, .. } => alike = others,
        }
    }
    for episode_id in episodes {
        let ordinal = free_ordinal(decision.rows(), &episode_id)?;
        let new = identity::entity_id(decision.group(), &episode_id, ordinal);
        let thread_id = state::mentions(decision.rows(), &episode_id)?
            .into_iter()
            .find_map(|mention| mention.thread_id);
        let mention = MentionResolved {
            header: decision.header(),
            entity_id: entity.unwrap_or(new),
            episode_id,
            ordinal,
            name: name.clone(),
            entity_type: asked.set.object_type.clone(),
            external_id: None,
            aliases: Vec::new(),
            rule: Rule::Correction.as_str().to_owned(),
            score: 1.0,
            thread_id,
        };
        if entity.is_some() {
            join(decision, mention)?;
        } else {
            entity = Some(create(decision, mention, &alike)?);
        }
    }
    Ok(entity)
}

fn free_ordinal(rows: &dyn GroupRows, episode: &EpisodeId) -> Result<i32, StageError> {
    let prefix = keys::mentions(episode);
    let last = rows.range_back(&prefix, &prefix_end(&prefix)).next();
    let ordinal = last
        .and_then(|(key, _)| key.get(prefix.len()..)?.try_into().ok())
        .map_or(0, |bytes| i32::from_be_bytes(bytes) + 1);
    Ok(ordinal)
}
