//! What text stands for a document in the index of words.

use serde_json::Value;

use super::analysis::{Says, for_each_word};
use crate::embedded::documents::Wording;
use crate::{CommunityRow, EpisodeRow, FactVersionRow};
use mneme_model::Source;

pub(super) struct TextWording;

impl Wording for TextWording {
    /// The words, one a line.
    type Content = String;

    const SUMMARIES: bool = true;

    /// Its text, its author's name, and the day that it was said in words ("8 May 2023"), since that
    /// is what is asked for. Of a `json` episode the keys and values, of `facts` the sentences.
    fn episode(&self, row: &EpisodeRow) -> String {
        let episode = &row.episode;
        let mut text = String::with_capacity(episode.body.len() + 64);
        if let Some(author) = &episode.author {
            push(&mut text, &author.name);
        }
        match episode.source {
            Source::Json => match serde_json::from_str(&episode.body) {
                Ok(value) => push_json(&mut text, &value),
                Err(_) => push(&mut text, &episode.body),
            },
            _ => push(&mut text, &episode.body),
        }
        if episode.source == Source::Facts {
            for fact in &episode.facts {
                push(&mut text, &fact.fact);
            }
        }
        let day = episode.reference_time.civil().strftime("%-d %B %Y");
        push(&mut text, &day.to_string());
        text
    }

    /// Its sentence, and subject, relation and object where the sentence does not have them.
    fn fact(&self, row: &FactVersionRow) -> String {
        let mut text = row.fact.clone();
        let sentence = row.fact.to_lowercase();
        let relation = row.relation.replace('_', " ");
        for part in [&row.subject.name, relation.as_str(), row.object.text()] {
            if !sentence.contains(&part.to_lowercase()) {
                push(&mut text, part);
            }
        }
        text
    }

    fn entity(&self, name: &str, aliases: &[String], summary: Option<&str>) -> String {
        let mut text = name.to_owned();
        for alias in aliases {
            push(&mut text, alias);
        }
        push(&mut text, summary.unwrap_or_default());
        text
    }

    fn community(&self, row: &CommunityRow) -> String {
        let mut text = row.name.clone();
        for keyword in &row.keywords {
            push(&mut text, keyword);
        }
        push(&mut text, &row.summary);
        text
    }

    fn content(&self, text: String) -> (String, u32) {
        let mut words = String::with_capacity(text.len());
        let mut length = 0;
        for_each_word(&text, |word, says| {
            words.push_str(word);
            words.push('\n');
            length += u32::from(says == Says::Something);
        });
        (words, length)
    }
}

fn push(text: &mut String, part: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(part);
}

fn push_json(text: &mut String, value: &Value) {
    match value {
        Value::Null => {}
        Value::Bool(value) => push(text, if *value { "true" } else { "false" }),
        Value::Number(number) => push(text, &number.to_string()),
        Value::String(value) => push(text, value),
        Value::Array(items) => items.iter().for_each(|item| push_json(text, item)),
        Value::Object(fields) => {
            for (key, value) in fields {
                push(text, key);
                push_json(text, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_its_keys_and_values() {
        let value = serde_json::json!({"deal": {"owner": "Ann", "won": true, "sum": 1.5}, "tags": ["a", null]});
        let mut text = String::new();
        push_json(&mut text, &value);
        assert_eq!(text, "deal\nowner\nAnn\nwon\ntrue\nsum\n1.5\ntags\na");
    }

    #[test]
    fn content_is_the_words_with_repeats() {
        let (words, length) = TextWording.content("Tea, and tea".into());
        assert_eq!((words.as_str(), length), ("tea\nand\ntea\n", 2));
    }
}
