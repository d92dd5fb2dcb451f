//! Keywords: the words that most sentences of a community share, without those that carry no topic.

use std::collections::{BTreeMap, BTreeSet};

use mneme_model::folded_tokens;

const COMMON: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "been", "but", "by", "can", "did", "do", "does", "for", "from", "had", "has", "have", "he",
    "her", "him", "his", "i", "in", "is", "it", "its", "longer", "me", "more", "my", "no", "not",
    "now", "of", "on", "or", "our", "she", "since", "so", "that", "the", "their", "them", "they",
    "this", "to", "until", "us", "was", "we", "were", "will", "with", "you", "your",
];

/// The words in most sentences, most frequent first, equal ones in order.
pub fn keywords<'s>(sentences: impl Iterator<Item = &'s str>, limit: usize) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for sentence in sentences {
        let words: BTreeSet<String> = folded_tokens(sentence).into_iter().collect();
        for word in words {
            if word.chars().count() > 2 && !COMMON.contains(&word.as_str()) {
                *counts.entry(word).or_default() += 1;
            }
        }
    }
    let mut ranked: Vec<(String, usize)> = counts.into_iter().collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ranked
        .into_iter()
        .take(limit)
        .map(|(word, _)| word)
        .collect()
}
