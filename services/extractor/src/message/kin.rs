//! Relatives, friends and animals: "my sister Marit", "Marit is my sister", "my sister's name is
//! Marit", "a dog named Rex".

use super::name::{Name, name_at};
use super::phrase::Line;

/// A word for a relative, with the relation of that one to the speaker.
struct Kin {
    words: &'static [&'static str],
    relation: &'static str,
    /// Whether the relation goes from the speaker to the one named ("HAS_PET").
    is_owned: bool,
    verb: &'static str,
}

const fn kin(words: &'static [&'static str], relation: &'static str, verb: &'static str) -> Kin {
    Kin {
        words,
        relation,
        is_owned: false,
        verb,
    }
}

const KIN: &[Kin] = &[
    kin(&["sister"], "SISTER_OF", "sister"),
    kin(&["brother"], "BROTHER_OF", "brother"),
    kin(&["sibling", "twin"], "SIBLING_OF", "sibling"),
    kin(&["mother", "mom", "mum"], "PARENT_OF", "mother"),
    kin(&["father", "dad"], "PARENT_OF", "father"),
    kin(&["son"], "CHILD_OF", "son"),
    kin(&["daughter"], "CHILD_OF", "daughter"),
    kin(&["wife"], "MARRIED_TO", "wife"),
    kin(&["husband"], "MARRIED_TO", "husband"),
    kin(&["spouse"], "MARRIED_TO", "spouse"),
    kin(&["partner"], "PARTNER_OF", "partner"),
    kin(&["girlfriend"], "PARTNER_OF", "girlfriend"),
    kin(&["boyfriend"], "PARTNER_OF", "boyfriend"),
    kin(&["fiancé", "fiance"], "ENGAGED_TO", "fiancé"),
    kin(&["fiancée", "fiancee"], "ENGAGED_TO", "fiancée"),
    kin(&["aunt"], "AUNT_OF", "aunt"),
    kin(&["uncle"], "UNCLE_OF", "uncle"),
    kin(&["cousin"], "COUSIN_OF", "cousin"),
    kin(&["niece"], "NIECE_OF", "niece"),
    kin(&["nephew"], "NEPHEW_OF", "nephew"),
    kin(&["grandmother", "grandma"], "GRANDPARENT_OF", "grandmother"),
    kin(&["grandfather", "grandpa"], "GRANDPARENT_OF", "grandfather"),
    kin(&["grandson"], "GRANDCHILD_OF", "grandson"),
    kin(&["granddaughter"], "GRANDCHILD_OF", "granddaughter"),
    kin(&["friend", "buddy"], "FRIEND_OF", "friend"),
    kin(
        &["colleague", "coworker", "co-worker"],
        "COLLEAGUE_OF",
        "colleague",
    ),
    kin(&["neighbour", "neighbor"], "NEIGHBOUR_OF", "neighbour"),
    kin(&["roommate", "flatmate"], "ROOMMATE_OF", "roommate"),
    kin(&["boss", "manager", "supervisor"], "MANAGER_OF", "manager"),
    kin(&["assistant"], "ASSISTANT_OF", "assistant"),
    kin(&["teacher"], "TEACHER_OF", "teacher"),
    kin(&["coach"], "COACH_OF", "coach"),
    kin(&["mentor"], "MENTOR_OF", "mentor"),
    Kin {
        is_owned: true,
        ..kin(
            &[
                "dog", "cat", "puppy", "kitten", "horse", "parrot", "rabbit", "hamster", "pet",
            ],
            "HAS_PET",
            "pet",
        )
    },
];

/// Words before the one for the relative that change nothing.
const PLAIN: &[&str] = &[
    "best", "big", "close", "dear", "eldest", "elder", "good", "little", "middle", "new", "old",
    "older", "oldest", "own", "twin", "younger", "youngest",
];

/// A relation between someone and a named one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KinFact {
    /// Whose relative it is.
    pub owner: Owner,
    pub name: Name,
    pub relation: &'static str,
    /// The word for the relative, as the fact's sentence has it.
    pub word: &'static str,
    /// Whether the owner is the subject of the relation.
    pub is_owned: bool,
    /// The tokens that say so.
    pub first: usize,
    pub last: usize,
}

