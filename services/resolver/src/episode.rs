//! An episode is resolved mention by mention. Those that the context must decide come last, so
//! that they see what the episode's other mentions stand for; then its statements are said with
//! their ends, and the marker closes it.

use std::collections::BTreeMap;

use mneme_events::{
    Episode, EpisodeExtracted, EpisodeOutcome, EpisodeResolved, ExtractedStatement,
    ExtractionFailed, Mention, MentionResolved, StatementResolved,
};
use mneme_model::EntityId;
use mneme_stage::StageError;

use crate::choice::{Context, choose};
use crate::decision::Decision;
use crate::identity::{self, Named};
use crate::ladder::{Finding, climb};
use crate::rule::Rule;
use crate::settle::{resolved, settle};
use crate::state::{self, MentionRow};
use crate::support::said_by;
use crate::view::View;
use crate::{keys, links, signature};

/// Resolves an episode.
pub fn resolve(
    decision: &mut Decision<'_>,
    extracted: &EpisodeExtracted,
) -> Result<(), StageError> {
    let episode = &extracted.episode;
    let mut stands_for: BTreeMap<i32, EntityId> = BTreeMap::new();
    let mut ambiguous = Vec::new();
    for mention in &extracted.mentions {
        let mention = with_author_id(mention, episode);
        let named = Named::of(&mention);
        match climb(decision.rows(), &named)? {
            Finding::Several(_) => ambiguous.push((mention, named)),
            finding => {
                let entity = place(decision, episode, &mention, &named, finding, &[])?;
                stands_for.insert(mention.ordinal, entity);
            }
        }
    }
    for (mention, named) in ambiguous {
        let present: Vec<EntityId> = stands_for.values().copied().collect();
        // What the other mentions said may have settled it.
        let finding = climb(decision.rows(), &named)?;
        let entity = place(decision, episode, &mention, &named, finding, &present)?;
        stands_for.insert(mention.ordinal, entity);
    }
    let mut notes = extracted.notes.clone();
    for statement in &extracted.statements {
        let said = statement_of(decision, episode, statement, &stands_for)?;
        match signature::misfit(decision.rows(), &said)? {
            Some(note) => notes.push(note),
            None => decision.emit(said)?,
        }
    }
    decision.emit(EpisodeResolved {
        header: decision.header(),
        episode_id: episode.episode_id.clone(),
        reference_time: episode.reference_time,
        outcome: EpisodeOutcome::Done,
        reason: None,
        notes,
    })
}

/// Passes on that an episode could not be read.
pub fn pass_failure(
    decision: &mut Decision<'_>,
    failed: &ExtractionFailed,
) -> Result<(), StageError> {
    decision.emit(EpisodeResolved {
        header: decision.header(),
        episode_id: failed.episode.episode_id.clone(),
        reference_time: failed.episode.reference_time,
        outcome: EpisodeOutcome::Failed,
        reason: Some(failed.reason.clone()),
        notes: Vec::new(),
    })
}

/// The speaker has the id of the author, also where the extractor left it out.
fn with_author_id(mention: &Mention, episode: &Episode) -> Mention {
    let mut mention = mention.clone();
    if mention.speaker && mention.external_id.is_none() {
        mention.external_id = episode
            .author
            .as_ref()
            .and_then(|author| author.external_id.clone());
    }
    mention
}

