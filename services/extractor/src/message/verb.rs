//! The verbs that statements are read from, in all their forms.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A form of a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Base,
    Third,
    Past,
    Participle,
    Gerund,
}

/// Base, third person, past, participle, gerund.
const VERBS: &[[&str; 5]] = &[
    ["adopt", "adopts", "adopted", "adopted", "adopting"],
    ["adore", "adores", "adored", "adored", "adoring"],
    ["attend", "attends", "attended", "attended", "attending"],
    ["base", "bases", "based", "based", "basing"],
    ["bear", "bears", "bore", "born", "bearing"],
    ["become", "becomes", "became", "become", "becoming"],
    ["belong", "belongs", "belonged", "belonged", "belonging"],
    ["buy", "buys", "bought", "bought", "buying"],
    [
        "co-found",
        "co-founds",
        "co-founded",
        "co-founded",
        "co-founding",
    ],
    ["date", "dates", "dated", "dated", "dating"],
    ["dislike", "dislikes", "disliked", "disliked", "disliking"],
    ["divorce", "divorces", "divorced", "divorced", "divorcing"],
    ["employ", "employs", "employed", "employed", "employing"],
    ["engage", "engages", "engaged", "engaged", "engaging"],
    ["enjoy", "enjoys", "enjoyed", "enjoyed", "enjoying"],
    ["found", "founds", "founded", "founded", "founding"],
    [
        "graduate",
        "graduates",
        "graduated",
        "graduated",
        "graduating",
    ],
    ["hate", "hates", "hated", "hated", "hating"],
    ["have", "has", "had", "had", "having"],
    ["hire", "hires", "hired", "hired", "hiring"],
    ["join", "joins", "joined", "joined", "joining"],
    ["lead", "leads", "led", "led", "leading"],
    ["leave", "leaves", "left", "left", "leaving"],
    ["like", "likes", "liked", "liked", "liking"],
    ["live", "lives", "lived", "lived", "living"],
    ["love", "loves", "loved", "loved", "loving"],
    ["manage", "manages", "managed", "managed", "managing"],
    ["marry", "marries", "married", "married", "marrying"],
    ["meet", "meets", "met", "met", "meeting"],
    ["move", "moves", "moved", "moved", "moving"],
    ["own", "owns", "owned", "owned", "owning"],
    ["play", "plays", "played", "played", "playing"],
    ["prefer", "prefers", "preferred", "preferred", "preferring"],
    ["promote", "promotes", "promoted", "promoted", "promoting"],
    ["quit", "quits", "quit", "quit", "quitting"],
    [
        "relocate",
        "relocates",
        "relocated",
        "relocated",
        "relocating",
    ],
    ["report", "reports", "reported", "reported", "reporting"],
    ["reside", "resides", "resided", "resided", "residing"],
    ["resign", "resigns", "resigned", "resigned", "resigning"],
    ["retire", "retires", "retired", "retired", "retiring"],
    ["run", "runs", "ran", "run", "running"],
    ["sell", "sells", "sold", "sold", "selling"],
    ["speak", "speaks", "spoke", "spoken", "speaking"],
    ["start", "starts", "started", "started", "starting"],
    ["begin", "begins", "began", "begun", "beginning"],
    ["stop", "stops", "stopped", "stopped", "stopping"],
    ["study", "studies", "studied", "studied", "studying"],
    ["switch", "switches", "switched", "switched", "switching"],
    ["teach", "teaches", "taught", "taught", "teaching"],
    ["use", "uses", "used", "used", "using"],
    ["visit", "visits", "visited", "visited", "visiting"],
    ["work", "works", "worked", "worked", "working"],
];

const FORMS: [Form; 5] = [
    Form::Base,
    Form::Third,
    Form::Past,
    Form::Participle,
    Form::Gerund,
];

static BY_WORD: LazyLock<HashMap<&'static str, Vec<(&'static str, Form)>>> = LazyLock::new(|| {
    let mut by_word: HashMap<_, Vec<_>> = HashMap::new();
    for forms in VERBS {
        for (word, form) in forms.iter().zip(FORMS) {
            by_word.entry(*word).or_default().push((forms[0], form));
        }
    }
    by_word
});

/// The verbs and forms that a word may be: base form and form of each.
pub(super) fn readings(word: &str) -> &'static [(&'static str, Form)] {
    BY_WORD.get(word).map_or(&[], Vec::as_slice)
}

/// The verb of which a word is this form.
pub(super) fn base_of(word: &str, form: Form) -> Option<&'static str> {
    readings(word)
        .iter()
        .find(|(_, known)| *known == form)
        .map(|&(base, _)| base)
}

/// The form that goes with "she", of a verb of the list in its base form.
pub(super) fn third_person(base: &str) -> Option<&'static str> {
    VERBS
        .iter()
        .find(|forms| forms[0] == base)
        .map(|forms| forms[1])
}

/// Words that are verbs in a finite form beyond doubt, which tells a new clause from a list.
pub(super) fn is_auxiliary(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "am", "are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "may",
        "might", "must", "shall", "should", "was", "were", "will", "would",
    ];
    WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_verbs() {
        assert_eq!(base_of("lives", Form::Third), Some("live"));
        assert_eq!(base_of("met", Form::Past), Some("meet"));
        assert_eq!(base_of("quit", Form::Base), Some("quit"));
        assert_eq!(base_of("quit", Form::Past), Some("quit"));
        assert_eq!(base_of("flicker", Form::Base), None);
        assert_eq!(third_person("study"), Some("studies"));
    }
}
