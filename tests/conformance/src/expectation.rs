//! What a case demands once its steps are done.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::fields::{OneOrMany, read, read_rest, take_kind};
use crate::row::Row;
use crate::step::EpisodeName;

/// One expectation of a case.
#[derive(Debug)]
pub(crate) enum Expectation {
    Facts(FactsRead, Wanted<Row>),
    Support(SupportOf, Vec<String>),
    Entities(String, EntitiesWanted),
    Search(Map<String, Value>, SearchWanted),
    EpisodeState(EpisodeName, StateWanted),
    EpisodeList(EpisodesRead, Vec<String>),
    /// Only cases that are not run have it.
    Prompt,
    GrepLogs(Grep),
    GrepAll(Grep),
    AllOrders,
}

/// A read of a group's facts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FactsRead {
    pub group_id: String,
    #[serde(default)]
    pub as_of: Option<String>,
    #[serde(default)]
    pub known_at: Option<KnownAt>,
    #[serde(default)]
    pub include_past: Option<bool>,
}

/// An instant of system time: given, or that at which a step (counted from 1) was done.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum KnownAt {
    At(String),
    AfterStep { after_step: usize },
}

/// What of a list must be there. At least one of the three is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted<T> {
    #[serde(default = "none")]
    pub exactly: Option<Vec<T>>,
    #[serde(default = "none")]
    pub contains: Option<Vec<T>>,
    #[serde(default = "none")]
    pub lacks: Option<Vec<T>>,
}

/// A fact by `[subject, relation, object]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SupportOf {
    pub group_id: String,
    pub fact: (String, String, Value),
}

/// What a group's entities must be like.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntitiesWanted {
    #[serde(default)]
    pub exactly: Option<Vec<String>>,
    #[serde(default)]
    pub contains: Option<Vec<String>>,
    #[serde(default)]
    pub lacks: Option<Vec<String>>,
    #[serde(default)]
    pub count: Option<usize>,
    /// Names that the entity must have beside the one it is found by.
    #[serde(default)]
    pub aliases: Map<String, Value>,
    #[serde(default)]
    pub types: Map<String, Value>,
    #[serde(default)]
    pub attributes: Map<String, Value>,
}

/// What a search must find.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchWanted {
    #[serde(default)]
    pub first: Option<OneOrMany<String>>,
    #[serde(default)]
    pub contains: Option<Vec<String>>,
    #[serde(default)]
    pub lacks: Option<Vec<String>>,
    #[serde(default)]
    pub order: Option<Vec<String>>,
    #[serde(default)]
    pub max_ms: Option<u64>,
}

/// What an episode's record must say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateWanted {
    pub is: String,
    #[serde(default)]
    pub reason_contains: Option<String>,
    #[serde(default)]
    pub notes_contain: Option<String>,
}

/// A list of a group's episodes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EpisodesRead {
    pub group_id: String,
    #[serde(default)]
    pub last: Option<u32>,
}

/// A text to look for in files.
#[derive(Debug)]
pub(crate) struct Grep {
    pub text: String,
    pub found: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    group_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Support {
    episodes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    order: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Found {
    found: bool,
}

const KINDS: [&str; 9] = [
    "facts",
    "support",
    "search",
    "episode_state",
    "episode_list",
    "prompt",
    "grep_logs",
    "grep_all",
    "same_state_for",
];

fn none<T>() -> Option<Vec<T>> {
    None
}

impl Expectation {
    pub fn read(value: &Value) -> Result<Self, String> {
        // `types`, `aliases` and `attributes` stand beside `entities` only, so it goes first.
        if value.get("entities").is_some() {
            let (_, about, rest) = take_kind(value, &["entities"])?;
            return Ok(Self::Entities(
                read::<Group>(about)?.group_id,
                read_rest(rest)?,
            ));
        }
        let (kind, about, rest) = take_kind(value, &KINDS)?;
        match kind {
            "facts" => {
                let wanted: Wanted<Row> = read_rest(rest)?;
                if wanted.exactly.is_none() && wanted.contains.is_none() && wanted.lacks.is_none() {
                    return Err("facts without exactly, contains or lacks".to_owned());
                }
                Ok(Self::Facts(read(about)?, wanted))
            }
            "support" => Ok(Self::Support(
                read(about)?,
                read_rest::<Support>(rest)?.episodes,
            )),
            "search" => Ok(Self::Search(read(about)?, read_rest(rest)?)),
            "episode_state" => Ok(Self::EpisodeState(read(about)?, read_rest(rest)?)),
            "episode_list" => Ok(Self::EpisodeList(
                read(about)?,
                read_rest::<Order>(rest)?.order,
            )),
            "prompt" => Ok(Self::Prompt),
            "grep_logs" => grep(about, rest).map(Self::GrepLogs),
            "grep_all" => grep(about, rest).map(Self::GrepAll),
            _ if about == "all_orders" && rest.is_empty() => Ok(Self::AllOrders),
            _ => Err("same_state_for other than all_orders".to_owned()),
        }
    }

    /// The word that a report names the expectation by.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Facts(..) => "facts",
            Self::Support(..) => "support",
            Self::Entities(..) => "entities",
            Self::Search(..) => "search",
            Self::EpisodeState(..) => "episode_state",
            Self::EpisodeList(..) => "episode_list",
            Self::Prompt => "prompt",
            Self::GrepLogs(_) => "grep_logs",
            Self::GrepAll(_) => "grep_all",
            Self::AllOrders => "same_state_for",
        }
    }
}

fn grep(about: Value, rest: Map<String, Value>) -> Result<Grep, String> {
    Ok(Grep {
        text: read(about)?,
        found: read_rest::<Found>(rest)?.found,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_kind_is_read_and_what_is_unknown_is_refused() {
        for good in [
            json!({"facts": {"group_id": "g", "known_at": {"after_step": 2}}, "exactly": []}),
            json!({"entities": {"group_id": "g"}, "count": 2, "types": {"Ann": "Person"}}),
            json!({"search": {"group_ids": ["g"], "query": "x"}, "first": "Ann", "max_ms": 9}),
            json!({"episode_state": {"group_id": "g", "episode_id": "e"}, "is": "done"}),
            json!({"same_state_for": "all_orders"}),
            json!({"grep_all": "CANARY", "found": false}),
        ] {
            assert!(Expectation::read(&good).is_ok(), "{good}");
        }
        for bad in [
            json!({"facts": {"group_id": "g"}}),
            json!({"facts": {"group_id": "g", "asof": "2020"}, "exactly": []}),
            json!({"facts": {"group_id": "g"}, "exact": []}),
            json!({"entities": {"group_id": "g"}, "counts": 2}),
            json!({"grep_all": "CANARY"}),
            json!({"same_state_for": "some_orders"}),
            json!({"smells": "good"}),
        ] {
            assert!(Expectation::read(&bad).is_err(), "{bad}");
        }
    }
}
