//! A case as its file gives it. Steps and expectations stay JSON until they are run, so that a case
//! can be rewritten for another order or group, and one odd case does not spoil its file.

use serde::Deserialize;
use serde_json::Value;

use crate::expectation::Expectation;
use crate::step::Step;

/// One case of a file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub id: String,
    #[serde(default, rename = "title")]
    pub _title: String,
    #[serde(default)]
    pub ontology: Option<Value>,
    #[serde(default)]
    pub steps: Vec<Value>,
    #[serde(default)]
    pub expect: Vec<Value>,
}

/// A case whose every step and expectation is understood.
#[derive(Debug)]
pub(crate) struct Plan {
    pub ontology: Option<Value>,
    pub steps: Vec<Step>,
    pub expect: Vec<Expectation>,
}

impl Case {
    /// Reads the steps and expectations; the error names the one that isn't understood.
    pub fn plan(&self) -> Result<Plan, String> {
        let steps = self.steps.iter().enumerate().map(|(index, step)| {
            Step::read(step)
                .map_err(|error| format!("step {} is not understood: {error}", index + 1))
        });
        let expect = self.expect.iter().enumerate().map(|(index, expectation)| {
            Expectation::read(expectation)
                .map_err(|error| format!("expectation {} is not understood: {error}", index + 1))
        });
        Ok(Plan {
            ontology: self.ontology.clone(),
            steps: steps.collect::<Result<_, _>>()?,
            expect: expect.collect::<Result<_, _>>()?,
        })
    }

    /// Why the case can't be run at all, if it can't.
    pub fn needs(&self) -> Option<&'static str> {
        let with_model = self
            .episodes()
            .any(|episode| episode.get("model_outputs").is_some());
        let with_prompt = self.expect.iter().any(|e| e.get("prompt").is_some());
        (with_model || with_prompt).then_some("needs a model")
    }

    /// The bodies of all the case's episodes, in order.
    pub fn episodes(&self) -> impl Iterator<Item = &Value> {
        self.steps.iter().flat_map(|step| {
            let one = step.get("episode").into_iter();
            one.chain(
                step.get("episodes")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten(),
            )
        })
    }

    /// The groups that the case's episodes name, each once.
    pub fn groups(&self) -> Vec<String> {
        let mut groups: Vec<String> = Vec::new();
        for group in self.episodes().filter_map(|e| e.get("group_id")?.as_str()) {
            if !groups.iter().any(|known| known == group) {
                groups.push(group.to_owned());
            }
        }
        groups
    }
}

impl Plan {
    /// Whether the relation reads the same from either end.
    pub fn is_symmetric(&self, relation: &str) -> bool {
        let symmetric = |ontology: &Value| {
            ontology
                .get("relations")?
                .get(relation)?
                .get("symmetric")?
                .as_bool()
        };
        self.ontology.as_ref().and_then(symmetric).unwrap_or(false)
    }

    /// Whether a step stops the process, so that nothing else may use it meanwhile.
    pub fn stops_the_process(&self) -> bool {
        self.steps
            .iter()
            .any(|step| matches!(step, Step::Restart | Step::Replay))
    }
}
