//! The limits of what is sent, in one place. `docs/http.md` tells them to users.

/// The body of a request: 8 MiB.
pub use mneme_api::REQUEST_BYTES;

/// The body of an episode as text (for `json` the JSON text), and the texts of its statements
/// together: 256 KiB each, since all that a later stage needs of an episode travels in one event.
pub const EPISODE_BYTES: usize = 256 << 10;
/// A `text` body that is longer is split into parts of [`EPISODE_BYTES`] at the most: 4 MiB.
pub const DOCUMENT_BYTES: usize = 4 << 20;
/// The statements of an episode.
pub const STATEMENTS: usize = 500;
/// A name, a type or an external id.
pub const NAME_BYTES: usize = 512;
/// A sentence or a literal value: 4 KiB.
pub const SENTENCE_BYTES: usize = 4 << 10;
/// The keys of an episode's metadata.
pub const METADATA_KEYS: usize = 64;
/// The keys and values of an episode's metadata as JSON: 16 KiB.
pub const METADATA_BYTES: usize = 16 << 10;
/// The episodes of a batch, and the records of an intake.
pub const BATCH_EPISODES: usize = 1000;
/// The episodes that a split names.
pub const SPLIT_EPISODES: usize = 1000;
/// The relations, and the entity types, of an ontology.
pub const ONTOLOGY_NAMES: usize = 1000;
/// An ontology as JSON: 256 KiB.
pub const ONTOLOGY_BYTES: usize = 256 << 10;
/// The longest wait that a request may ask for: 10 minutes.
pub const WAIT_MILLISECONDS: u64 = 600_000;
