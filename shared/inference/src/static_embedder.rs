//! An embedder without a network: a text's vector is the sum of its word pieces' rows.
//!
//! Guarantees: the model that ships is part of the binary and is read where it lies; embedding
//! allocates per text and never per word; no text fails.
//!
//! Each row is a word piece as all-MiniLM-L6-v2 (Apache-2.0) sees it alone, in 256 dimensions,
//! weighted by how much the piece says; `tools/distil_embeddings.py` makes the table and
//! documents it. Source of the idea: Model2Vec; weights after Arora, Liang and Ma, "A Simple but
//! Tough-to-Beat Baseline for Sentence Embeddings", 2017.

use std::borrow::Cow;

use crate::model_file::ModelFile;
use crate::word_pieces::WordPieces;
use crate::words::for_each_word;
use crate::{Embedder, EmbeddingModel, InferenceError, normalise};

static SHIPPED: &[u8] = include_bytes!("../assets/static-minilm-256.bin");

/// The default [`Embedder`]: some microseconds a sentence, word order not seen, English first.
pub struct StaticEmbedder {
    model: EmbeddingModel,
    file: ModelFile,
    pieces: WordPieces,
}

impl StaticEmbedder {
    /// The model that ships in the binary. Takes some milliseconds; share the result.
    ///
    /// # Errors
    /// [`InferenceError::BrokenModel`] only if the build embedded a damaged file.
    pub fn shipped() -> Result<Self, InferenceError> {
        Self::from_bytes(SHIPPED)
    }

    /// A model that `tools/distil_embeddings.py` wrote.
    ///
    /// # Errors
    /// [`InferenceError::BrokenModel`] if the bytes aren't such a file, whole.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, InferenceError> {
        let file = ModelFile::parse(bytes.into())?;
        let pieces = WordPieces::index(&file)?;
        let model = EmbeddingModel {
            name: file.name().to_owned(),
            dimension: file.dimension(),
        };
        Ok(Self {
            model,
            file,
            pieces,
        })
    }

    /// Adds the rows of the text's pieces to `total` and returns how many there were.
    ///
    /// The sum isn't normalised, so that the vector of a window of texts is the normalised sum of
    /// their sums, each text counting by what it says, and no text is read twice.
    ///
    /// # Panics
    /// If `total` hasn't the model's dimension.
    pub fn add_sum(&self, text: &str, total: &mut [f32]) -> usize {
        assert_eq!(
            total.len(),
            self.model.dimension,
            "a sum has the model's dimension"
        );
        let mut count = 0;
        for_each_word(text, |word| {
            self.pieces.for_each_row(&self.file, word, |row| {
                self.file.add_row(row, total);
                count += 1;
            });
        });
        count
    }

    /// The normalised vector of one text.
    pub fn embed_one(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.model.dimension];
        self.add_sum(text, &mut vector);
        normalise(&mut vector);
        vector
    }
}