/// Whose a thing is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    /// "my".
    Speaker,
    /// "your".
    Addressee,
    /// "her", "his".
    Third,
    /// "Ann's".
    Name(Name),
}

/// What a sentence says of relatives. It holds whatever the sentence says else, since the words
/// only tell who is meant.
pub(super) fn kin_facts(line: &Line<'_>) -> Vec<KinFact> {
    (0..line.tokens.len())
        .filter_map(|at| {
            let (owner, after) = owner_at(line, at)?;
            let (kin, noun) = kin_at(line, after)?;
            let (name, last) = named_after(line, noun)
                .or_else(|| named_before(line, at, noun))
                .filter(|(name, _)| !is_owner(&owner, name))?;
            let first = at.min(name.first);
            Some(KinFact {
                owner,
                name: name.clone(),
                relation: kin.relation,
                word: kin.verb,
                is_owned: kin.is_owned,
                first,
                last,
            })
        })
        .collect()
}

/// The first token of "my sister" that ends before a token.
pub(super) fn kin_before(line: &Line<'_>, at: usize) -> Option<usize> {
    (at.saturating_sub(5)..at).find(|&first| {
        owner_at(line, first)
            .and_then(|(_, after)| kin_at(line, after))
            .is_some_and(|(_, noun)| noun + 1 == at)
    })
}

/// The owner whose word or name begins at a token, and the token after it.
pub(super) fn owner_at(line: &Line<'_>, at: usize) -> Option<(Owner, usize)> {
    match line.word(at) {
        "my" => Some((Owner::Speaker, at + 1)),
        "your" => Some((Owner::Addressee, at + 1)),
        "her" | "his" => Some((Owner::Third, at + 1)),
        _ => {
            let name = name_at(&line.names, at)?;
            (line.word(name.last + 1) == "'s").then(|| (Owner::Name(name.clone()), name.last + 2))
        }
    }
}

fn kin_at(line: &Line<'_>, mut at: usize) -> Option<(&'static Kin, usize)> {
    while PLAIN.contains(&line.word(at)) {
        at += 1;
    }
    let word = line.word(at);
    let kin = KIN.iter().find(|kin| kin.words.contains(&word))?;
    Some((kin, at))
}

/// "my sister Marit", "my sister, Marit,", "my sister's name is Marit", "my sister is called Marit".
fn named_after<'l>(line: &'l Line<'_>, noun: usize) -> Option<(&'l Name, usize)> {
    let mut at = noun + 1;
    match line.word(at) {
        "," => {
            let name = name_at(&line.names, at + 1)?;
            let closes = matches!(line.word(name.last + 1), "," | "." | "!" | "");
            return closes.then_some((name, name.last));
        }
        "'s" if line.word(at + 1) == "name" => {
            if line.word(at + 2) != "is" {
                return None;
            }
            at += 3;
        }
        "'s" | "is" => {
            at += 1;
            if matches!(line.word(at), "called" | "named") {
                at += 1;
            }
        }
        "named" | "called" => at += 1,
        _ => {}
    }
    let name = name_at(&line.names, at)?;
    // "my sister Marit's car" names her too; "my friend Google Maps" would not be told apart.
    Some((name, name.last))
}

/// "Marit is my sister", "Marit, my sister,".
fn named_before<'l>(line: &'l Line<'_>, owner: usize, noun: usize) -> Option<(&'l Name, usize)> {
    let before = owner.checked_sub(1)?;
    let last = match line.word(before) {
        "is" | "'s" => before.checked_sub(1)?,
        "," if matches!(line.word(noun + 1), "," | "." | "!" | "") => before.checked_sub(1)?,
        _ => return None,
    };
    let name = line.names.iter().find(|name| name.last == last)?;
    let ends = matches!(
        line.word(noun + 1),
        "," | "." | "!" | "" | "and" | "but" | "who"
    );
    ends.then_some((name, noun))
}

fn is_owner(owner: &Owner, name: &Name) -> bool {
    matches!(owner, Owner::Name(owner) if owner.text == name.text)
}
