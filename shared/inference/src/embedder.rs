//! The port for models that turn text into vectors.
//!
//! Guarantees: vectors of two models are never mixed, since every vector is stored with its
//! [`EmbeddingModel`] and [`EmbeddingModel::check_stored`] refuses another.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::InferenceError;

/// Which model made a vector: stored with every vector, and compared before any search.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EmbeddingModel {
    /// Name that changes whenever the same text would give another vector.
    pub name: String,
    /// Number of components of each vector.
    pub dimension: usize,
}

impl EmbeddingModel {
    /// Refuses to go on with vectors that `stored` made.
    ///
    /// # Errors
    /// [`InferenceError::ModelMismatch`], whose message says the ways out.
    pub fn check_stored(&self, stored: &EmbeddingModel) -> Result<(), InferenceError> {
        if self == stored {
            return Ok(());
        }
        Err(InferenceError::ModelMismatch {
            stored: stored.clone(),
            configured: self.clone(),
        })
    }
}

impl fmt::Display for EmbeddingModel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({} dimensions)", self.name, self.dimension)
    }
}

/// A model that turns text into vectors whose cosine tells how near in meaning two texts are.
///
/// Contract:
/// - one vector for each text, in the order of the texts, each of the model's dimension;
/// - each vector is L2-normalised, so a dot product is a cosine;
/// - a text that is empty, or holds nothing that the model knows, gives the zero vector, whose
///   cosine with anything is 0 and never a NaN;
/// - a text's vector doesn't depend on the other texts of the call;
/// - a text of any length is taken; a model with a limit uses the beginning;
/// - a call may block (a remote model): call it from a thread that may wait.
pub trait Embedder: Send + Sync {
    /// The model whose name and dimension are stored with each vector.
    fn model(&self) -> &EmbeddingModel;

    /// The vectors of `texts`.
    ///
    /// # Errors
    /// All or nothing: one refused text fails the call, so a caller that must tell which one
    /// repeats the call text by text. [`InferenceError::reaction`] says what to do.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, InferenceError>;
}

/// Scales `vector` to length one; a zero vector stays zero.
pub fn normalise(vector: &mut [f32]) {
    let length = vector
        .iter()
        .map(|component| component * component)
        .sum::<f32>()
        .sqrt();
    if length > 0.0 {
        for component in vector {
            *component /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reaction;

    fn model(name: &str, dimension: usize) -> EmbeddingModel {
        EmbeddingModel {
            name: name.into(),
            dimension,
        }
    }

    #[test]
    fn another_name_or_dimension_is_refused_with_a_way_out() {
        let configured = model("small", 256);
        assert_eq!(configured.check_stored(&model("small", 256)), Ok(()));
        for stored in [model("large", 256), model("small", 384)] {
            let error = configured.check_stored(&stored).unwrap_err();
            assert_eq!(error.reaction(), Reaction::Die);
            assert!(error.to_string().contains("mneme replay"), "{error}");
            assert!(error.to_string().contains(&stored.to_string()), "{error}");
        }
    }

    #[test]
    fn normalising_keeps_direction_and_leaves_zero_alone() {
        let mut vector = [3.0, -4.0];
        normalise(&mut vector);
        assert_eq!(vector, [0.6, -0.8]);
        let mut zero = [0.0; 4];
        normalise(&mut zero);
        assert_eq!(zero, [0.0; 4]);
    }
}
