//! What the resolver decided.

use mneme_events::*;
use mneme_model::{LiteralKind, Polarity, Precision};

use super::parts::*;
use super::{Sample, sample};

pub fn samples() -> Vec<Sample> {
    let mut samples = entities();
    samples.extend(decisions());
    samples
}

fn entities() -> Vec<Sample> {
    let merged = |header| EntitiesMerged {
        header,
        from: id(21),
        into: id(20),
    };
    let split = |header, episodes| EntitySplit {
        header,
        entity_id: id(20),
        new_entity_id: id(22),
        episodes,
    };
    let erased = |header| EntityErased {
        header,
        entity_id: id(20),
    };
    vec![
        sample(
            EntityCreated {
                header: full_header(),
                entity_id: id(20),
                name: "Ann Lee".to_owned(),
                entity_type: text("Person"),
                aliases: texts(&["Annie", "A. Lee"]),
                external_ids: texts(&["crm:8812"]),
                possible_same_as: vec![id(23), id(24)],
                episode_id: episode_id(),
            },
            EntityCreated {
                header: bare_header(),
                entity_id: id(20),
                name: "Ann".to_owned(),
                entity_type: None,
                aliases: Vec::new(),
                external_ids: Vec::new(),
                possible_same_as: Vec::new(),
                episode_id: episode_id(),
            },
        ),
        sample(
            EntityUpdated {
                header: full_header(),
                entity_id: id(20),
                name: "Ann Lee".to_owned(),
                entity_type: text("Person"),
                aliases: texts(&["Annie"]),
                external_ids: texts(&["crm:8812", "ann@example.com"]),
                possible_same_as: vec![id(23)],
            },
            EntityUpdated {
                header: bare_header(),
                entity_id: id(20),
                name: "Ann".to_owned(),
                entity_type: None,
                aliases: Vec::new(),
                external_ids: Vec::new(),
                possible_same_as: Vec::new(),
            },
        ),
        sample(merged(full_header()), merged(bare_header())),
        sample(
            split(full_header(), vec![episode_id()]),
            split(bare_header(), Vec::new()),
        ),
        sample(erased(full_header()), erased(bare_header())),
    ]
}

fn decisions() -> Vec<Sample> {
    let resolved = |header, outcome, reason, notes| EpisodeResolved {
        header,
        episode_id: episode_id(),
        reference_time: at(-1),
        outcome,
        reason,
        notes,
    };
    vec![
        sample(
            MentionResolved {
                header: full_header(),
                episode_id: episode_id(),
                ordinal: 7,
                entity_id: id(20),
                name: "Annie".to_owned(),
                entity_type: text("Person"),
                external_id: text("crm:8812"),
                aliases: texts(&["Ann"]),
                rule: "external_id".to_owned(),
                score: 0.987_654_321,
                thread_id: thread_id(),
            },
            MentionResolved {
                header: bare_header(),
                episode_id: episode_id(),
                ordinal: 0,
                entity_id: id(20),
                name: "Ann".to_owned(),
                entity_type: None,
                external_id: None,
                aliases: Vec::new(),
                rule: "new".to_owned(),
                score: 1.0,
                thread_id: None,
            },
        ),
        sample(
            StatementResolved {
                header: full_header(),
                statement_id: id(30),
                episode_id: episode_id(),
                thread_id: thread_id(),
                reference_time: at(-1),
                ordinal: 2,
                subject_mention: 1,
                subject: entity(20),
                relation: "WORKS_FOR".to_owned(),
                object_mention: Some(3),
                object: Some(entity(25)),
                value: literal(LiteralKind::Number),
                fact: "Ann Lee works for Acme".to_owned(),
                valid_at: Some(point(0, Precision::Day)),
                invalid_at: Some(point(9, Precision::Year)),
                polarity: Polarity::Ended,
                exclusive: true,
            },
            StatementResolved {
                header: bare_header(),
                statement_id: id(30),
                episode_id: episode_id(),
                thread_id: None,
                reference_time: at(0),
                ordinal: 0,
                subject_mention: 0,
                subject: bare_entity(20),
                relation: "IS".to_owned(),
                object_mention: None,
                object: None,
                value: None,
                fact: String::new(),
                valid_at: None,
                invalid_at: None,
                polarity: Polarity::Holds,
                exclusive: false,
            },
        ),
        sample(
            resolved(
                full_header(),
                EpisodeOutcome::Failed,
                text("no JSON"),
                texts(&["one", "two"]),
            ),
            resolved(bare_header(), EpisodeOutcome::Done, None, Vec::new()),
        ),
    ]
}
