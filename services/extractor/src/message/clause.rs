//! Clauses: who, and which group of verbs. A clause that depends on a condition, on what somebody
//! said or on another clause states nothing.

use harper_brill::UPOS;

use super::group::{Group, group};
use super::lexicon;
use super::name::{Name, name_at};
use super::phrase::Line;
use super::verb;

/// The subject of a clause as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    /// "I".
    Speaker,
    /// "you".
    Addressee,
    /// "she", "he".
    Third,
    /// A name.
    Name(Name),
}

/// A clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    /// The first token, which may be before the subject ("last year I moved").
    pub begin: usize,
    pub subject: Subject,
    /// The token after the subject.
    pub predicate: usize,
    pub group: Group,
    /// The token after the last.
    pub end: usize,
}

/// The clauses of a sentence that state something.
pub(super) fn clauses(line: &Line<'_>) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    let mut begin = 0;
    let mut at = 0;
    while at < line.tokens.len() {
        if lexicon::is_hedge(line.word(at)) || opens_quotation(line, at) {
            // What follows in this sentence is supposed, said or asked.
            return clauses;
        }
        let Some((subject, after)) = subject_at(line, begin, at) else {
            if ends_clause(line, at) {
                begin = at + 1;
            }
            at += 1;
            continue;
        };
        let Some(mut group) = group(&line.tokens, after) else {
            at = after;
            continue;
        };
        let end = end_of_clause(line, group.after);
        if group.denied && says_any_more(line, group.after, end) {
            group.denied = false;
            group.ended = true;
        }
        let is_dependent = depends(line, begin, at);
        let is_hedged = (group.after..end).any(|at| lexicon::is_hedge(line.word(at)));
        if !is_dependent && !is_hedged {
            let clause = Clause {
                begin,
                subject: subject.clone(),
                predicate: after,
                group,
                end,
            };
            let next = further_groups(line, &clause);
            clauses.push(clause);
            clauses.extend(next);
        }
        begin = end;
        at = end.max(after);
    }
    clauses
}

/// "not … any more".
fn says_any_more(line: &Line<'_>, from: usize, end: usize) -> bool {
    (from..end).any(|at| {
        line.word(at) == "anymore"
            || (line.word(at) == "any" && matches!(line.word(at + 1), "more" | "longer"))
    })
}

/// "… and report to Ann": further groups of verbs of the same subject.
fn further_groups(line: &Line<'_>, clause: &Clause) -> Vec<Clause> {
    let mut further = Vec::new();
    let mut end = clause.end;
    while matches!(line.word(end), "and" | "but")
        && goes_on(line, clause.group.after, end)
        && let Some(group) = group(&line.tokens, end + 1)
    {
        let begin = end + 1;
        end = end_of_clause(line, group.after);
        if (group.after..end).any(|at| lexicon::is_hedge(line.word(at))) {
            break;
        }
        further.push(Clause {
            begin,
            subject: clause.subject.clone(),
            predicate: begin,
            group,
            end,
        });
    }
    further
}

/// Whether what follows an "and" still has the subject of the clause before it: no other verb stands
/// between.
fn goes_on(line: &Line<'_>, from: usize, end: usize) -> bool {
    !(from..end).any(|at| {
        let word = line.word(at);
        let is_infinitive = word == "to"
            && (verb::base_of(line.word(at + 1), verb::Form::Base).is_some()
                || line.tag(at + 1) == Some(UPOS::VERB));
        verb::is_auxiliary(word) || is_pronoun(word) || is_infinitive || word == "going"
    })
}

/// The subject that stands at a token, and the token after it.
fn subject_at(line: &Line<'_>, begin: usize, at: usize) -> Option<(Subject, usize)> {
    let token = &line.tokens[at];
    match token.word.as_str() {
        "i" if token.text == "I" || token.text == "i" => Some((Subject::Speaker, at + 1)),
        "you" if is_free(line, begin, at) => Some((Subject::Addressee, at + 1)),
        "she" | "he" if is_free(line, begin, at) => Some((Subject::Third, at + 1)),
        _ => {
            let name = name_at(&line.names, at).filter(|_| is_free(line, begin, at))?;
            Some((Subject::Name(name.clone()), name.last + 1))
        }
    }
}

