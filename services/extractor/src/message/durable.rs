//! Things that one keeps: animals, vehicles, homes, instruments, relatives that are counted.

use harper_brill::UPOS;

use super::lexicon::words;
use super::phrase::{Line, Phrase};

words! {
    /// Animals that are kept.
    is_animal: "cat cats chicken chickens cow cows dog dogs fish goat goats hamster horse horses
        kitten kittens parrot pets puppies puppy rabbit rabbits snake turtle turtles";

    /// Things that are kept.
    is_thing: "apartment bicycle bike boat bookshop bookstore cabin camper car cars condo cottage
        drum farm flat garden guitar house jeep motorbike motorcycle piano ranch restaurant rv
        sailboat scooter shop store truck van violin yacht";

    /// Relatives, who are counted.
    is_relative: "brother brothers child children daughter daughters grandchildren grandkids kid
        kids siblings sister sisters son sons twins";

    /// Words for one or more.
    is_count: "a an one two three four five six seven eight nine ten";

    /// Words before the noun that make it nothing else.
    is_plain: "big black blue brown golden green grey large little new old older pet red rescue
        second small tiny used vegetable white yellow young younger";
}

/// The object of "have", "buy", "adopt" or "sell".
pub(super) fn object(line: &Line<'_>, at: usize, end: usize, verb: &str) -> Option<Phrase> {
    let is_counted = is_count(line.word(at)) || line.tokens.get(at)?.is_number();
    let is_own = verb == "sell" && matches!(line.word(at), "my" | "our");
    if !is_counted && !is_own {
        return None;
    }
    let mut noun = at + 1;
    while is_plain(line.word(noun)) {
        noun += 1;
    }
    if noun >= end {
        return None;
    }
    let word = line.word(noun);
    let fits = is_animal(word)
        || match verb {
            "adopt" => false,
            "have" => is_thing(word) || is_relative(word),
            _ => is_thing(word),
        };
    // "a dog collar", "a car accident", "a son who …" is told apart by the next word.
    let next = line.tag(noun + 1);
    let goes_on = noun + 1 < end
        && matches!(next, Some(UPOS::NOUN | UPOS::ADJ))
        && !line.tokens[noun + 1].is(&["today", "yesterday", "last", "now"]);
    if !fits || goes_on {
        return None;
    }
    let first = if matches!(line.word(at), "a" | "an" | "my" | "our") {
        at + 1
    } else {
        at
    };
    Some(Phrase { first, last: noun })
}
