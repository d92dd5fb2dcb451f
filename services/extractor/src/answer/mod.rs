//! Reading with a model: the question, and the answer checked item by item.
//!
//! An answer is data, never an order: keys that are not of its shape have no effect, an item that
//! lacks what it needs is left out and noted, and a time that can't be read is noted by the name of
//! its field and taken as absent. Reasons and notes never repeat what the answer says.

mod read;
mod shape;

use mneme_events::Episode;
use mneme_model::GroupId;
use mneme_stage::{Inference, InferenceKind};
use serde_json::{Value, json};

use crate::config::ModelReader;
use crate::state::Context;

pub(crate) use read::read;

/// The question to a model: the episode, and the earlier messages of its thread as context.
pub(crate) fn question(
    model: &ModelReader,
    group_id: &GroupId,
    episode: &Episode,
    context: &Context,
) -> Inference {
    let messages: Vec<Value> = context
        .messages
        .iter()
        .map(|message| {
            json!({
                "author": message.author.as_ref().map(|author| &author.name),
                "text": message.text,
                "reference_time": message.reference_time,
            })
        })
        .collect();
    let mut request = json!({
        "group_id": group_id,
        "episode_id": episode.episode_id,
        "source": episode.source,
        "body": episode.body,
        "author": episode.author,
        "reference_time": episode.reference_time,
        "context": messages,
    });
    if !context.ontology.relations.is_empty() || !context.ontology.entities.is_empty() {
        request["ontology"] = json!(context.ontology);
    }
    Inference {
        kind: InferenceKind::Extract,
        version: format!("{}:{}", model.name, model.prompt_version),
        request: request.to_string(),
    }
}
