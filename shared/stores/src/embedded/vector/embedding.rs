//! What is new in a batch is embedded, all texts in one call.

use std::collections::BTreeMap;

use mneme_inference::{Embedder, InferenceError, Reaction};

use crate::StoreError;
use crate::embedded::documents::{Address, Edit};

/// A new vector for an address, or that there is none any longer.
pub(super) type NewVectors = BTreeMap<Address, Option<Vec<f32>>>;

/// Embeds what is new; says that there is none where a document is gone.
pub(super) fn new_vectors(
    embedder: &dyn Embedder,
    edits: &BTreeMap<Address, Edit<String>>,
) -> Result<NewVectors, StoreError> {
    let mut vectors = NewVectors::new();
    let mut addresses = Vec::new();
    let mut texts = Vec::new();
    for (address, edit) in edits {
        if let Some(text) = &edit.content {
            addresses.push(*address);
            texts.push(text.as_str());
        } else if edit.seen.is_none() && edit.was_indexed {
            vectors.insert(*address, None);
        }
    }
    if texts.is_empty() {
        return Ok(vectors);
    }
    let embedded = embed(embedder, &texts)?;
    let nothing = |vector: &Vec<f32>| vector.iter().all(|x| *x == 0.0);
    for (address, vector) in addresses.into_iter().zip(embedded) {
        vectors.insert(address, vector.filter(|vector| !nothing(vector)));
    }
    Ok(vectors)
}

/// The vectors of texts; none of a text that the model refuses.
fn embed(embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, StoreError> {
    let failed = |error: InferenceError| match error.reaction() {
        Reaction::Retry => StoreError::Unavailable(error.to_string()),
        Reaction::Skip | Reaction::Die => StoreError::Broken(error.to_string()),
    };
    match checked(embedder, texts) {
        Ok(vectors) => Ok(vectors.into_iter().map(Some).collect()),
        Err(error) if error.reaction() != Reaction::Skip => Err(failed(error)),
        // One refused text fails the call; the others must not miss their vectors.
        Err(_) => texts
            .iter()
            .map(|text| match checked(embedder, &[text]) {
                Ok(mut vectors) => Ok(vectors.pop()),
                Err(error) if error.reaction() == Reaction::Skip => {
                    tracing::warn!(%error, "a text has no vector");
                    Ok(None)
                }
                Err(error) => Err(failed(error)),
            })
            .collect(),
    }
}

/// What the model gives, if it is what it promises: a table of vectors can't hold anything else.
fn checked(embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<Vec<f32>>, InferenceError> {
    let vectors = embedder.embed(texts)?;
    let model = embedder.model();
    let fits =
        |vector: &Vec<f32>| vector.len() == model.dimension && vector.iter().all(|x| x.is_finite());
    if vectors.len() == texts.len() && vectors.iter().all(fits) {
        return Ok(vectors);
    }
    Err(InferenceError::Malformed {
        model: model.name.clone(),
        reason: "not one vector of its dimension for each text".to_owned(),
    })
}
