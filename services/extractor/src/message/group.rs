//! The group of verbs of a clause: which verb, when, and whether it is denied. What is only
//! possible, wanted or to come is no group, since nothing is stated by it.

use super::lexicon;
use super::token::Token;
use super::verb::{self, Form};

/// When a clause speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    Present,
    Past,
    /// "has worked", "has been working".
    Perfect,
    /// "used to work".
    UsedTo,
}

/// How its verb stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// "works".
    Simple,
    /// "is working".
    Progressive,
    /// "is employed".
    Passive,
    /// "is" and what follows.
    Copula,
}

/// A group of verbs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// The verb in its base form; "be" for a copula.
    pub verb: &'static str,
    pub tense: Tense,
    pub voice: Voice,
    /// "not", "never".
    pub denied: bool,
    /// "no longer", "not … any more".
    pub ended: bool,
    /// The token that carries person and tense.
    pub finite: usize,
    /// The token after the group.
    pub after: usize,
}

/// Reads the group that begins at a token; `None` where no known verb is, or where it is not stated.
pub(super) fn group(tokens: &[Token<'_>], from: usize) -> Option<Group> {
    let mut state = State::default();
    let mut at = from;
    while at < tokens.len() && at < from + 8 {
        let word = tokens[at].word.as_str();
        let next = tokens.get(at + 1).map_or("", |token| token.word.as_str());
        match word {
            "not" | "never" => state.denied = true,
            "no" if next == "longer" => {
                state.ended = true;
                at += 1;
            }
            "formerly" | "previously" => return None,
            "'s" => state.auxiliary(at, is_or_has(tokens, at)),
            "am" | "are" | "is" | "was" | "were" | "been" | "being" | "do" | "does" | "did" => {
                state.auxiliary(at, word)
            }
            "have" | "has" if state.expects_verb(tokens, at + 1) => state.auxiliary(at, word),
            "had" if state.expects_verb(tokens, at + 1) => return None,
            "got" => state.auxiliary(at, "was"),
            "used" if next == "to" => {
                let base = verb::base_of(&tokens.get(at + 2)?.word, Form::Base)?;
                return (!state.denied && state.finite.is_none()).then_some(Group {
                    verb: base,
                    tense: Tense::UsedTo,
                    voice: Voice::Simple,
                    denied: false,
                    ended: state.ended,
                    finite: at,
                    after: at + 3,
                });
            }
            _ if state.has_be() || state.has || state.does => {
                if let Some(group) = state.after_auxiliary(tokens, at) {
                    return Some(group);
                }
                if !lexicon::is_adverb(word) {
                    return state.copula(at);
                }
            }
            _ if verb::readings(word).is_empty() => {
                if !lexicon::is_adverb(word) {
                    return None;
                }
            }
            _ => return state.simple(tokens, at),
        }
        at += 1;
    }
    state.copula(at)
}

/// "'s" after a pronoun or a name: "has" before a participle, else "is".
fn is_or_has(tokens: &[Token<'_>], at: usize) -> &'static str {
    let next = tokens[at + 1..]
        .iter()
        .find(|token| !lexicon::is_adverb(&token.word) && !token.is(&["not", "never"]));
    let is_participle = next.is_some_and(|token| {
        let only_passive =
            token.is(&["based", "born", "employed", "engaged", "married", "retired"]);
        token.word == "been"
            || (!only_passive && verb::base_of(&token.word, Form::Participle).is_some())
    });
    if is_participle { "has" } else { "is" }
}

#[derive(Debug, Default)]
struct State {
    finite: Option<usize>,
    denied: bool,
    ended: bool,
    is: bool,
    was: bool,
    been: bool,
    has: bool,
    does: bool,
    did: bool,
}

impl State {
    fn auxiliary(&mut self, at: usize, word: &str) {
        self.finite.get_or_insert(at);
        match word {
            "am" | "are" | "is" => self.is = true,
            "was" | "were" => self.was = true,
            "been" => self.been = true,
            "have" | "has" => self.has = true,
            "do" | "does" => self.does = true,
            "did" => {
                self.does = true;
                self.did = true;
            }
            _ => {}
        }
    }

    fn has_be(&self) -> bool {
        self.is || self.was || self.been
    }

    /// Whether "have" is an auxiliary here: a participle follows.
    fn expects_verb(&self, tokens: &[Token<'_>], from: usize) -> bool {
        tokens[from.min(tokens.len())..]
            .iter()
            .find(|token| {
                !lexicon::is_adverb(&token.word) && !token.is(&["not", "never", "no", "longer"])
            })
            .is_some_and(|token| {
                token.word == "been"
                    || verb::base_of(&token.word, Form::Participle).is_some()
                    || token.word.ends_with("ed")
            })
    }

    fn group(&self, at: usize, verb: &'static str, tense: Tense, voice: Voice) -> Option<Group> {
        Some(Group {
            verb,
            tense,
            voice,
            denied: self.denied,
            ended: self.ended,
            finite: self.finite.unwrap_or(at),
            after: at + 1,
        })
    }

    fn be_tense(&self) -> Option<Tense> {
        match (self.has, self.been, self.is, self.was) {
            (true, true, false, false) => Some(Tense::Perfect),
            (false, false, true, false) => Some(Tense::Present),
            (false, false, false, true) => Some(Tense::Past),
            _ => None,
        }
    }

    fn after_auxiliary(&self, tokens: &[Token<'_>], at: usize) -> Option<Group> {
        let word = tokens[at].word.as_str();
        if self.has_be() {
            let tense = self.be_tense()?;
            if let Some(verb) = verb::base_of(word, Form::Gerund) {
                return self.group(at, verb, tense, Voice::Progressive);
            }
            let verb = verb::base_of(word, Form::Participle)?;
            return self.group(at, verb, tense, Voice::Passive);
        }
        if self.has {
            let verb = verb::base_of(word, Form::Participle)?;
            return self.group(at, verb, Tense::Perfect, Voice::Simple);
        }
        let verb = verb::base_of(word, Form::Base)?;
        if verb == "use" && tokens.get(at + 1).is_some_and(|token| token.word == "to") {
            return None;
        }
        let tense = if self.did {
            Tense::Past
        } else {
            Tense::Present
        };
        self.group(at, verb, tense, Voice::Simple)
    }

    fn simple(&self, tokens: &[Token<'_>], at: usize) -> Option<Group> {
        // "not" without an auxiliary denies something else.
        if self.denied
            && tokens
                .get(at.wrapping_sub(1))
                .is_some_and(|t| t.word == "not")
        {
            return None;
        }
        let word = tokens[at].word.as_str();
        let present = verb::base_of(word, Form::Base).or_else(|| verb::base_of(word, Form::Third));
        match (verb::base_of(word, Form::Past), present) {
            // "founded" is no form of "find", and "quit" is both: the past is meant more often.
            (Some(verb), _) => self.group(at, verb, Tense::Past, Voice::Simple),
            (None, Some(verb)) => self.group(at, verb, Tense::Present, Voice::Simple),
            (None, None) => None,
        }
    }

    fn copula(&self, at: usize) -> Option<Group> {
        if !self.has_be() || self.does {
            return None;
        }
        let tense = self.be_tense()?;
        let mut group = self.group(at, "be", tense, Voice::Copula)?;
        group.after = at;
        Some(group)
    }
}

#[cfg(test)]
mod tests {
    use super::super::token;
    use super::*;

    fn read(text: &str) -> Option<String> {
        let gap = if text.starts_with('\'') { "" } else { " " };
        let text = format!("She{gap}{text}");
        let tokens = token::tokens(&text, 0, text.len());
        let group = group(&tokens, 1)?;
        let mut shown = format!("{} {:?} {:?}", group.verb, group.tense, group.voice);
        for (flag, name) in [(group.denied, " denied"), (group.ended, " ended")] {
            if flag {
                shown.push_str(name);
            }
        }
        Some(shown)
    }

    #[test]
    fn groups() {
        for (text, expected) in [
            ("work at", "work Present Simple"),
            ("no longer use X", "use Present Simple ended"),
            ("don't like X", "like Present Simple denied"),
            ("have worked at", "work Perfect Simple"),
            ("have been living in", "live Perfect Progressive"),
            ("am working at", "work Present Progressive"),
            ("used to work at", "work UsedTo Simple"),
            ("just moved to", "move Past Simple"),
            ("was born in", "bear Past Passive"),
            ("'s married to", "marry Present Passive"),
            ("'s moved to", "move Perfect Simple"),
            ("is now the manager", "be Present Copula"),
            ("isn't a nurse", "be Present Copula denied"),
            ("have two dogs", "have Present Simple"),
            ("am no longer employed by", "employ Present Passive ended"),
            ("got married to", "marry Past Passive"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_stated() {
        for text in [
            "would live in",
            "might move to",
            "will join",
            "am going to move",
            "want to live in",
            "had worked at",
            "flickers",
            "can use",
            "didn't use to work",
            "tested the cables",
        ] {
            assert!(
                read(text).is_none_or(|shown| shown.starts_with("be ")),
                "{text}: {:?}",
                read(text)
            );
        }
    }
}
