//! What must hold for any evidence: the order of arrival doesn't matter, an erasure leaves the state
//! and the history of a run that never had the episode, a merge that is split again leaves the state
//! from before, and the incremental timeline is the one that the definition gives.

use mneme_model::Interval;
use proptest::prelude::*;

use super::*;

const ONTOLOGY: &str = r#"{"relations":{"ONE":{"cardinality":"one_per_subject"},
    "PER_OBJECT":{"cardinality":"one_per_object"},"PAIR":{"cardinality":"one_to_one"}}}"#;

/// Distinct starts where `distinct`: equal starts are decided by the order in the log.
fn said(distinct: bool) -> impl Strategy<Value = Vec<Said>> {
    let relation = prop_oneof![Just("ONE"), Just("MANY"), Just("PER_OBJECT"), Just("PAIR")];
    let one = (
        relation,
        0u8..3,
        0u8..4,
        0i64..12,
        prop::option::of(1i64..8),
        0u8..5,
    );
    prop::collection::vec(one, 1..12).prop_map(move |all| {
        let mut statements = Vec::new();
        for (index, (relation, subject, object, start, length, form)) in all.into_iter().enumerate()
        {
            let spread = if distinct { index as i64 } else { 0 };
            let start = start * 100 + spread;
            let instant = |units: i64| Instant::from_micros(units * 86_400_000_000).to_string();
            let mut said = holds(
                &format!("e{index}"),
                &format!("s{subject}"),
                relation,
                &format!("o{object}"),
                &instant(start),
            );
            if form == 0 {
                said = said.ended();
            } else if let Some(length) = length {
                said = said.until(&instant(
                    start + length * 100 + if distinct { 50 } else { 0 },
                ));
            }
            statements.push(said);
        }
        statements
    })
}

fn run_of(statements: &[Said]) -> Run {
    let mut run = Run::with(ONTOLOGY);
    for said in statements {
        run.episode(std::slice::from_ref(said));
    }
    run
}

/// The timeline as the design defines it, instant by instant, from all the evidence at once.
fn by_definition(statements: &[Said]) -> Vec<(String, Instant, Option<Instant>)> {
    let name = |said: &Said| format!("{} {} {}", said.subject, said.relation, said.object);
    let keys = |said: &Said| -> Vec<String> {
        let subject = format!("s {} {}", said.relation, said.subject);
        let object = format!("o {} {}", said.relation, said.object);
        match said.relation.as_str() {
            "ONE" => vec![subject],
            "PER_OBJECT" => vec![object],
            "PAIR" => vec![subject, object],
            _ => vec![name(said)],
        }
    };
    let start = |said: &Said| said.valid_at.or(said.invalid_at).unwrap();
    let rank = |index: usize| (start(&statements[index]), index);
    let is_end = |said: &Said| said.polarity == Polarity::Ended;
    let mut bounds: Vec<Instant> = statements
        .iter()
        .flat_map(|said| [Some(start(said)), said.invalid_at])
        .flatten()
        .collect();
    bounds.sort();
    bounds.dedup();
    let wins_in = |key: &str, at: Instant| -> Option<String> {
        let members: Vec<usize> = (0..statements.len())
            .filter(|&i| keys(&statements[i]).iter().any(|k| k == key))
            .collect();
        let covers = |&i: &usize| {
            let said = &statements[i];
            if is_end(said) || start(said) > at {
                return false;
            }
            let stated = said.invalid_at.is_none_or(|end| at < end);
            let said_ended = members.iter().any(|&j| {
                is_end(&statements[j])
                    && name(&statements[j]) == name(said)
                    && rank(j) > rank(i)
                    && start(&statements[j]) <= at
            });
            let cut = members.iter().any(|&j| {
                !is_end(&statements[j])
                    && statements[j].invalid_at.is_none()
                    && name(&statements[j]) != name(said)
                    && rank(j) > rank(i)
                    && start(&statements[j]) <= at
            });
            stated && !said_ended && !cut
        };
        members
            .iter()
            .filter(|i| covers(i))
            .max_by_key(|&&i| rank(i))
            .map(|&i| name(&statements[i]))
    };
    let mut names: Vec<&Said> = statements.iter().collect();
    names.sort_by_key(|said| name(said));
    names.dedup_by_key(|said| name(said));
    let mut lines = Vec::new();
    for said in names {
        let mut open: Option<Instant> = None;
        for &bound in &bounds {
            let holds = keys(said)
                .iter()
                .all(|key| wins_in(key, bound) == Some(name(said)));
            match (open, holds) {
                (None, true) => open = Some(bound),
                (Some(since), false) => {
                    lines.push((name(said), since, Some(bound)));
                    open = None;
                }
                _ => {}
            }
        }
        lines.extend(open.map(|since| (name(said), since, None)));
    }
    lines.sort();
    lines
}

