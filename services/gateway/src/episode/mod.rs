//! From the body that was sent to episodes of the log: all rules of an episode, or a problem that
//! names the field. What passes is stored as it was sent, less NUL.

mod split;
mod statement;
mod text;

use std::collections::BTreeMap;

use mneme_api::{AuthorDto, EpisodeBody, Problem};
use mneme_events::{Author, Episode};
use mneme_model::{EpisodeId, GroupId, InvalidValue, Source, ThreadId, is_blank};
use mneme_telemetry::{TraceParent, spans};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::accept::Accepted;
use crate::limits::{DOCUMENT_BYTES, EPISODE_BYTES, METADATA_BYTES, METADATA_KEYS, SENTENCE_BYTES};
pub(crate) use split::{is_part, part_id};
pub(crate) use statement::literal;
use text::json_text;
pub(crate) use text::{cleaned, name, optional_name, sentence};

/// An episode that keeps all rules, as one record or, where its text is long, several.
#[derive(Debug)]
pub struct Submission {
    pub group_id: GroupId,
    /// The id as it was sent.
    pub episode_id: EpisodeId,
    /// Whether the id was made here, so that it can't be known.
    pub fresh: bool,
    /// At least one.
    pub episodes: Vec<Episode>,
    /// The trace that it belongs to.
    pub trace: Option<TraceParent>,
}

impl Submission {
    /// Checks what was sent.
    pub fn check(body: EpisodeBody) -> Result<Self, Problem> {
        let fresh = body.episode_id.is_none();
        let episode_id = match body.episode_id {
            Some(episode_id) if split::is_part(&episode_id) => {
                let text = "must not end in \"#\" and a number: such are the ids of the parts of a \
                            long text";
                return Err(Problem::invalid_field("episode_id", text));
            }
            Some(episode_id) => episode_id,
            None => EpisodeId::new(Uuid::new_v4().to_string())
                .map_err(|error| Problem::invalid_field("episode_id", error.0))?,
        };
        let facts = body.facts.unwrap_or_default();
        let facts = match body.source {
            Source::Facts | Source::Json => statement::check_all(facts)?,
            Source::Message | Source::Text if facts.is_empty() => Vec::new(),
            Source::Message | Source::Text => {
                let text = "come with source \"facts\" or \"json\" only";
                return Err(Problem::invalid_field("facts", text));
            }
        };
        let episode = Episode {
            episode_id: episode_id.clone(),
            thread_id: body.thread_id,
            source: body.source,
            author: author(body.author, body.source)?,
            body: text_of(body.body, body.source)?,
            facts,
            reference_time: body.reference_time,
            source_description: body
                .source_description
                .map(|text| sentence("source_description", text, SENTENCE_BYTES))
                .transpose()?,
            metadata: metadata(body.metadata.unwrap_or_default())?,
            digest: String::new(),
        };
        let episodes = if episode.source == Source::Text && episode.body.len() > EPISODE_BYTES {
            split::split(&episode).map_err(|error| Problem::invalid_field("episode_id", error.0))?
        } else {
            vec![episode]
        };
        Ok(Self {
            group_id: body.group_id,
            episode_id,
            fresh,
            episodes: episodes.into_iter().map(Episode::with_digest).collect(),
            trace: spans::current(),
        })
    }

    /// The same as a part of another trace.
    pub fn within(self, trace: Option<TraceParent>) -> Self {
        Self { trace, ..self }
    }

    /// What kind of input it is.
    pub fn source(&self) -> Source {
        self.episodes
            .first()
            .map_or(Source::Text, |episode| episode.source)
    }

    /// Whether its text was split.
    pub fn is_split(&self) -> bool {
        self.episodes.len() > 1
    }

    /// Whether an episode of its kind is split where it is long.
    pub fn may_be_split(&self) -> bool {
        self.source() == Source::Text
    }

