//! What is known of a word in general: its part of speech, where it is a common word at all. The
//! tagger leaves unknown names untagged and takes some verbs after a name for nouns, so it only
//! helps to tell a name from a common word with a capital.

use std::sync::{Arc, LazyLock};

use harper_brill::{BrillTagger, FreqDict, Tagger, UPOS, brill_tagger};

use super::token::Token;

static TAGGER: LazyLock<Arc<BrillTagger<FreqDict>>> = LazyLock::new(brill_tagger);

/// The parts of speech of a sentence; `None` for a word that is not known.
pub(super) fn tags(tokens: &[Token<'_>]) -> Vec<Option<UPOS>> {
    let words: Vec<String> = tokens.iter().map(|token| token.text.to_owned()).collect();
    TAGGER.tag_sentence(&words)
}

/// The part of speech of a word by itself.
pub(super) fn tag(word: &str) -> Option<UPOS> {
    let tags = TAGGER.tag_sentence(&[word.to_owned()]);
    tags.into_iter().next().flatten()
}