/// Whether what stands between the begin of a clause and its subject leaves the subject free: words
/// of time, interjections, "my sister" before a name.
fn is_free(line: &Line<'_>, begin: usize, at: usize) -> bool {
    if begin == at {
        return true;
    }
    let before = line.word(at - 1);
    if matches!(
        before,
        "," | "and" | "but" | "so" | "because" | "though" | "although" | ":"
    ) {
        return true;
    }
    if super::kin::kin_before(line, at)
        .is_some_and(|first| first == begin || is_free(line, begin, first))
    {
        return true;
    }
    let mut between = begin..at;
    between.all(|at| {
        let word = line.word(at);
        lexicon::is_adverb(word) || lexicon::is_interjection(word) || matches!(word, "," | "today")
    })
}

/// Whether the clause hangs on a word before its subject.
fn depends(line: &Line<'_>, begin: usize, at: usize) -> bool {
    at > 0 && at > begin && lexicon::is_dependent(line.word(at - 1))
        || begin > 0 && at == begin && lexicon::is_dependent(line.word(begin - 1))
        || (begin..at).any(|at| matches!(line.word(at), "when" | "whenever" | "while" | "once"))
        || is_relative(line, begin, at)
}

/// "the things I love", "a movie I enjoy": a noun right before the subject is what it is about.
fn is_relative(line: &Line<'_>, begin: usize, at: usize) -> bool {
    if at <= begin {
        return false;
    }
    let before = line.word(at - 1);
    let is_noun = matches!(
        line.tag(at - 1),
        Some(UPOS::NOUN | UPOS::PROPN | UPOS::PRON)
    );
    is_noun
        && line.tokens[at - 1].is_word()
        && !lexicon::is_time_word(before)
        && !lexicon::is_interjection(before)
        && !lexicon::is_adverb(before)
        && !line.tokens[at - 1].is_number()
        && super::kin::kin_before(line, at).is_none()
}

fn opens_quotation(line: &Line<'_>, at: usize) -> bool {
    matches!(line.tokens[at].text, "\"" | "“" | "«")
}

fn ends_clause(line: &Line<'_>, at: usize) -> bool {
    matches!(
        line.word(at),
        ";" | ":" | "—" | "–" | "-" | "." | "!" | "…" | "(" | ")"
    ) || (matches!(
        line.word(at),
        "and" | "but" | "because" | "so" | "though" | "although"
    ))
}

/// The first token that is not of the clause any more.
pub(super) fn end_of_clause(line: &Line<'_>, from: usize) -> usize {
    for at in from..line.tokens.len() {
        match line.word(at) {
            ";" | ":" | "—" | "–" | "-" | "…" | "(" | ")" | "!" | "?" | "but" | "because"
            | "so" | "which" | "who" | "whom" | "whose" | "where" | "although" | "though"
            | "while" | "when" | "whereas" => return at,
            "." if !line
                .names
                .iter()
                .any(|name| name.first <= at && at < name.last) =>
            {
                return at;
            }
            "and" | "or" | "," if begins_clause(line, at + 1) => return at,
            "since" | "as" if is_pronoun(line.word(at + 1)) => return at,
            _ => {}
        }
    }
    line.tokens.len()
}

/// Whether a clause of its own begins here, so that the "and" before it joins clauses, not things.
fn begins_clause(line: &Line<'_>, from: usize) -> bool {
    let from = if matches!(line.word(from), "and" | "but" | "so" | "then") {
        from + 1
    } else {
        from
    };
    if is_pronoun(line.word(from)) {
        return true;
    }
    let first = line.skip_adverbs(from);
    let is_verb = |at: usize| {
        verb::is_auxiliary(line.word(at))
            || verb::readings(line.word(at))
                .iter()
                .any(|(_, form)| *form != verb::Form::Gerund)
                && line.tokens.get(at).is_some_and(|token| !token.is_capital())
    };
    if is_verb(first) && line.word(from) != "," {
        return true;
    }
    for at in from..line.tokens.len().min(from + 6) {
        match line.word(at) {
            "and" | "or" | "," | ";" | "." | "!" | "which" | "who" | "because" => return false,
            _ if is_verb(at) => return true,
            _ => {}
        }
    }
    false
}

fn is_pronoun(word: &str) -> bool {
    matches!(
        word,
        "i" | "you" | "he" | "she" | "it" | "we" | "they" | "there" | "this" | "that" | "who"
    )
}
