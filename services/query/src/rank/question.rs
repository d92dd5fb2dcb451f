//! What is read off the words of a query, once: which of them carry meaning, whether it asks when,
//! which names it may hold.

use std::collections::HashSet;

use mneme_model::{NameKey, folded_tokens};

/// English words that carry no topic. They are left out of lexical queries, where the rarity of
/// "did" or "what" in chats would else outweigh the topic (measured on LoCoMo: one point of recall
/// at 10). A query of nothing else is kept whole.
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "after", "again", "against", "all", "also", "am", "an", "and", "any", "are",
    "as", "at", "be", "because", "been", "before", "being", "between", "both", "but", "by", "can",
    "could", "did", "do", "does", "doing", "during", "each", "for", "from", "had", "has", "have",
    "having", "he", "her", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its",
    "just", "many", "may", "me", "might", "mine", "much", "must", "my", "no", "not", "of", "off",
    "on", "once", "or", "our", "ours", "out", "over", "shall", "she", "should", "so", "such",
    "than", "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this",
    "those", "through", "to", "too", "under", "until", "up", "us", "very", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will", "with",
    "would", "you", "your", "yours",
];

/// Nouns that make "what …", "which …" and "how many …" ask for a time.
const TIME_NOUNS: &[&str] = &[
    "date", "day", "days", "month", "months", "week", "weeks", "year", "years", "time", "hour",
    "hours",
];

/// Words that ask for a time in other languages and can be nothing else there.
const WHEN_WORDS: &[&str] = &[
    "when",
    "wann",
    "quand",
    "cuándo",
    "quando",
    "wanneer",
    "kiedy",
    "когда",
    "什么时候",
    "何时",
    "いつ",
    "언제",
];

/// The most words that a lexical query keeps: what comes after adds cost and no meaning.
const MAX_WORDS: usize = 128;
/// The most words of a name that is looked up.
const MAX_NAME_WORDS: usize = 5;
/// The most names that are looked up.
const MAX_NAMES: usize = 48;

/// A query, read.
#[derive(Debug, Clone)]
pub struct Question {
    text: String,
    words: Vec<String>,
    asks_when: bool,
}

impl Question {
    /// Reads a query.
    pub fn read(text: &str) -> Self {
        let words = folded_tokens(text);
        let asks_when = asks_when(&words);
        Self {
            text: text.trim().to_owned(),
            words,
            asks_when,
        }
    }

    /// The query as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it asks for a time.
    pub fn asks_when(&self) -> bool {
        self.asks_when
    }

    /// The text of the lexical query: each word that carries meaning, once, as written.
    pub fn lexical(&self) -> String {
        let mut seen = HashSet::new();
        let mut kept = Vec::new();
        for word in self.text.split_whitespace() {
            let folded = folded_tokens(word).join(" ");
            if !folded.is_empty() && !is_function_word(&folded) && seen.insert(folded) {
                kept.push(word);
            }
            if kept.len() == MAX_WORDS {
                break;
            }
        }
        if kept.is_empty() {
            let words = self.text.split_whitespace().take(MAX_WORDS);
            kept = words.collect();
        }
        kept.join(" ")
    }

    /// The keys of all names that it may hold, longest first: the whole query, and runs of words
    /// that neither begin nor end with a function word.
    pub fn names(&self) -> Vec<NameKey> {
        let written: Vec<&str> = self.text.split_whitespace().take(MAX_WORDS).collect();
        let mut keys = Vec::new();
        let mut seen = HashSet::new();
        let mut push = |name: &str| {
            let key = NameKey::of(trim_possessive(trim_marks(name)));
            if !key.as_str().is_empty() && keys.len() < MAX_NAMES && seen.insert(key.clone()) {
                keys.push(key);
            }
        };
        push(&self.text);
        let is_bare = |word: &str| is_function_word(&folded_tokens(word).join(" "));
        for length in (1..=MAX_NAME_WORDS.min(written.len())).rev() {
            for run in written.windows(length) {
                if !is_bare(run[0]) && !is_bare(run[length - 1]) {
                    push(&run.join(" "));
                }
            }
        }
        keys
    }

