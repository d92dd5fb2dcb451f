//! A long text becomes several episodes in its order. Together the parts are the text, character by
//! character; a part ends where a paragraph does, failing that a line, a sentence, a word.

use mneme_events::Episode;
use mneme_model::{EpisodeId, InvalidValue};

use super::thread_of;
use crate::limits::EPISODE_BYTES;

/// The field of the metadata that tells a part's place: `"2/5"`.
const PART: &str = "mneme.part";

/// The id of a part, counted from 1.
pub fn part_id(episode: &EpisodeId, number: usize) -> Result<EpisodeId, InvalidValue> {
    EpisodeId::new(format!("{episode}#{number}"))
        .map_err(|_| InvalidValue::new("is too long: the ids of its parts get \"#1\", \"#2\", …"))
}

/// Whether an id is that of a part. Producers' ids never are, so the parts of a text are known by
/// their ids alone.
pub fn is_part(episode: &EpisodeId) -> bool {
    episode
        .as_str()
        .rsplit_once('#')
        .is_some_and(|(_, number)| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// The parts of an episode.
pub fn split(episode: &Episode) -> Result<Vec<Episode>, InvalidValue> {
    let thread = thread_of(episode)?;
    let texts = parts_of(&episode.body, EPISODE_BYTES);
    let count = texts.len();
    let parts = texts.into_iter().zip(1..).map(|(text, number)| {
        let mut metadata = episode.metadata.clone();
        // The count makes a text that grew another one, even where its first parts are the same.
        metadata.insert(PART.to_owned(), format!("\"{number}/{count}\""));
        Ok(Episode {
            episode_id: part_id(&episode.episode_id, number)?,
            thread_id: Some(thread.clone()),
            body: text.to_owned(),
            metadata,
            author: episode.author.clone(),
            facts: episode.facts.clone(),
            source_description: episode.source_description.clone(),
            digest: String::new(),
            ..*episode
        })
    });
    parts.collect()
}

/// Cuts a text into parts of `most` bytes at the most.
fn parts_of(text: &str, most: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while rest.len() > most {
        let (part, after) = rest.split_at(end_of_part(rest, most));
        parts.push(part);
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    parts
}

/// Where the first part of a text that is too long ends. Ends of paragraphs, lines and sentences are
/// only looked for in the part's second half, so that no part is small without need.
fn end_of_part(text: &str, most: usize) -> usize {
    let most = text.floor_char_boundary(most);
    let window = &text[..most];
    let from = text.floor_char_boundary(most / 2);
    let after_last = |mark: &str| {
        let found = window[from..].rfind(mark)?;
        Some(from + found + mark.len())
    };
    after_last("\n\n")
        .or_else(|| after_last("\r\n\r\n"))
        .or_else(|| after_last("\n"))
        .or_else(|| {
            let ends = [". ", "! ", "? ", "。", "！", "？"];
            ends.into_iter().filter_map(after_last).max()
        })
        .or_else(|| {
            let (index, space) = window[from..]
                .char_indices()
                .rfind(|(_, c)| c.is_whitespace())?;
            Some(from + index + space.len_utf8())
        })
        .unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_part_ends_with_a_paragraph() {
        assert_eq!(
            parts_of("one two.\nthree\n\nfour five six.", 18),
            ["one two.\nthree\n\n", "four five six."]
        );
        assert_eq!(
            parts_of("One two. Three four", 12),
            ["One two. ", "Three four"]
        );
        assert_eq!(parts_of("aaaa bbbb cccc", 11), ["aaaa bbbb ", "cccc"]);
        assert_eq!(parts_of("aaaaaaaa", 3), ["aaa", "aaa", "aa"]);
    }

    proptest! {
        #[test]
        fn the_parts_are_the_text(text in "(\\PC|\n){0,300}", most in 4_usize..60) {
            let parts = parts_of(&text, most);
            prop_assert_eq!(parts.concat(), text.clone());
            prop_assert!(parts.iter().all(|part| !part.is_empty() && part.len() <= most));
        }
    }
}