    /// The ids that it decides on: its own and those of its parts.
    pub fn ids(&self) -> impl Iterator<Item = EpisodeId> {
        std::iter::once(self.episode_id.clone()).chain(self.part_ids())
    }

    fn part_ids(&self) -> impl Iterator<Item = EpisodeId> {
        let parts: &[Episode] = if self.is_split() { &self.episodes } else { &[] };
        parts.iter().map(|part| part.episode_id.clone())
    }

    /// What is told of it once it is accepted.
    pub fn accepted(&self) -> Accepted {
        Accepted {
            group_id: self.group_id.clone(),
            episode_id: self.episode_id.clone(),
            parts: self.part_ids().collect(),
            duplicate: false,
            position: 0,
        }
    }
}

fn author(given: Option<AuthorDto>, source: Source) -> Result<Option<Author>, Problem> {
    let Some(author) = given else {
        return match source {
            Source::Message => Err(Problem::invalid_field(
                "author",
                "is needed for source \"message\": {\"name\": …}",
            )),
            Source::Text | Source::Json | Source::Facts => Ok(None),
        };
    };
    Ok(Some(Author {
        name: name("author.name", author.name)?,
        role: optional_name("author.role", author.role)?,
        external_id: optional_name("author.external_id", author.external_id)?,
    }))
}

/// The text of an episode; empty for `facts`.
fn text_of(given: Option<Value>, source: Source) -> Result<String, Problem> {
    let refused = |text: &str| Err(Problem::invalid_field("body", text));
    let (text, most) = match (source, given) {
        (Source::Facts, None) => return Ok(String::new()),
        (Source::Facts, Some(_)) => return refused("does not go with source \"facts\""),
        (_, None) => return refused("is needed"),
        (Source::Json, Some(value)) => (json_text(value), EPISODE_BYTES),
        (Source::Message, Some(Value::String(text))) => (cleaned(text), EPISODE_BYTES),
        (Source::Text, Some(Value::String(text))) => (cleaned(text), DOCUMENT_BYTES),
        (Source::Message | Source::Text, Some(_)) => return refused("must be text"),
    };
    if is_blank(&text) {
        return refused("must not be blank");
    }
    if text.len() > most {
        let detail = format!(
            "body: has {} bytes, and source \"{}\" takes {most} at the most; send it in parts",
            text.len(),
            source.as_str()
        );
        return Err(Problem::too_large(detail).about("body"));
    }
    Ok(text)
}

fn metadata(given: Map<String, Value>) -> Result<BTreeMap<String, String>, Problem> {
    let refused = |text: String| Err(Problem::invalid_field("metadata", text));
    if given.len() > METADATA_KEYS {
        return refused(format!("may have {METADATA_KEYS} keys at the most"));
    }
    let mut metadata = BTreeMap::new();
    let mut bytes = 0;
    for (key, value) in given {
        let key = cleaned(key);
        if is_blank(&key) {
            return refused("a key must not be blank".to_owned());
        }
        if key.starts_with("mneme.") {
            return refused(format!(
                "'{key}' begins with \"mneme.\", which is kept for Mneme"
            ));
        }
        let value = json_text(value);
        bytes += key.len() + value.len();
        metadata.insert(key, value);
    }
    if bytes > METADATA_BYTES {
        return refused(format!("may have {METADATA_BYTES} bytes at the most"));
    }
    Ok(metadata)
}

/// The thread of the parts of a text that names none: its own id.
fn thread_of(episode: &Episode) -> Result<ThreadId, InvalidValue> {
    match &episode.thread_id {
        Some(thread) => Ok(thread.clone()),
        None => ThreadId::new(episode.episode_id.as_str()),
    }
}

/// The statements of an episode, for tests of other modules.
#[cfg(test)]
pub(crate) fn statements_of(body: EpisodeBody) -> Result<Vec<mneme_events::StatedFact>, Problem> {
    Submission::check(body).map(|mut submission| submission.episodes.remove(0).facts)
}
