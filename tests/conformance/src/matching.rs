//! Pairs what is wanted with what is there, one to one where counts matter. A wildcard or an alias
//! may fit several, so the pairing is a maximum matching: it never fails for a poor first choice.

/// For each thing wanted the thing there that it is paired with, as many as can be.
pub(crate) fn pair(
    wanted: usize,
    there: usize,
    fits: impl Fn(usize, usize) -> bool,
) -> Vec<Option<usize>> {
    let mut owner: Vec<Option<usize>> = vec![None; there];
    for index in 0..wanted {
        let mut tried = vec![false; there];
        claim(index, &fits, &mut owner, &mut tried);
    }
    let mut pairs = vec![None; wanted];
    for (had, owner) in owner.iter().enumerate() {
        if let Some(index) = owner {
            pairs[*index] = Some(had);
        }
    }
    pairs
}

/// Finds a thing for `index`, moving others to their other choices where needed.
fn claim(
    index: usize,
    fits: &impl Fn(usize, usize) -> bool,
    owner: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for had in 0..owner.len() {
        if tried[had] || !fits(index, had) {
            continue;
        }
        tried[had] = true;
        let free = match owner[had] {
            None => true,
            Some(other) => claim(other, fits, owner, tried),
        };
        if free {
            owner[had] = Some(index);
            return true;
        }
    }
    false
}

/// The things wanted that are missing: one wanted n times needs n that fit, while different ones
/// may be met by the same.
pub(crate) fn missing<T: PartialEq>(
    wanted: &[T],
    there: usize,
    fits: impl Fn(&T, usize) -> bool,
) -> Vec<&T> {
    let mut missing = Vec::new();
    for (index, one) in wanted.iter().enumerate() {
        let nth = 1 + wanted[..index].iter().filter(|other| *other == one).count();
        if (0..there).filter(|&had| fits(one, had)).count() < nth {
            missing.push(one);
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_gives_way() {
        // The first fits both, the second only the first thing there.
        let pairs = pair(2, 2, |wanted, had| wanted == 0 || had == 0);
        assert_eq!(pairs, [Some(1), Some(0)]);
        assert_eq!(pair(2, 1, |_, _| true).iter().flatten().count(), 1);
    }

    #[test]
    fn twice_wanted_must_be_there_twice() {
        let there = ["ab", "b"];
        let fits = |text: &&str, had: usize| there[had].contains(*text);
        assert!(missing(&["a", "b", "b"], 2, fits).is_empty());
        assert_eq!(missing(&["a", "a"], 2, fits), [&"a"]);
    }

    proptest::proptest! {
        #[test]
        fn what_is_shuffled_pairs_wholly(count in 0usize..8, turn in 0usize..8) {
            let pairs = pair(count, count, |wanted, had| (wanted + turn) % count == had);
            assert!(pairs.iter().all(Option::is_some));
        }
    }
}