/// Writes down what a mention stands for.
fn place(
    decision: &mut Decision<'_>,
    episode: &Episode,
    mention: &Mention,
    named: &Named,
    finding: Finding,
    present: &[EntityId],
) -> Result<EntityId, StageError> {
    let resolved = |decision: &Decision<'_>, entity_id, rule: Rule, score| MentionResolved {
        header: decision.header(),
        episode_id: episode.episode_id.clone(),
        ordinal: mention.ordinal,
        entity_id,
        name: mention.name.clone(),
        entity_type: mention.entity_type.clone(),
        external_id: mention.external_id.clone(),
        aliases: mention.aliases.clone(),
        rule: rule.as_str().to_owned(),
        score,
        thread_id: episode.thread_id.clone(),
    };
    let (entity, rule, score, others) = match finding {
        Finding::One {
            entity,
            rule,
            score,
        } => (entity, rule, score, Vec::new()),
        Finding::Several(candidates) => {
            let context = Context {
                thread: episode.thread_id.as_ref(),
                present,
            };
            let choice = choose(decision.rows(), &candidates, named, context)?
                .ok_or_else(|| StageError::BrokenRow("no candidate to choose".to_owned()))?;
            (choice.entity, choice.rule, 1.0, choice.others)
        }
        Finding::New { rule, alike } => {
            let entity =
                identity::entity_id(decision.group(), &episode.episode_id, mention.ordinal);
            let mention = resolved(decision, entity, rule, 1.0);
            return create(decision, mention, &alike);
        }
    };
    let mention = resolved(decision, entity, rule, score);
    join(decision, mention)?;
    links::link(decision, entity, &others)?;
    Ok(entity)
}

/// Writes down a new entity and its first mention.
pub fn create(
    decision: &mut Decision<'_>,
    mut mention: MentionResolved,
    alike: &[EntityId],
) -> Result<EntityId, StageError> {
    let alike = links::with_room(decision, alike, links::MAX_LINKS)?;
    mention.header.seq = decision.next_seq();
    let entity = mention.entity_id;
    let row = View::of_mention(&MentionRow::after(&mention, None))
        .shown(alike.clone())
        .ok_or_else(|| StageError::BrokenInput("a mention says nothing".to_owned()))?;
    decision.create(entity, row, mention.episode_id.clone())?;
    links::name_in(decision, entity, &alike)?;
    decision.emit(mention)?;
    Ok(entity)
}

/// Writes down a mention of an entity that is known. Only if it says something that no earlier
/// mention said is the entity looked at as a whole.
pub fn join(decision: &mut Decision<'_>, mention: MentionResolved) -> Result<(), StageError> {
    let entity = mention.entity_id;
    let is_known = said_by(&MentionRow::after(&mention, None))
        .iter()
        .all(|said| {
            let supports = keys::supports_of(entity, said.kind.byte(), &said.key);
            state::has_any(decision.rows(), &supports)
        });
    if is_known {
        decision.emit(mention)
    } else {
        settle(decision, vec![mention], &[entity], Vec::new())
    }
}

fn statement_of(
    decision: &Decision<'_>,
    episode: &Episode,
    statement: &ExtractedStatement,
    stands_for: &BTreeMap<i32, EntityId>,
) -> Result<StatementResolved, StageError> {
    let end = |ordinal: i32| {
        let entity = stands_for.get(&ordinal).ok_or_else(|| {
            StageError::BrokenInput(format!("a statement names no mention {ordinal}"))
        })?;
        resolved(decision.rows(), *entity)
    };
    if statement.object.is_some() == statement.value.is_some() {
        return Err(StageError::BrokenInput(
            "a statement has an entity or a literal for its object".to_owned(),
        ));
    }
    Ok(StatementResolved {
        header: decision.header(),
        statement_id: identity::statement_id(
            decision.group(),
            &episode.episode_id,
            statement.ordinal,
        ),
        episode_id: episode.episode_id.clone(),
        thread_id: episode.thread_id.clone(),
        reference_time: episode.reference_time,
        ordinal: statement.ordinal,
        subject_mention: statement.subject,
        subject: end(statement.subject)?,
        relation: statement.relation.clone(),
        object_mention: statement.object,
        object: statement.object.map(end).transpose()?,
        value: statement.value.clone(),
        fact: statement.fact.clone(),
        valid_at: statement.valid_at,
        invalid_at: statement.invalid_at,
        polarity: statement.polarity,
        exclusive: statement.exclusive,
    })
}