    /// The one of the known people that it names: by the whole name, or by a first name that only
    /// one of them has. `None` when it names none or several.
    pub fn names_one_of<'p>(&self, people: &[&'p str]) -> Option<&'p str> {
        let tokens: Vec<(&'p str, Vec<String>)> = people
            .iter()
            .map(|person| (*person, folded_tokens(person)))
            .filter(|(_, tokens)| !tokens.is_empty())
            .collect();
        let first_name_fits = |person: &str, first: &String| {
            let has_it = |(_, tokens): &&(&str, Vec<String>)| tokens.first() == Some(first);
            self.holds(std::slice::from_ref(first))
                && tokens
                    .iter()
                    .filter(has_it)
                    .all(|(other, _)| *other == person)
        };
        let mut named = tokens
            .iter()
            .filter(|(person, tokens)| self.holds(tokens) || first_name_fits(person, &tokens[0]));
        match (named.next(), named.next()) {
            (Some((person, _)), None) => Some(person),
            _ => None,
        }
    }

    /// Whether the words stand in the query one after the other; "Ann's" holds "Ann".
    fn holds(&self, words: &[String]) -> bool {
        let is_same = |(written, word): (&String, &String)| {
            written == word || written.strip_suffix('s').is_some_and(|stem| stem == word)
        };
        self.words
            .windows(words.len())
            .any(|run| run.iter().zip(words).all(is_same))
    }
}

fn is_function_word(folded: &str) -> bool {
    FUNCTION_WORDS.binary_search(&folded).is_ok()
}

fn asks_when(words: &[String]) -> bool {
    let word = |index: usize| words.get(index).map(String::as_str).unwrap_or_default();
    (0..words.len()).any(|index| match word(index) {
        "what" | "which" => TIME_NOUNS.contains(&word(index + 1)),
        "how" => match word(index + 1) {
            "long" => true,
            "many" => TIME_NOUNS.contains(&word(index + 2)),
            _ => false,
        },
        "since" | "until" => matches!(word(index + 1), "what" | "when"),
        other => WHEN_WORDS.contains(&other),
    })
}

/// The name without the marks around it.
fn trim_marks(name: &str) -> &str {
    name.trim_matches(|c: char| {
        matches!(
            c,
            '?' | '!' | ';' | ':' | '"' | '“' | '”' | '(' | ')' | '？' | '！' | '«' | '»'
        )
    })
}

/// "Ann's" is "Ann".
fn trim_possessive(name: &str) -> &str {
    let trimmed = name.strip_suffix("'s").or_else(|| name.strip_suffix("’s"));
    trimmed.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_for_the_search_in_it() {
        assert!(FUNCTION_WORDS.is_sorted());
    }

    #[test]
    fn words_without_a_topic_are_left_out_unless_there_is_nothing_else() {
        let lexical = |text: &str| Question::read(text).lexical();
        assert_eq!(
            lexical("Where did Ann paint the mural?"),
            "Ann paint mural?"
        );
        assert_eq!(lexical("to be or not to be"), "to be or not to be");
        assert_eq!(lexical("old old ketch Ketch"), "old ketch");
        assert_eq!(lexical("?!"), "?!");
        assert_eq!(lexical("  "), "");
    }

    #[test]
    fn what_asks_when() {
        for text in [
            "When did she leave?",
            "what year was it",
            "which month did they meet",
            "how long has Ann lived there",
            "how many weeks did it take",
            "Wann kam er an",
        ] {
            assert!(Question::read(text).asks_when(), "{text}");
        }
        for text in ["what did she buy", "how many dogs has he", "which dog", ""] {
            assert!(!Question::read(text).asks_when(), "{text}");
        }
    }

    #[test]
    fn names_are_runs_of_words_longest_first() {
        let names = Question::read("who manages Bank of Norway's office?").names();
        let names: Vec<&str> = names.iter().map(NameKey::as_str).collect();
        assert!(names.contains(&"bank of norway"));
        assert!(names.contains(&"office"));
        assert!(!names.contains(&"who"));
        assert!(!names.contains(&"of"));
        let place = |name| names.iter().position(|other| *other == name).unwrap();
        assert!(place("bank of norway") < place("bank"));
        assert!(Question::read(&"word ".repeat(10_000)).names().len() <= MAX_NAMES);
    }

    #[test]
    fn the_one_known_person() {
        let people = ["Ann Lee", "Bob Stone", "Bob Marsh"];
        let named = |text: &str| Question::read(text).names_one_of(&people);
        assert_eq!(named("where does Ann live"), Some("Ann Lee"));
        assert_eq!(named("what is ann lee's job"), Some("Ann Lee"));
        assert_eq!(named("where does Bob live"), None);
        assert_eq!(named("where does Bob Marsh live"), Some("Bob Marsh"));
        assert_eq!(named("did Ann meet Bob Marsh"), None);
        assert_eq!(named("where do they live"), None);
    }
}
