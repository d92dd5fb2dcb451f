//! Inputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use mneme_events::{
    Episode, EpisodeErased, EpisodeReceived, Event, EventHeader, GroupErased,
    GroupReleaseRequested, StatedFact, Topic, follow_up_id,
};
use mneme_log::NewRecord;
use mneme_model::{EpisodeId, GroupId, Instant, Polarity, Source};
use uuid::Uuid;

pub fn group(name: &str) -> GroupId {
    GroupId::new(name).unwrap()
}

pub fn id(name: &str) -> EpisodeId {
    EpisodeId::new(name).unwrap()
}

/// A header as the gateway makes it; `number` tells inputs apart.
pub fn header(of: &str, number: usize) -> EventHeader {
    EventHeader {
        event_id: follow_up_id(Uuid::nil(), "test", number),
        group_id: group(of),
        seq: 0,
        cause: None,
        recorded_at: Instant::from_micros(1_000_000 * number as i64),
    }
}

pub fn received(header: EventHeader, name: &str, body: &str, facts: Vec<StatedFact>) -> Event {
    let source = if facts.is_empty() {
        Source::Text
    } else {
        Source::Facts
    };
    let reference_time = header.recorded_at;
    let episode = Episode {
        episode_id: id(name),
        thread_id: None,
        source,
        author: None,
        body: body.to_owned(),
        facts,
        reference_time,
        source_description: None,
        metadata: BTreeMap::new(),
        digest: String::new(),
    };
    EpisodeReceived {
        header,
        episode: episode.with_digest(),
    }
    .into()
}

pub fn stated(subject: &str, relation: &str, object: &str, exclusive: bool) -> StatedFact {
    StatedFact {
        subject: subject.to_owned(),
        subject_type: Some("Person".to_owned()),
        subject_external_id: None,
        relation: relation.to_owned(),
        object: Some(object.to_owned()),
        object_type: None,
        object_external_id: None,
        value: None,
        fact: format!("{subject} {relation} {object}"),
        valid_at: None,
        invalid_at: None,
        polarity: Polarity::Holds,
        exclusive,
    }
}

pub fn episode_erased(header: EventHeader, name: &str) -> Event {
    let episode_id = id(name);
    EpisodeErased { header, episode_id }.into()
}

pub fn group_erased(header: EventHeader) -> Event {
    GroupErased { header }.into()
}

pub fn release(header: EventHeader, stage: &str) -> NewRecord {
    let event = GroupReleaseRequested {
        header,
        stage: stage.to_owned(),
    };
    NewRecord::new(Topic::Parked, Event::from(event))
}

pub fn on_episodes(event: Event) -> NewRecord {
    NewRecord::new(Topic::Episodes, event)
}

/// Forty episodes of statements in three groups, that meet, replace and repeat each other, with the
/// erasure of two episodes and of a group between them.
pub fn forty_episodes() -> Vec<NewRecord> {
    const GROUPS: [&str; 3] = ["alpha", "beta", "gamma"];
    const PEOPLE: [&str; 4] = ["Ann Lee", "Bob Ray", "Cy Dunn", "Di Fox"];
    const FIRMS: [&str; 3] = ["Acme", "Birch", "Cedar"];
    let mut inputs = Vec::new();
    for number in 0..40 {
        let of = GROUPS[number % 3];
        let facts = vec![
            stated(PEOPLE[number % 4], "works_for", FIRMS[number / 2 % 3], true),
            stated(
                PEOPLE[(number + 1) % 4],
                "knows",
                PEOPLE[number * 7 / 3 % 4],
                false,
            ),
        ];
        let name = format!("e{}", if number == 20 { 17 } else { number });
        inputs.push(received(header(of, 100 + number), &name, "", facts));
        match number {
            15 | 33 => {
                let erased = format!("e{}", number - 9);
                inputs.push(episode_erased(header(of, 200 + number), &erased));
            }
            25 => inputs.push(group_erased(header("beta", 225))),
            _ => {}
        }
    }
    inputs.into_iter().map(on_episodes).collect()
}
