//! What samples are made of.

use std::collections::BTreeMap;

use mneme_events::*;
use mneme_model::{
    EpisodeId, GroupId, Instant, Literal, LiteralKind, Polarity, Precision, Source, ThreadId,
    TimePoint,
};
use uuid::Uuid;

pub fn id(number: u128) -> Uuid {
    Uuid::from_u128(0x1234_5678_9abc_5def_8000_0000_0000_0000 + number)
}

pub fn at(day: i64) -> Instant {
    Instant::from_micros(1_772_357_400_123_456 + day * 86_400_000_000)
}

pub fn point(day: i64, precision: Precision) -> TimePoint {
    let at = at(day);
    TimePoint { at, precision }
}

pub fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

pub fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

pub fn episode_id() -> EpisodeId {
    EpisodeId::new("ticket-4711-3").unwrap()
}

pub fn thread_id() -> Option<ThreadId> {
    Some(ThreadId::new("ticket-4711").unwrap())
}

pub fn header(cause: Option<Uuid>) -> EventHeader {
    EventHeader {
        event_id: id(1),
        group_id: GroupId::new("acme-support").unwrap(),
        seq: if cause.is_some() { 4711 } else { 0 },
        cause,
        recorded_at: at(0),
    }
}

pub fn full_header() -> EventHeader {
    header(Some(id(2)))
}

pub fn bare_header() -> EventHeader {
    header(None)
}

pub fn literal(kind: LiteralKind) -> Option<Literal> {
    let text = match kind {
        LiteralKind::String => "Torstraße 1, 10119 Berlin",
        LiteralKind::Number => "-12.50",
        LiteralKind::Boolean => "true",
    };
    let text = text.to_owned();
    Some(Literal { text, kind })
}

pub fn entity(number: u128) -> ResolvedEntity {
    ResolvedEntity {
        entity_id: id(number),
        name: "Ann Lee 李安".to_owned(),
        entity_type: text("Person"),
    }
}

pub fn bare_entity(number: u128) -> ResolvedEntity {
    ResolvedEntity {
        entity_id: id(number),
        name: "Acme".to_owned(),
        entity_type: None,
    }
}

pub fn full_episode() -> Episode {
    let metadata = [("channel", "\"web\""), ("priority", "2")];
    let metadata = metadata.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Episode {
        episode_id: episode_id(),
        thread_id: thread_id(),
        source: Source::Message,
        author: Some(Author {
            name: "Ann Lee".to_owned(),
            role: text("user"),
            external_id: text("crm:8812"),
        }),
        body: "I moved to Berlin 🎉 — since March I work for “Acme”.\nThanks!".to_owned(),
        facts: vec![StatedFact {
            subject: "Ann Lee".to_owned(),
            subject_type: text("Person"),
            subject_external_id: text("crm:8812"),
            relation: "WORKS_FOR".to_owned(),
            object: text("Acme"),
            object_type: text("Company"),
            object_external_id: text("crm:1"),
            value: literal(LiteralKind::String),
            fact: "Ann Lee works for Acme".to_owned(),
            valid_at: Some(point(-30, Precision::Month)),
            invalid_at: Some(point(300, Precision::Day)),
            polarity: Polarity::Ended,
            exclusive: true,
        }],
        reference_time: at(-1),
        source_description: text("support chat"),
        metadata: metadata.into(),
        digest: String::new(),
    }
    .with_digest()
}

pub fn bare_episode() -> Episode {
    Episode {
        episode_id: episode_id(),
        thread_id: None,
        source: Source::Text,
        author: None,
        body: String::new(),
        facts: Vec::new(),
        reference_time: at(0),
        source_description: None,
        metadata: BTreeMap::new(),
        digest: String::new(),
    }
}

pub fn full_correction() -> Correction {
    Correction {
        relation: text("WORKED_FOR"),
        object: text("Globex"),
        object_type: text("Company"),
        value: literal(LiteralKind::Number),
        fact: text("Ann Lee worked for Globex"),
        valid_at: Some(point(-400, Precision::Year)),
        invalid_at: Some(point(-40, Precision::Inferred)),
        retract: true,
    }
}

pub fn bare_correction() -> Correction {
    Correction {
        relation: None,
        object: None,
        object_type: None,
        value: None,
        fact: None,
        valid_at: None,
        invalid_at: None,
        retract: false,
    }
}
