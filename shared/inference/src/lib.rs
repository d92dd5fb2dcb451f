//! Turns text into vectors.
//!
//! Guarantees:
//! - the same model and text give the same vector, on every machine and in every release that
//!   keeps the model's name;
//! - every vector that leaves an [`Embedder`] has the model's dimension and length one, or is
//!   zero for a text that the model has nothing to say about;
//! - the default, [`StaticEmbedder::shipped`], needs no file, no network and no accelerator.

mod embedder;
mod error;
mod model_file;
mod static_embedder;
mod word_pieces;
mod words;

pub use embedder::{Embedder, EmbeddingModel, normalise};
pub use error::{InferenceError, Reaction};
pub use static_embedder::StaticEmbedder;
