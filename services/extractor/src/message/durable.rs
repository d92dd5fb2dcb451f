//! Things that one keeps: animals, vehicles, homes, instruments, relatives that are counted.

use super::phrase::{Line, Phrase};
use super::predicate::SaidObject;

const ANIMALS: &[&str] = &[
    "cat", "cats", "chicken", "chickens", "cow", "cows", "dog", "dogs", "fish", "goat", "goats",
    "hamster", "horse", "horses", "kitten", "kittens", "parrot", "pets", "puppies", "puppy",
    "rabbit", "rabbits", "snake", "turtle",
];
const THINGS: &[&str] = &[
    "apartment",
    "bicycle",
    "bike",
    "boat",
    "bookstore",
    "bookshop",
    "cabin",
    "camper",
    "car",
    "cars",
    "condo",
    "cottage",
    "drum",
    "farm",
    "flat",
    "garden",
    "guitar",
    "house",
    "jeep",
    "motorbike",
    "motorcycle",
    "piano",
    "ranch",
    "restaurant",
    "rv",
    "sailboat",
    "scooter",
    "shop",
    "store",
    "truck",
    "van",
    "violin",
    "yacht",
];
const RELATIVES: &[&str] = &[
    "brother",
    "brothers",
    "child",
    "children",
    "daughter",
    "daughters",
    "grandchildren",
    "grandkids",
    "kid",
    "kids",
    "siblings",
    "sister",
    "sisters",
    "son",
    "sons",
    "twins",
];
const NUMBERS: &[&str] = &[
    "a", "an", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];
/// What may stand before the noun without making it something else.
const PLAIN: &[&str] = &[
    "big",
    "black",
    "blue",
    "brown",
    "golden",
    "green",
    "grey",
    "large",
    "little",
    "new",
    "old",
    "older",
    "pet",
    "red",
    "rescue",
    "second",
    "small",
    "tiny",
    "white",
    "young",
    "younger",
    "yellow",
    "vegetable",
    "used",
];

/// The object of "have", "buy", "adopt" or "sell".
pub(super) fn object(line: &Line<'_>, at: usize, end: usize, verb: &str) -> Option<SaidObject> {
    let is_counted = NUMBERS.contains(&line.word(at)) || line.tokens.get(at)?.is_number();
    let is_own = verb == "sell" && matches!(line.word(at), "my" | "our");
    if !is_counted && !is_own {
        return None;
    }
    let mut noun = at + 1;
    while PLAIN.contains(&line.word(noun)) {
        noun += 1;
    }
    if noun >= end {
        return None;
    }
    let word = line.word(noun);
    let fits = ANIMALS.contains(&word)
        || match verb {
            "adopt" => false,
            "have" => THINGS.contains(&word) || RELATIVES.contains(&word),
            _ => THINGS.contains(&word),
        };
    // "a dog collar", "a car accident", "a son who …" is told apart by the next word.
    let next = line.tags.get(noun + 1).copied().flatten();
    let goes_on = noun + 1 < end
        && matches!(
            next,
            Some(harper_brill::UPOS::NOUN | harper_brill::UPOS::ADJ)
        )
        && !line.tokens[noun + 1].is(&["today", "yesterday", "last", "now"]);
    if !fits || goes_on {
        return None;
    }
    let first = if matches!(line.word(at), "a" | "an" | "my" | "our") {
        at + 1
    } else {
        at
    };
    Some(SaidObject::Words(Phrase { first, last: noun }))
}
