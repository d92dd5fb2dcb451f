//! Single situations that the design names.

use super::*;

const WORKS: &str = r#"{"relations":{"WORKS_AT":{"cardinality":"one_per_subject"},
    "LOCKER":{"cardinality":"one_to_one"},"PARENT_OF":{},"CHILD_OF":{"inverse_of":"PARENT_OF"},
    "KNOWS":{"symmetric":true},
    "MARRIED_TO":{"symmetric":true,"cardinality":"one_to_one"}}}"#;

fn line(what: &str, start: &str, end: Option<&str>) -> (String, Instant, Option<Instant>) {
    (what.to_owned(), at(start), end.map(at))
}

#[test]
fn a_change_ends_the_earlier_fact_and_the_old_belief_stays_in_system_time() {
    let mut run = Run::with(WORKS);
    run.episode(&[holds("e1", "Ann", "WORKS_AT", "Acme", "2019")]);
    run.episode(&[holds("e2", "Ann", "WORKS_AT", "Bolt", "2021")]);
    assert_eq!(
        run.believed(),
        [
            line("Ann WORKS_AT Acme", "2019", Some("2021")),
            line("Ann WORKS_AT Bolt", "2021", None)
        ]
    );
    let expired: Vec<_> = run
        .versions()
        .into_iter()
        .filter(|version| version.created.expired_at.is_some())
        .map(|version| (version.interval().end, version.created.expired_at))
        .collect();
    assert_eq!(expired, [(None, Some(Instant::from_micros(3_000_000)))]);
}

#[test]
fn a_closed_period_interrupts_and_the_earlier_one_resumes() {
    let mut run = Run::with(WORKS);
    run.episode(&[holds("e1", "Ann", "WORKS_AT", "Acme", "2010")]);
    run.episode(&[holds("e2", "Ann", "WORKS_AT", "Bolt", "2013").until("2014")]);
    assert_eq!(
        run.believed(),
        [
            line("Ann WORKS_AT Acme", "2010", Some("2013")),
            line("Ann WORKS_AT Acme", "2014", None),
            line("Ann WORKS_AT Bolt", "2013", Some("2014")),
        ]
    );
}

#[test]
fn leaving_the_second_employer_does_not_bring_back_the_first() {
    let mut run = Run::with(WORKS);
    run.episode(&[holds("e3", "Ann", "WORKS_AT", "Bolt", "2024").ended()]);
    run.episode(&[holds("e2", "Ann", "WORKS_AT", "Bolt", "2022")]);
    run.episode(&[holds("e1", "Ann", "WORKS_AT", "Acme", "2020")]);
    assert_eq!(
        run.believed(),
        [
            line("Ann WORKS_AT Acme", "2020", Some("2022")),
            line("Ann WORKS_AT Bolt", "2022", Some("2024")),
        ]
    );
}

#[test]
fn an_end_that_closes_nothing_is_unmatched_and_changes_nothing() {
    let mut run = Run::with(WORKS);
    run.episode(&[holds("e1", "Ann", "WORKS_AT", "Acme", "2018")]);
    let events = run.episode(&[holds("e2", "Ann", "WORKS_AT", "Bolt", "2020").ended()]);
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Event::StatementUnmatched(_)))
    );
    let applied = events.iter().find_map(|event| match event {
        Event::EpisodeApplied(applied) => Some(applied.clone()),
        _ => None,
    });
    assert!(applied.unwrap().notes[0].contains("unmatched"));
    assert_eq!(run.believed(), [line("Ann WORKS_AT Acme", "2018", None)]);
}

#[test]
fn the_first_end_that_matches_is_not_unmatched() {
    let mut run = Run::with(WORKS);
    run.episode(&[holds("e1", "Ann", "KNOWS", "Ben", "2018")]);
    let events = run.episode(&[holds("e2", "Ben", "KNOWS", "Ann", "2020").ended()]);
    assert!(
        !events
            .iter()
            .any(|event| matches!(event, Event::StatementUnmatched(_)))
    );
    assert_eq!(run.believed()[0].2, Some(at("2020")));
}

