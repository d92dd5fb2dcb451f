//! What a case does, step by step.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::fields::{OneOrMany, read, read_rest, take_kind};

/// One step of a case.
#[derive(Debug)]
pub(crate) enum Step {
    /// Sent one after the other or, if several, at once; each is waited for.
    Episodes(Vec<Value>),
    EraseEpisode(EpisodeName),
    EraseGroup(String),
    /// A write to `POST /v1/groups/{group}/{route}`.
    Administrate {
        group_id: String,
        route: &'static str,
        body: Value,
    },
    Restart,
    Replay,
    Http(HttpStep),
}

/// An episode by its ids.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EpisodeName {
    pub group_id: String,
    pub episode_id: String,
}

/// A raw request with the answer it must get.
#[derive(Debug)]
pub(crate) struct HttpStep {
    pub request: HttpRequest,
    pub status: OneOrMany<u16>,
    pub body_contains: Option<String>,
}

/// A raw request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HttpRequest {
    pub method: String,
    pub path: String,
    #[serde(default)]
    pub headers: Map<String, Value>,
    /// A JSON body.
    #[serde(default)]
    pub body: Option<Value>,
    /// A body as it is, instead of `body`.
    #[serde(default)]
    pub raw: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpAnswer {
    status: OneOrMany<u16>,
    #[serde(default)]
    body_contains: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

const KINDS: [&str; 10] = [
    "episode",
    "episodes",
    "erase_episode",
    "erase_group",
    "merge",
    "split",
    "correct",
    "restart",
    "replay",
    "http",
];

impl Step {
    pub fn read(value: &Value) -> Result<Self, String> {
        let (kind, about, rest) = take_kind(value, &KINDS)?;
        if kind == "http" {
            let answer: HttpAnswer = read_rest(rest)?;
            return Ok(Self::Http(HttpStep {
                request: read(about)?,
                status: answer.status,
                body_contains: answer.body_contains,
            }));
        }
        read_rest::<Nothing>(rest)?;
        match kind {
            "episode" => Ok(Self::Episodes(vec![about])),
            "episodes" => Ok(Self::Episodes(read(about)?)),
            "erase_episode" => Ok(Self::EraseEpisode(read(about)?)),
            "erase_group" => Ok(Self::EraseGroup(read(about)?)),
            "merge" => administrate("merge", about),
            "split" => administrate("split", about),
            "correct" => administrate("corrections", about),
            "restart" => Ok(Self::Restart),
            _ => Ok(Self::Replay),
        }
    }
}

/// The body of an administrative write is the step without its group, which is in the path.
fn administrate(route: &'static str, about: Value) -> Result<Step, String> {
    let mut body: Map<String, Value> = read(about)?;
    let group_id = body.shift_remove("group_id").ok_or("no group_id")?;
    Ok(Step::Administrate {
        group_id: read(group_id)?,
        route,
        body: Value::Object(body),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_misspelt_key_is_refused() {
        assert!(Step::read(&json!({"restart": true})).is_ok());
        assert!(Step::read(&json!({"restrat": true})).is_err());
        assert!(Step::read(&json!({"restart": true, "twice": 1})).is_err());
        assert!(Step::read(&json!({"http": {"method": "GET", "path": "/"}})).is_err());
    }

    #[test]
    fn a_correction_goes_to_its_group() {
        let step = Step::read(
            &json!({"correct": {"group_id": "g", "fact": ["a", "R", "b"],
            "set": {"object": "c"}}}),
        );
        let Ok(Step::Administrate {
            group_id,
            route,
            body,
        }) = step
        else {
            panic!("{step:?}");
        };
        assert_eq!((group_id.as_str(), route), ("g", "corrections"));
        assert_eq!(
            body,
            json!({"fact": ["a", "R", "b"], "set": {"object": "c"}})
        );
    }
}
