//! Other names that an episode itself gives: "NYC, i.e. New York City", "Robert (Bob) Smith",
//! "International Business Machines (IBM)", "Castlemoor Rowing Club, also known as the Oars".

use super::name::Name;
use super::phrase::Line;

/// A name and another one for the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alias {
    /// The name, by its place among the names of the sentence.
    pub name: usize,
    /// The name in full, where that is not how it is written ("Robert Smith").
    pub full: Option<String>,
    pub alias: String,
    /// The names of the sentence that are part of it and so no entities by themselves.
    pub parts: Vec<usize>,
}

/// The aliases that a sentence gives.
pub(super) fn aliases(line: &Line<'_>) -> Vec<Alias> {
    let mut aliases = Vec::new();
    for (index, name) in line.names.iter().enumerate() {
        let Some(next) = line.names.get(index + 1) else {
            break;
        };
        let between: Vec<&str> = (name.last + 1..next.first)
            .map(|at| line.word(at))
            .collect();
        match between.as_slice() {
            ["("] if line.word(next.last + 1) == ")" => {
                if let Some(surname) = line
                    .names
                    .get(index + 2)
                    .filter(|n| n.first == next.last + 2)
                {
                    let full = format!("{} {}", name.text, surname.text);
                    aliases.push(Alias {
                        name: index,
                        full: Some(full),
                        alias: format!("{} {}", next.text, surname.text),
                        parts: vec![index, index + 1, index + 2],
                    });
                } else if is_short_for(next, name) {
                    aliases.push(alias(index, next, index + 1));
                }
            }
            [",", "i.e", "."]
            | [",", "i.e", ".", ","]
            | ["(", "i.e", "."]
            | ["i.e", "."]
            | [",", "that", "is", ","]
            | [",", "short", "for"]
            | ["is", "short", "for"]
            | ["(", "short", "for"] => {
                // The longer one is the name.
                aliases.push(alias(index + 1, name, index));
            }
            [",", "a.k.a", "."]
            | ["a.k.a", "."]
            | ["aka"]
            | [",", "aka"]
            | ["(", "aka"]
            | ["also", "known", "as"]
            | [",", "also", "known", "as"]
            | ["(", "also", "known", "as"]
            | ["(", "also", "known", "as", "the"]
            | [",", "also", "known", "as", "the"]
            | [",", "also", "called"]
            | ["also", "called"]
            | [",", "known", "as"]
            | ["goes", "by"]
            | [",", "better", "known", "as"] => {
                aliases.push(alias(index, next, index + 1));
            }
            [",", "called"] | [",", "or"] | ["is", "called"] | ["or"]
                if line.word(next.last + 1) == "for" && line.word(next.last + 2) == "short" =>
            {
                aliases.push(alias(index, next, index + 1));
            }
            _ => {}
        }
    }
    aliases
}

fn alias(name: usize, other: &Name, part: usize) -> Alias {
    Alias {
        name,
        full: None,
        alias: other.text.clone(),
        parts: vec![part],
    }
}

/// Whether a name consists of the first letters of another ("NYC" of "New York City").
fn is_short_for(short: &Name, long: &Name) -> bool {
    let initials: String = long
        .text
        .split([' ', '-'])
        .filter_map(|word| word.chars().next().filter(|c| c.is_uppercase()))
        .collect();
    let letters: String = short.text.chars().filter(|c| c.is_alphanumeric()).collect();
    letters.len() > 1 && letters.to_uppercase() == initials
}