fn sorted(run: &Run) -> Vec<(String, Instant, Option<Instant>)> {
    let mut believed = run.believed();
    believed.sort();
    believed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_timeline_is_the_one_that_the_definition_gives(statements in said(false)) {
        prop_assert_eq!(sorted(&run_of(&statements)), by_definition(&statements));
    }

    #[test]
    fn any_order_gives_the_same_timeline(
        (statements, shuffled) in said(true).prop_flat_map(|all| {
            (Just(all.clone()), Just(all).prop_shuffle())
        }),
    ) {
        prop_assert_eq!(sorted(&run_of(&statements)), sorted(&run_of(&shuffled)));
    }

    #[test]
    fn an_erasure_leaves_what_a_run_without_it_leaves(
        statements in said(false), which in any::<prop::sample::Index>(),
    ) {
        let gone = which.index(statements.len());
        let mut erased = run_of(&statements);
        erased.erase(&format!("e{gone}"));
        let mut without = Run::with(ONTOLOGY);
        for (index, said) in statements.iter().enumerate() {
            if index == gone {
                without.header();
            } else {
                without.episode(std::slice::from_ref(said));
            }
        }
        prop_assert_eq!(erased.history(), without.history());
        let later = holds("later", "s0", "ONE", "o1", "2001-06-01");
        erased.episode(std::slice::from_ref(&later));
        without.header();
        without.episode(std::slice::from_ref(&later));
        prop_assert_eq!(erased.history(), without.history());
    }

    #[test]
    fn a_merge_that_is_split_again_leaves_the_timeline_from_before(
        statements in said(false), from in 0u8..4, into in 0u8..4, seen in 0u8..3,
    ) {
        let mut run = run_of(&statements);
        let before = sorted(&run);
        let renamed = |said: &Said| {
            let mut said = said.clone();
            if said.object == format!("o{from}") { said.object = format!("o{into}"); }
            if said.subject == format!("s{seen}") { said.subject = format!("o{into}"); }
            said
        };
        let merged: Vec<(usize, Said)> = statements.iter().map(|said| (0, renamed(said))).collect();
        run.resolve_anew(&merged);
        let as_if: Vec<Said> = statements.iter().map(renamed).collect();
        let self_edges = as_if.iter().any(|said| said.subject == said.object);
        if !self_edges {
            prop_assert_eq!(sorted(&run), by_definition(&as_if));
        }
        let split: Vec<(usize, Said)> = statements.iter().map(|said| (0, said.clone())).collect();
        run.resolve_anew(&split);
        prop_assert_eq!(sorted(&run), before);
    }

    #[test]
    fn windows_cover_what_several_changes_of_one_episode_touch(statements in said(true)) {
        let mut together = Run::with(ONTOLOGY);
        let one: Vec<Said> = statements
            .iter()
            .cloned()
            .map(|mut said| { said.episode = "all".to_owned(); said })
            .collect();
        together.episode(&one);
        prop_assert_eq!(sorted(&together), sorted(&run_of(&statements)));
        for (_, start, end) in together.believed() {
            prop_assert!(!Interval::new(start, end).is_empty());
        }
    }
}