#[test]
fn a_relation_and_its_inverse_are_one_fact() {
    let mut run = Run::with(WORKS);
    run.episode(&[holds("e1", "Ann", "PARENT_OF", "Ben", "2018")]);
    run.episode(&[holds("e2", "Ben", "CHILD_OF", "Ann", "2018")]);
    assert_eq!(run.believed(), [line("Ann PARENT_OF Ben", "2018", None)]);
}

#[test]
fn a_new_pair_ends_the_earlier_pairs_of_both_sides() {
    let mut run = Run::with(WORKS);
    run.episode(&[holds("e1", "Piotr", "LOCKER", "12", "2015")]);
    run.episode(&[holds("e2", "Zora", "LOCKER", "30", "2016")]);
    run.episode(&[holds("e3", "Zora", "LOCKER", "12", "2018")]);
    assert_eq!(
        run.believed(),
        [
            line("Piotr LOCKER 12", "2015", Some("2018")),
            line("Zora LOCKER 12", "2018", None),
            line("Zora LOCKER 30", "2016", Some("2018")),
        ]
    );
}

#[test]
fn an_ontology_that_comes_later_gives_the_same_timeline() {
    let statements = [
        holds("e1", "Ann", "WORKS_AT", "Acme", "2019"),
        holds("e2", "Ann", "WORKS_AT", "Bolt", "2021"),
        holds("e3", "Ben", "CHILD_OF", "Ann", "2000"),
    ];
    let mut first = Run::with(WORKS);
    let mut last = Run::default();
    for said in &statements {
        first.episode(std::slice::from_ref(said));
        last.episode(std::slice::from_ref(said));
    }
    last.ontology(WORKS);
    assert_eq!(first.believed(), last.believed());
    last.episode(&[holds("e4", "Ann", "WORKS_AT", "Cord", "2022")]);
    first.episode(&[holds("e4", "Ann", "WORKS_AT", "Cord", "2022")]);
    assert_eq!(first.believed(), last.believed());
}

#[test]
fn an_erasure_leaves_no_trace_in_system_time() {
    let mut run = Run::with(WORKS);
    run.episode(&[holds("e1", "Ann", "WORKS_AT", "Acme", "2017")]);
    run.episode(&[holds("e2", "Ann", "WORKS_AT", "Bolt", "2021")]);
    run.erase("e2");
    assert_eq!(run.believed(), [line("Ann WORKS_AT Acme", "2017", None)]);
    assert_eq!(
        run.versions().len(),
        1,
        "the version that e2 ended was never ended"
    );
}

#[test]
fn a_slot_with_many_statements_costs_per_change_what_is_near() {
    let mut run = Run::with(WORKS);
    for year in 0..300 {
        let object = if year % 2 == 0 { "Acme" } else { "Bolt" };
        let start = Instant::from_micros(i64::from(year) * 1_000_000_000).to_string();
        let events = run.episode(&[holds(
            &format!("e{year}"),
            "Ann",
            "WORKS_AT",
            object,
            &start,
        )]);
        assert!(
            events.len() <= 5,
            "one end, one start and their marks: {}",
            events.len()
        );
    }
    assert_eq!(run.believed().len(), 300);
}

#[test]
fn the_ends_of_an_exclusive_symmetric_relation_meet_whatever_the_order_of_their_ids() {
    for number in 0..12 {
        let mut run = Run::with(WORKS);
        let name = |letter: &str| format!("{letter}{number}");
        run.episode(&[holds("e1", &name("A"), "MARRIED_TO", &name("B"), "2019")]);
        run.episode(&[holds("e2", &name("A"), "MARRIED_TO", &name("C"), "2021")]);
        run.episode(&[holds("e3", &name("D"), "MARRIED_TO", &name("C"), "2023")]);
        let open = run
            .believed()
            .iter()
            .filter(|(_, _, end)| end.is_none())
            .count();
        assert_eq!(open, 1, "{:?}", run.believed());
    }
}
