//! The stage as a whole: a log of statements goes in, timelines and histories come out.

mod cases;
mod properties;

use std::collections::BTreeMap;

use mneme_events::{
    EntitiesMergeRequested, EpisodeErased, EpisodeOutcome, EpisodeResolved, Event, EventHeader,
    OntologyChanged, ResolvedEntity, StatementResolved,
};
use mneme_model::{
    EpisodeId, GroupId, Instant, Literal, Ontology, Polarity, Precision, TimePoint, derived_id,
};
use mneme_stage::{Answers, MemoryRows, Stage, Step, last_seq, note_seq, seal};
use uuid::Uuid;

use crate::TemporalInvalidator;
use crate::versions::Version;

/// A stage with its rows, fed one input after the other.
#[derive(Default)]
pub struct Run {
    pub rows: MemoryRows,
    pub events: Vec<Event>,
    inputs: i64,
}

pub fn at(text: &str) -> Instant {
    text.parse().unwrap()
}

pub fn entity(name: &str) -> ResolvedEntity {
    let entity_id = derived_id(Uuid::NAMESPACE_OID, &[name.as_bytes()]);
    ResolvedEntity {
        entity_id,
        name: name.to_owned(),
        entity_type: None,
    }
}

/// A statement in the making.
#[derive(Debug, Clone)]
pub struct Said {
    pub episode: String,
    pub subject: String,
    pub relation: String,
    pub object: String,
    pub valid_at: Option<Instant>,
    pub invalid_at: Option<Instant>,
    pub polarity: Polarity,
    pub reference: Instant,
}

pub fn holds(episode: &str, subject: &str, relation: &str, object: &str, from: &str) -> Said {
    Said {
        episode: episode.to_owned(),
        subject: subject.to_owned(),
        relation: relation.to_owned(),
        object: object.to_owned(),
        valid_at: Some(at(from)),
        invalid_at: None,
        polarity: Polarity::Holds,
        reference: at(from),
    }
}

impl Said {
    pub fn until(mut self, end: &str) -> Self {
        self.invalid_at = Some(at(end));
        self
    }

    pub fn ended(mut self) -> Self {
        self.invalid_at = self.valid_at.take();
        self.polarity = Polarity::Ended;
        self
    }
}

impl Run {
    pub fn with(ontology: &str) -> Self {
        let mut run = Self::default();
        run.ontology(ontology);
        run
    }

    pub fn header(&mut self) -> EventHeader {
        self.inputs += 1;
        EventHeader {
            event_id: Uuid::from_u128(self.inputs as u128),
            group_id: GroupId::new("g").unwrap(),
            seq: self.inputs,
            cause: None,
            recorded_at: Instant::from_micros(1_000_000 * self.inputs),
        }
    }

    pub fn feed(&mut self, input: Event) -> Vec<Event> {
        let stage = TemporalInvalidator;
        let Step::Done(mut events) = stage.step(&self.rows, &input, &Answers::default()).unwrap()
        else {
            panic!("the stage asks nothing")
        };
        seal(
            stage.name(),
            &input,
            last_seq(&self.rows).unwrap(),
            &mut events,
        );
        for event in &events {
            stage.apply(&mut self.rows, event).unwrap();
            note_seq(&mut self.rows, event).unwrap();
        }
        self.events.extend(events.iter().cloned());
        events
    }

    pub fn ontology(&mut self, text: &str) {
        let _: Ontology = serde_json::from_str(text).unwrap();
        let header = self.header();
        self.feed(
            OntologyChanged {
                header,
                ontology: text.to_owned(),
            }
            .into(),
        );
    }

    /// One episode with these statements, processed at its own instant of system time.
    pub fn episode(&mut self, statements: &[Said]) -> Vec<Event> {
        let header = self.header();
        let mut events = Vec::new();
        for (ordinal, said) in statements.iter().enumerate() {
            events.extend(self.feed(statement(&header, ordinal, said).into()));
        }
        let episode_id = EpisodeId::new(&statements[0].episode).unwrap();
        events.extend(self.feed(resolved(header, episode_id).into()));
        events
    }