impl Embedder for StaticEmbedder {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, InferenceError> {
        Ok(texts.iter().map(|text| self.embed_one(text)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_file::tests::small_model;

    fn cosine(left: &[f32], right: &[f32]) -> f32 {
        left.iter().zip(right).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn the_shipped_model_says_what_it_is_and_stays_small() {
        let embedder = StaticEmbedder::shipped().unwrap();
        let expected = EmbeddingModel {
            name: "static-minilm-256".into(),
            dimension: 256,
        };
        assert_eq!(embedder.model(), &expected);
        assert!(SHIPPED.len() < 8_000_000);
        assert!(StaticEmbedder::from_bytes(SHIPPED[..SHIPPED.len() - 1].to_vec()).is_err());
    }

    /// From `tools/distil_embeddings.py --golden`, which tokenises and sums by itself.
    #[test]
    fn vectors_are_those_of_the_script_that_made_the_model() {
        let embedder = StaticEmbedder::shipped().unwrap();
        let golden: [(&str, [f32; 8]); 2] = [
            (
                "Melanie said she's painting a café-style sunrise for Zoë's birthday on 7 May 2023!",
                [
                    -0.052967, 0.116489, -0.156258, 0.311433, 0.017947, 0.132211, -0.262427,
                    0.021434,
                ],
            ),
            (
                "我住在北京",
                [
                    0.303195, -0.215592, -0.227436, -0.253086, 0.065739, -0.025817, -0.188446,
                    0.015788,
                ],
            ),
        ];
        for (text, expected) in golden {
            let vector = embedder.embed_one(text);
            for (component, expected) in vector.iter().zip(expected) {
                assert!(
                    (component - expected).abs() < 2e-6,
                    "{text}: {component} {expected}"
                );
            }
        }
    }

    #[test]
    fn vectors_have_length_one_or_are_zero() {
        let embedder = StaticEmbedder::shipped().unwrap();
        let long = "the same words again ".repeat(10_000);
        for text in [
            "a",
            "Ann Lee",
            "…",
            "it is what it is",
            "Привет",
            "東京",
            &long,
        ] {
            let vector = embedder.embed_one(text);
            assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-5, "{text:.20}");
        }
        for text in ["", " \n", "\u{200b}", "🦀"] {
            assert_eq!(embedder.embed_one(text), vec![0.0; 256], "{text:?}");
        }
    }

    #[test]
    fn a_vector_depends_on_its_text_alone() {
        let embedder = StaticEmbedder::shipped().unwrap();
        let texts = [
            "where does she live",
            "",
            "the invoice was paid",
            "where does she live",
        ];
        let vectors = embedder.embed(&texts).unwrap();
        assert_eq!(vectors.len(), texts.len());
        assert_eq!(vectors[0], vectors[3]);
        let again = StaticEmbedder::shipped().unwrap();
        for (text, vector) in texts.iter().zip(&vectors) {
            assert_eq!(&again.embed_one(text), vector);
        }
        assert_eq!(embedder.embed_one("WHERE does  she live"), vectors[0]);
    }

    #[test]
    fn nearer_in_meaning_is_nearer_in_space() {
        let embedder = StaticEmbedder::shipped().unwrap();
        for (text, near, far) in [
            (
                "where does she live",
                "her home is in Porto",
                "the invoice was paid",
            ),
            (
                "the customer cancelled",
                "they ended their subscription",
                "we went hiking",
            ),
            (
                "What pets does Tom have?",
                "I got a new kitten",
                "I got a new laptop",
            ),
            (
                "Ann is a doctor",
                "she works at the hospital",
                "she plays the guitar",
            ),
        ] {
            let [text, near, far] = [text, near, far].map(|text| embedder.embed_one(text));
            let (near, far) = (cosine(&text, &near), cosine(&text, &far));
            assert!(near > far + 0.05, "{near} {far}");
        }
        // Names that differ by one character are near, but never the same.
        let [b, c] = ["Plan B", "Plan C"].map(|text| embedder.embed_one(text));
        assert!((0.5..0.9).contains(&cosine(&b, &c)), "{}", cosine(&b, &c));
    }

    #[test]
    fn a_window_is_the_sum_of_its_texts() {
        let embedder = StaticEmbedder::shipped().unwrap();
        let mut window = vec![0.0; 256];
        let count = embedder.add_sum("Tom got a kitten", &mut window)
            + embedder.add_sum("She is called Luna", &mut window);
        normalise(&mut window);
        assert_eq!(count, 8);
        let whole = embedder.embed_one("Tom got a kitten She is called Luna");
        assert!(cosine(&window, &whole) > 0.999_999);
    }

    #[test]
    fn unknown_words_are_left_out() {
        let model = small_model(&[("a", 1.0, [3, 4]), ("b", 1.0, [1, 0]), ("##c", 1.0, [9, 9])]);
        let embedder = StaticEmbedder::from_bytes(model).unwrap();
        assert_eq!(embedder.embed_one("A z bz"), [0.6, 0.8]);
        let mut sum = [0.0; 2];
        assert_eq!(embedder.add_sum("a, b bc", &mut sum), 4);
        assert_eq!(sum, [14.0, 13.0]);
    }
}
