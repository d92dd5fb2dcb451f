//! The pairs of `names.json`: each pair occurs in a group of its own, once in either order, and
//! makes one entity or two.

use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::Client;
use crate::report::{CaseResult, Verdict};

/// Two names, and whether they are one entity's.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamePair {
    a: String,
    b: String,
    #[serde(default)]
    a_type: Option<String>,
    #[serde(default)]
    b_type: Option<String>,
    same: Same,
    /// What a model should say where rules leave it open.
    #[serde(default, rename = "lean")]
    _lean: Option<bool>,
    #[serde(default)]
    why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
enum Same {
    Yes,
    No,
    /// The rules leave it open, so without a model they are two.
    Ask,
}

impl TryFrom<Value> for Same {
    type Error = String;
    fn try_from(value: Value) -> Result<Self, String> {
        match value {
            Value::Bool(true) => Ok(Self::Yes),
            Value::Bool(false) => Ok(Self::No),
            Value::String(text) if text == "ask" => Ok(Self::Ask),
            other => Err(format!("same is true, false or \"ask\", not {other}")),
        }
    }
}

impl NamePair {
    /// The name of the pair in a report; `number` counts from 1.
    pub fn name(number: usize) -> String {
        format!("names/{number}")
    }

    /// Sends the pair in both orders and counts the entities.
    pub async fn run(&self, client: &Client, number: usize) -> CaseResult {
        let begun = Instant::now();
        let a = (&self.a, self.a_type.as_deref());
        let b = (&self.b, self.b_type.as_deref());
        let mut differences = Vec::new();
        for (order, names) in [("ab", [a, b]), ("ba", [b, a])] {
            let group = format!("names-{number}-{order}");
            differences.extend(self.check(client, &group, names).await.err());
        }
        CaseResult {
            name: Self::name(number),
            verdict: if differences.is_empty() {
                Verdict::Passed
            } else {
                Verdict::Failed(differences)
            },
            left_out: None,
            took: begun.elapsed(),
        }
    }

    async fn check(
        &self,
        client: &Client,
        group: &str,
        names: [(&String, Option<&str>); 2],
    ) -> Result<(), String> {
        for (index, (name, kind)) in names.into_iter().enumerate() {
            let episode = mention(group, index, name, kind);
            let answer = client
                .add(&episode)
                .await
                .map_err(|error| error.to_string())?;
            if !answer.is_success() {
                return Err(format!("{name:?}: expected 2xx; came {}", answer.brief()));
            }
        }
        let path = ["v1", "groups", group, "entities"];
        let entities = client
            .all_pages(&path, &[], "entities")
            .await
            .map_err(|error| error.to_string())?
            .map_err(|answer| answer.brief())?;
        let expected = if self.same == Same::Yes { 1 } else { 2 };
        if entities.len() != expected {
            let came = entities.len();
            let [(first, _), (second, _)] = names;
            return Err(format!(
                "{first:?} then {second:?}: expected {expected} entities ({}); came {came}",
                self.why
            ));
        }
        Ok(())
    }
}

/// An episode that mentions the name and nothing else: its object is a literal.
fn mention(group: &str, index: usize, name: &str, kind: Option<&str>) -> Value {
    let mut statement = json!({
        "subject": name, "relation": "NOTED_ON", "value": format!("page {}", index + 1),
        "fact": format!("{name} is noted on page {}", index + 1),
    });
    if let Some(kind) = kind {
        statement["subject_type"] = json!(kind);
    }
    json!({
        "group_id": group, "episode_id": format!("e{}", index + 1), "source": "facts",
        "reference_time": format!("2024-01-0{}T00:00:00Z", index + 1), "facts": [statement],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_same_may_be() {
        let same = |value: Value| serde_json::from_value::<Same>(value).ok();
        assert_eq!(same(json!(true)), Some(Same::Yes));
        assert_eq!(same(json!(false)), Some(Same::No));
        assert_eq!(same(json!("ask")), Some(Same::Ask));
        assert_eq!(same(json!("maybe")), None);
    }
}