    pub fn erase(&mut self, episode: &str) -> Vec<Event> {
        let header = self.header();
        self.feed(
            EpisodeErased {
                header,
                episode_id: EpisodeId::new(episode).unwrap(),
            }
            .into(),
        )
    }

    /// Statements resolved anew, as a merge or a split does it, and the request as marker.
    pub fn resolve_anew(&mut self, statements: &[(usize, Said)]) {
        let header = self.header();
        for (ordinal, said) in statements {
            self.feed(statement(&header, *ordinal, said).into());
        }
        let request = EntitiesMergeRequested {
            header,
            from: String::new(),
            into: String::new(),
        };
        self.feed(request.into());
    }

    pub fn versions(&self) -> Vec<Version> {
        let mut versions: Vec<Version> = self
            .rows
            .iter()
            .filter(|(key, _)| key[0] == b'v')
            .map(|(key, _)| mneme_stage::read_row(&self.rows, key).unwrap().unwrap())
            .collect();
        versions.sort_by_key(|version| {
            let created = &version.created;
            (name_of(version), created.valid_at.at, created.created_at)
        });
        versions
    }

    /// What is believed now: (subject relation object, start, end).
    pub fn believed(&self) -> Vec<(String, Instant, Option<Instant>)> {
        let current = self
            .versions()
            .into_iter()
            .filter(|version| version.created.expired_at.is_none());
        current
            .map(|version| {
                let interval = version.interval();
                (name_of(&version), interval.start, interval.end)
            })
            .collect()
    }

    /// The whole history without ids of events: what was believed, from when to when.
    pub fn history(&self) -> BTreeMap<String, usize> {
        let mut lines = BTreeMap::new();
        for version in self.versions() {
            let created = &version.created;
            let line = format!(
                "{} {:?} {:?} since {:?} until {:?} support {:?} from {}",
                name_of(&version),
                created.valid_at,
                created.invalid_at,
                created.created_at,
                created.expired_at,
                created.support_since,
                created.episode_id,
            );
            *lines.entry(line).or_default() += 1;
        }
        lines
    }
}

pub fn name_of(version: &Version) -> String {
    let created = &version.created;
    let object = match (&created.object, &created.value) {
        (Some(object), _) => object.name.clone(),
        (None, Some(Literal { text, .. })) => text.clone(),
        (None, None) => String::new(),
    };
    format!("{} {} {object}", created.subject.name, created.relation)
}

pub fn statement(header: &EventHeader, ordinal: usize, said: &Said) -> StatementResolved {
    let point = |at| TimePoint {
        at,
        precision: Precision::Day,
    };
    StatementResolved {
        header: header.clone(),
        statement_id: derived_id(
            Uuid::NAMESPACE_OID,
            &[said.episode.as_bytes(), &ordinal.to_be_bytes()],
        ),
        episode_id: EpisodeId::new(&said.episode).unwrap(),
        thread_id: None,
        reference_time: said.reference,
        ordinal: ordinal as i32,
        subject_mention: 0,
        subject: entity(&said.subject),
        relation: said.relation.clone(),
        object_mention: Some(1),
        object: Some(entity(&said.object)),
        value: None,
        fact: format!("{} {} {}", said.subject, said.relation, said.object),
        valid_at: said.valid_at.map(point),
        invalid_at: said.invalid_at.map(point),
        polarity: said.polarity,
        exclusive: false,
    }
}

fn resolved(header: EventHeader, episode_id: EpisodeId) -> EpisodeResolved {
    EpisodeResolved {
        header,
        episode_id,
        reference_time: Instant::from_micros(0),
        outcome: EpisodeOutcome::Done,
        reason: None,
        notes: Vec::new(),
    }
}
