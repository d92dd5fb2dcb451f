//! Rule 3: names that differ in a number name different things, however alike they are: in a
//! group of digits (of any script), in a lone letter at the end, or in a number word at the end.

/// Whether two name keys differ in a number.
pub fn numbers_differ(a: &str, b: &str) -> bool {
    digit_groups(a) != digit_groups(b) || designator(a) != designator(b)
}

/// The groups of digits of a key, in order, written with ASCII digits.
fn digit_groups(key: &str) -> Vec<String> {
    let mut groups = Vec::new();
    let mut group = String::new();
    for c in key.chars() {
        match digit(c) {
            Some(digit) => group.push(digit),
            None => {
                if !group.is_empty() {
                    groups.push(std::mem::take(&mut group));
                }
                if c.is_numeric() {
                    groups.push(c.to_string());
                }
            }
        }
    }
    if !group.is_empty() {
        groups.push(group);
    }
    groups
}

/// The zeros of the scripts that write numbers in tens; nine digits follow each.
const ZEROS: [u32; 22] = [
    0x0030, 0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6,
    0x0d66, 0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x17e0, 0x1810, 0xa9d0, 0xff10,
];

fn digit(c: char) -> Option<char> {
    let code = u32::from(c);
    ZEROS
        .iter()
        .find_map(|zero| code.checked_sub(*zero).filter(|value| *value < 10))
        .and_then(|value| char::from_digit(value, 10))
}

/// What the last word of a name counts with: a lone letter, a Roman numeral or a number word.
/// A name of one word counts nothing.
fn designator(key: &str) -> Option<&str> {
    let (_, last) = key.rsplit_once(' ')?;
    let mut characters = last.chars();
    let is_letter =
        characters.next().is_some_and(char::is_alphabetic) && characters.next().is_none();
    (is_letter || NUMBER_WORDS.contains(&last)).then_some(last)
}

/// Roman numerals above the lone letters, and number words of the languages met most. A word that
/// is missing here only means that rule 3 does not part the pair.
const NUMBER_WORDS: &[&str] = &[
    "ii",
    "iii",
    "iv",
    "vi",
    "vii",
    "viii",
    "ix",
    "xi",
    "xii",
    "xiii",
    "xiv",
    "xv",
    "xvi",
    "xvii",
    "xviii",
    "xix",
    "xx",
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eins",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "un",
    "deux",
    "trois",
    "quatre",
    "cinq",
    "sept",
    "huit",
    "neuf",
    "dix",
    "uno",
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "due",
    "tre",
    "quattro",
    "cinque",
    "sei",
    "sette",
    "otto",
    "nove",
    "dieci",
    "um",
    "dois",
    "três",
    "quatro",
    "sete",
    "oito",
    "dez",
    "один",
    "два",
    "три",
    "четыре",
    "пять",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::name_key;

    fn differ(a: &str, b: &str) -> bool {
        numbers_differ(&name_key(a), &name_key(b))
    }

    #[test]
    fn a_number_makes_another_thing() {
        assert!(differ("SR-2023-052", "SR-2023-053"));
        assert!(differ("Rev A", "Rev B"));
        assert!(differ("iPhone 15", "iPhone 16"));
        assert!(differ("غرفة ١٢", "غرفة ١٣"));
        assert!(differ("Regent IV", "Regent V"));
        assert!(differ("Part Two", "Part Three"));
        assert!(differ("Wing", "Wing C"));
    }

    #[test]
    fn digits_of_any_script_are_one_number() {
        assert!(!differ("غرفة ١٢", "غرفة 12"));
        assert!(!differ("कमरा ७", "कमरा 7"));
    }

    #[test]
    fn a_name_of_one_word_counts_nothing() {
        assert!(!differ("Otto", "Ottilie"));
        assert!(!differ("X", "Y"));
    }
}
