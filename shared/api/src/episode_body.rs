//! An episode as it is sent.

use mneme_events::{Author, StatedFact};
use mneme_model::{EpisodeId, GroupId, Instant, Literal, LiteralKind, Polarity, Source, ThreadId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::TimeText;

/// Who wrote an episode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AuthorDto {
    /// The name.
    pub name: String,
    /// The role in the thread, such as `user` or `agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The id in the producer's system; two authors with one id are one person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
}

impl From<&Author> for AuthorDto {
    fn from(author: &Author) -> Self {
        Self {
            name: author.name.clone(),
            role: author.role.clone(),
            external_id: author.external_id.clone(),
        }
    }
}

/// A statement: that a relation holds, or has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StatementDto {
    /// The name of the subject.
    pub subject: String,
    /// Its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_type: Option<String>,
    /// Its id in another system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_external_id: Option<String>,
    /// The name of the relation.
    pub relation: String,
    /// The name of the object, where it is an entity. Either this or `value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_type: Option<String>,
    /// Its id in another system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_external_id: Option<String>,
    /// The object, where it is a literal: text, a number, true or false. Either this or `object`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The statement as a sentence.
    pub fact: String,
    /// When it began to hold; the reference time of the episode where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_at: Option<TimeText>,
    /// When it ceased to hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid_at: Option<TimeText>,
    /// `holds` (default), or `ended`: it stopped to hold at `invalid_at`, else at the reference time.
    #[serde(default, skip_serializing_if = "is_holds")]
    #[schema(value_type = String, default = "holds")]
    pub polarity: Polarity,
}

fn is_holds(polarity: &Polarity) -> bool {
    *polarity == Polarity::Holds
}

impl From<&StatedFact> for StatementDto {
    fn from(stated: &StatedFact) -> Self {
        Self {
            subject: stated.subject.clone(),
            subject_type: stated.subject_type.clone(),
            subject_external_id: stated.subject_external_id.clone(),
            relation: stated.relation.clone(),
            object: stated.object.clone(),
            object_type: stated.object_type.clone(),
            object_external_id: stated.object_external_id.clone(),
            value: stated.value.as_ref().map(literal_value),
            fact: stated.fact.clone(),
            valid_at: stated.valid_at.map(TimeText),
            invalid_at: stated.invalid_at.map(TimeText),
            polarity: stated.polarity,
        }
    }
}

/// A literal as the JSON value that it was.
fn literal_value(literal: &Literal) -> Value {
    let scalar = match literal.kind {
        LiteralKind::String => None,
        LiteralKind::Number | LiteralKind::Boolean => serde_json::from_str(&literal.text).ok(),
    };
    scalar.unwrap_or_else(|| Value::String(literal.text.clone()))
}

/// An episode as it is sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EpisodeBody {
    /// The memory graph that it belongs to.
    #[schema(value_type = String, examples("acme-support"))]
    pub group_id: GroupId,
    /// Its id in the group, and the key of idempotency; a UUID is made where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub episode_id: Option<EpisodeId>,
    /// The chat or ticket that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub thread_id: Option<ThreadId>,
    /// `message`, `text`, `json` or `facts`.
    #[schema(value_type = String)]
    pub source: Source,
    /// Who wrote it; needed for `message`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<AuthorDto>,
    /// The text (`message`, `text`) or any JSON value (`json`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The statements of `facts`; with `json`, what a mapping drew from the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Vec<StatementDto>>,
    /// The instant that it speaks from.
    #[schema(value_type = String, examples("2026-03-01T09:30:00Z"))]
    pub reference_time: Instant,
    /// Where it comes from, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_description: Option<String>,
    /// The producer's own fields, for filters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
}
