//! What a stage may ask of a model. Equal requests have equal digests, so that an answer once given
//! is found again and never paid for twice.

use std::collections::HashMap;

/// What kind of question it is; each kind has its own port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InferenceKind {
    /// Read mentions and statements from an episode.
    Extract,
    /// Give vectors for texts.
    Embed,
    /// Judge a pair: same, replaces, unrelated.
    Judge,
}

/// One question to a model.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Inference {
    /// What kind of question it is.
    pub kind: InferenceKind,
    /// The version of the prompt or recipe that the request was made with.
    pub version: String,
    /// The request as JSON.
    pub request: String,
}

impl Inference {
    /// The digest that the answer is recorded under: 32 hexadecimal digits.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in [kind_name(self.kind), &self.version, &self.request] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }
}

fn kind_name(kind: InferenceKind) -> &'static str {
    match kind {
        InferenceKind::Extract => "extract",
        InferenceKind::Embed => "embed",
        InferenceKind::Judge => "judge",
    }
}

/// The answers that the rounds of one input have gathered, by digest of the request. An answer is
/// bytes as the model gave them, or the reason why it gives none for good.
#[derive(Debug, Clone, Default)]
pub struct Answers(HashMap<String, Result<Vec<u8>, String>>);

impl Answers {
    /// The answer to a request, if one was gathered.
    pub fn get(&self, inference: &Inference) -> Option<&Result<Vec<u8>, String>> {
        self.0.get(&inference.digest())
    }

    /// Adds an answer.
    pub fn insert(&mut self, digest: String, answer: Result<Vec<u8>, String>) {
        self.0.insert(digest, answer);
    }
}
