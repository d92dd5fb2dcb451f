//! Extractive summaries: of an entity, the sentences of its latest current facts.

use mneme_events::EntitySummarized;
use mneme_model::EntityId;
use mneme_stage::{GroupRows, StageError};

use crate::facts::{LATEST, Said, fact, said_of, sentence_of, set_said};

/// The most bytes of a summary.
const BYTES: usize = 1_200;

/// Whether the summary of an entity is to be made anew: it says what holds no longer, or enough has
/// come since. With few facts every one counts; with many, an eighth, so that the cost per fact does
/// not grow with what is known.
pub fn is_due(said: &Said) -> bool {
    let enough = (said.facts / LATEST as u64).max(1);
    said.stale || said.added >= enough
}

/// The sentences of the latest facts, each once.
pub fn summarize(rows: &dyn GroupRows, entity: EntityId) -> Result<String, StageError> {
    let mut sentences: Vec<String> = Vec::new();
    let mut bytes = 0;
    for (_, version) in said_of(rows, entity)?.latest {
        let Some(noted) = fact(rows, version)? else {
            continue;
        };
        let sentence = sentence_of(&noted);
        if sentence.is_empty() || sentences.contains(&sentence) {
            continue;
        }
        bytes += sentence.len() + 2;
        if bytes > BYTES && !sentences.is_empty() {
            break;
        }
        sentences.push(sentence);
    }
    if sentences.is_empty() {
        return Ok(String::new());
    }
    Ok(format!("{}.", sentences.join(". ")))
}

/// Folds a summary: it is made of the facts that were the latest then.
pub fn apply(rows: &mut dyn GroupRows, summarized: &EntitySummarized) -> Result<(), StageError> {
    let entity = summarized.entity_id;
    let said = said_of(rows, entity)?;
    let versions = said.latest.iter().map(|(_, version)| *version).collect();
    set_said(
        rows,
        entity,
        &Said {
            versions,
            added: 0,
            stale: false,
            ..said
        },
    )
}
