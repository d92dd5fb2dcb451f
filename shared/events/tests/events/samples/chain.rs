//! What the temporal-invalidator and the community-updater concluded.

use mneme_events::*;
use mneme_model::{LiteralKind, Polarity, Precision};

use super::parts::*;
use super::{Sample, sample};

pub fn samples() -> Vec<Sample> {
    let mut samples = vec![placed(), created(), applied()];
    samples.extend(short());
    samples.extend(communities());
    samples.extend(noted());
    samples
}

fn placed() -> Sample {
    sample(
        StatementPlaced {
            header: full_header(),
            statement_id: id(30),
            episode_id: episode_id(),
            thread_id: thread_id(),
            reference_time: at(-1),
            fact_id: id(40),
            subject: entity(20),
            relation: "EMPLOYS".to_owned(),
            object: Some(entity(25)),
            value: literal(LiteralKind::String),
            fact: "Acme employs Ann Lee".to_owned(),
            valid_at: point(0, Precision::Month),
            invalid_at: Some(point(9, Precision::Instant)),
            polarity: Polarity::Ended,
            slots: vec![id(50), id(51)],
            order: 17,
            stated_relation: "WORKS_FOR".to_owned(),
            swapped: true,
            exclusive: true,
            correction: Some(full_correction()),
            corrected_object: Some(entity(26)),
        },
        StatementPlaced {
            header: bare_header(),
            statement_id: id(30),
            episode_id: episode_id(),
            thread_id: None,
            reference_time: at(0),
            fact_id: id(40),
            subject: bare_entity(20),
            relation: "IS".to_owned(),
            object: None,
            value: None,
            fact: String::new(),
            valid_at: point(0, Precision::Inferred),
            invalid_at: None,
            polarity: Polarity::Holds,
            slots: Vec::new(),
            order: 0,
            stated_relation: "IS".to_owned(),
            swapped: false,
            exclusive: false,
            correction: None,
            corrected_object: None,
        },
    )
}

fn created() -> Sample {
    sample(
        FactVersionCreated {
            header: full_header(),
            version_id: id(60),
            fact_id: id(40),
            subject: entity(20),
            relation: "EMPLOYS".to_owned(),
            object: Some(entity(25)),
            value: literal(LiteralKind::Boolean),
            fact: "Acme employs Ann Lee".to_owned(),
            valid_at: point(0, Precision::Day),
            invalid_at: Some(point(9, Precision::Day)),
            created_at: at(3),
            expired_at: Some(at(4)),
            support_since: Some(at(1)),
            statement_id: id(30),
            episode_id: episode_id(),
            reference_time: at(-1),
        },
        FactVersionCreated {
            header: bare_header(),
            version_id: id(60),
            fact_id: id(40),
            subject: bare_entity(20),
            relation: "IS".to_owned(),
            object: None,
            value: None,
            fact: String::new(),
            valid_at: point(0, Precision::Instant),
            invalid_at: None,
            created_at: at(3),
            expired_at: None,
            support_since: None,
            statement_id: id(30),
            episode_id: episode_id(),
            reference_time: at(0),
        },
    )
}

fn applied() -> Sample {
    let applied = |header, counts: [i32; 3], outcome, reason, notes| EpisodeApplied {
        header,
        episode_id: episode_id(),
        created: counts[0],
        expired: counts[1],
        unmatched: counts[2],
        outcome,
        reason,
        notes,
    };
    let notes = texts(&["one end matched nothing"]);
    sample(
        applied(
            full_header(),
            [3, 2, 1],
            EpisodeOutcome::Failed,
            text("no JSON"),
            notes,
        ),
        applied(
            bare_header(),
            [0; 3],
            EpisodeOutcome::Done,
            None,
            Vec::new(),
        ),
    )
}

fn short() -> Vec<Sample> {
    let withdrawn = |header, erased| StatementWithdrawn {
        header,
        statement_id: id(30),
        episode_id: episode_id(),
        fact_id: id(40),
        erased,
    };
    let expired = |header, rule: &str| FactVersionExpired {
        header,
        version_id: id(60),
        fact_id: id(40),
        expired_at: at(5),
        rule: rule.to_owned(),
    };
    let erased = |header| FactErased {
        header,
        version_id: id(60),
        fact_id: id(40),
    };
    let unmatched = |header| StatementUnmatched {
        header,
        statement_id: id(30),
        episode_id: episode_id(),
    };
    vec![
        sample(
            withdrawn(full_header(), true),
            withdrawn(bare_header(), false),
        ),
        sample(
            expired(full_header(), "replaced"),
            expired(bare_header(), ""),
        ),
        sample(erased(full_header()), erased(bare_header())),
        sample(unmatched(full_header()), unmatched(bare_header())),
    ]
}

fn communities() -> Vec<Sample> {
    let summarized = |header, summary: &str| EntitySummarized {
        header,
        entity_id: id(20),
        summary: summary.to_owned(),
    };
    let changed = |header, keywords, members| CommunityChanged {
        header,
        community_id: id(70),
        name: "Acme support".to_owned(),
        keywords,
        summary: "People who work for Acme.".to_owned(),
        members,
    };
    let removed = |header| CommunityRemoved {
        header,
        community_id: id(70),
    };
    vec![
        sample(
            summarized(full_header(), "Works for Acme."),
            summarized(bare_header(), ""),
        ),
        sample(
            changed(
                full_header(),
                texts(&["acme", "support"]),
                vec![id(20), id(25)],
            ),
            changed(bare_header(), Vec::new(), Vec::new()),
        ),
        sample(removed(full_header()), removed(bare_header())),
    ]
}

/// What the community-updater keeps for itself.
fn noted() -> Vec<Sample> {
    let noted = |header, subject, object| FactNoted {
        header,
        version_id: id(60),
        subject,
        relation: "EMPLOYS".to_owned(),
        object,
        fact: "Acme employs Ann Lee".to_owned(),
        valid_at: at(0),
    };
    let forgotten = |header, object_id| FactForgotten {
        header,
        version_id: id(60),
        subject_id: id(20),
        object_id,
        valid_at: at(0),
    };
    let group = |header, edges, refreshed| GroupSummarized {
        header,
        edges,
        refreshed,
    };
    vec![
        sample(
            noted(full_header(), entity(20), Some(entity(25))),
            noted(bare_header(), bare_entity(20), None),
        ),
        sample(
            forgotten(full_header(), Some(id(25))),
            forgotten(bare_header(), None),
        ),
        sample(
            group(full_header(), 12, true),
            group(bare_header(), 0, false),
        ),
    ]
}
