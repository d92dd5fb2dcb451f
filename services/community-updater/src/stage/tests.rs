use mneme_events::{
    EpisodeApplied, EpisodeOutcome, EventHeader, FactVersionExpired, ResolvedEntity,
};
use mneme_model::{EpisodeId, GroupId, Instant, TimePoint};
use mneme_stage::{MemoryRows, last_seq, note_seq, seal};

use super::*;

#[derive(Default)]
struct Run {
    rows: MemoryRows,
    inputs: i64,
}

impl Run {
    fn header(&mut self) -> EventHeader {
        self.inputs += 1;
        EventHeader {
            event_id: Uuid::from_u128(self.inputs as u128),
            group_id: GroupId::new("g").unwrap(),
            seq: self.inputs,
            cause: None,
            recorded_at: Instant::from_micros(self.inputs * 1_000_000),
        }
    }

    fn feed(&mut self, input: Event) -> Vec<Event> {
        let Step::Done(mut events) = CommunityUpdater
            .step(&self.rows, &input, &Answers::default())
            .unwrap()
        else {
            panic!("it asks nothing")
        };
        seal("c", &input, last_seq(&self.rows).unwrap(), &mut events);
        for event in &events {
            CommunityUpdater.apply(&mut self.rows, event).unwrap();
            note_seq(&mut self.rows, event).unwrap();
        }
        events
    }

    fn fact(&mut self, id: u128, subject: &str, object: &str) -> Vec<Event> {
        let header = self.header();
        let entity = |name: &str| ResolvedEntity {
            entity_id: mneme_model::derived_id(Uuid::NAMESPACE_OID, &[name.as_bytes()]),
            name: name.to_owned(),
            entity_type: None,
        };
        let created = FactVersionCreated {
            version_id: Uuid::from_u128(id),
            fact_id: Uuid::from_u128(id),
            subject: entity(subject),
            relation: "KNOWS".to_owned(),
            object: Some(entity(object)),
            value: None,
            fact: format!("{subject} knows {object} from sailing"),
            valid_at: TimePoint::instant(Instant::from_micros(id as i64)),
            invalid_at: None,
            created_at: header.recorded_at,
            expired_at: None,
            support_since: None,
            statement_id: Uuid::nil(),
            episode_id: EpisodeId::new("e").unwrap(),
            reference_time: header.recorded_at,
            header,
        };
        self.feed(created.into());
        self.done()
    }

    fn done(&mut self) -> Vec<Event> {
        let header = self.header();
        self.feed(
            EpisodeApplied {
                header,
                episode_id: EpisodeId::new("e").unwrap(),
                created: 0,
                expired: 0,
                unmatched: 0,
                outcome: EpisodeOutcome::Done,
                reason: None,
                notes: Vec::new(),
            }
            .into(),
        )
    }

    fn expire(&mut self, id: u128) -> Vec<Event> {
        let header = self.header();
        let expired = FactVersionExpired {
            version_id: Uuid::from_u128(id),
            fact_id: Uuid::from_u128(id),
            expired_at: header.recorded_at,
            rule: "timeline".to_owned(),
            header,
        };
        self.feed(expired.into());
        self.done()
    }
}

fn summaries(events: &[Event]) -> Vec<String> {
    let summary = |event: &Event| match event {
        Event::EntitySummarized(summarized) => Some(summarized.summary.clone()),
        _ => None,
    };
    events.iter().filter_map(summary).collect()
}

#[test]
fn a_summary_says_what_holds_and_no_more() {
    let mut run = Run::default();
    run.fact(1, "Ann", "Ben");
    let events = run.fact(2, "Ann", "Cid");
    let both = "Ann knows Cid from sailing. Ann knows Ben from sailing.".to_owned();
    assert!(summaries(&events).contains(&both));
    let events = run.expire(1);
    let one = "Ann knows Cid from sailing.".to_owned();
    assert!(summaries(&events).contains(&one));
    assert!(
        summaries(&events).contains(&String::new()),
        "Ben has no facts left"
    );
}

#[test]
fn a_triangle_is_a_community_that_a_newcomer_joins_and_that_goes_with_its_facts() {
    let mut run = Run::default();
    run.fact(1, "Ann", "Ben");
    run.fact(2, "Ben", "Cid");
    let events = run.fact(3, "Cid", "Ann");
    let members = |events: &[Event]| {
        events.iter().find_map(|event| match event {
            Event::CommunityChanged(changed) => Some(changed.clone()),
            _ => None,
        })
    };
    let community = members(&events).unwrap();
    assert_eq!(community.members.len(), 3);
    assert!(community.keywords.contains(&"sailing".to_owned()));
    let events = run.fact(4, "Dan", "Ann");
    assert_eq!(members(&events).unwrap().members.len(), 4);
    for id in 1..=3 {
        run.expire(id);
    }
    let events = run.expire(4);
    let told = events
        .iter()
        .any(|event| matches!(event, Event::CommunityRemoved(_)));
    let left: Vec<_> = run.rows.iter().filter(|(key, _)| key[0] == b'c').collect();
    assert!(told || left.is_empty());
    assert!(left.is_empty());
}

#[test]
fn a_community_loses_whom_nothing_is_left_of_without_a_refresh() {
    let is_refresh = |event: &Event| match event {
        Event::GroupSummarized(summarized) => summarized.refreshed,
        _ => false,
    };
    let mut run = Run::default();
    for (id, (one, other)) in [
        ("Ann", "Ben"),
        ("Ben", "Cid"),
        ("Cid", "Ann"),
        ("Dan", "Ann"),
        ("Dan", "Ben"),
    ]
    .into_iter()
    .enumerate()
    {
        run.fact(id as u128, one, other);
    }
    for id in 100.. {
        let events = run.fact(id, "Hub", &format!("{id}"));
        if id > 200 && events.iter().any(is_refresh) {
            break;
        }
    }
    let events = [run.expire(3), run.expire(4)].concat();
    assert!(!events.iter().any(is_refresh));
    let told = events.iter().rev().find_map(|event| match event {
        Event::CommunityChanged(changed) => Some(changed),
        _ => None,
    });
    let told = told.unwrap();
    assert_eq!(
        (told.members.len(), told.summary.contains("Dan")),
        (3, false)
    );

    let events = [run.expire(0), run.expire(1)].concat();
    assert!(!events.iter().any(is_refresh));
    let removed = events.iter().any(|event| match event {
        Event::CommunityRemoved(removed) => removed.community_id == told.community_id,
        _ => false,
    });
    assert!(removed, "two are no community");
}
