//! A small world: one group's resolver with its rows, and the group as its outputs tell it.

use std::collections::{BTreeMap, BTreeSet};

use mneme_events::{
    Correction, EntitiesMergeRequested, EntitySplitRequested, Episode, EpisodeErased,
    EpisodeExtracted, Event, EventHeader, ExtractedStatement, FactCorrected, Mention,
    MentionResolved, OntologyChanged, StatementResolved,
};
use mneme_model::{EntityId, EpisodeId, GroupId, Instant, Literal, Polarity, Source, ThreadId};
use mneme_stage::{Answers, MemoryRows, OverlayRows, Stage, Step, last_seq, seal};
use uuid::Uuid;

use crate::Resolver;
use crate::state::EntityRow;

/// One end of a statement, or a mention by itself.
#[derive(Debug, Clone, Default)]
pub struct Named {
    pub name: String,
    pub entity_type: Option<String>,
    pub external_id: Option<String>,
    pub aliases: Vec<String>,
}

/// A name with nothing else.
pub fn named(name: &str) -> Named {
    Named {
        name: name.to_owned(),
        ..Named::default()
    }
}

/// A name of a type.
pub fn typed(name: &str, entity_type: &str) -> Named {
    named(name).of(entity_type)
}

impl Named {
    pub fn of(mut self, entity_type: &str) -> Self {
        self.entity_type = Some(entity_type.to_owned());
        self
    }

    pub fn with_id(mut self, id: &str) -> Self {
        self.external_id = Some(id.to_owned());
        self
    }

    pub fn also(mut self, alias: &str) -> Self {
        self.aliases.push(alias.to_owned());
        self
    }
}

/// The resolver of one group, and what its outputs said so far.
#[derive(Default)]
pub struct World {
    rows: MemoryRows,
    inputs: u64,
    /// The entities that are, by id.
    pub entities: BTreeMap<EntityId, EntityRow>,
    /// The mentions, by episode and ordinal.
    pub mentions: BTreeMap<(EpisodeId, i32), MentionResolved>,
    /// The statements, by id.
    pub statements: BTreeMap<Uuid, StatementResolved>,
}

impl World {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes an input and gives the outputs. Each output is folded into the rows, and a step on the
    /// same rows gives the same outputs.
    pub fn take(&mut self, input: impl Into<Event>) -> Vec<Event> {
        let mut input = input.into();
        self.inputs += 1;
        *input.header_mut() = EventHeader {
            event_id: Uuid::from_u128(u128::from(self.inputs)),
            group_id: GroupId::new("g").unwrap(),
            seq: self.inputs as i64,
            cause: None,
            recorded_at: Instant::from_micros(self.inputs as i64),
        };
        let answers = Answers::default();
        let mut outputs = match Resolver.step(&self.rows, &input, &answers).unwrap() {
            Step::Done(outputs) => outputs,
            Step::Need(_) => panic!("the rules need no model"),
        };
        let first = last_seq(&self.rows).unwrap();
        for (at, output) in outputs.iter().enumerate() {
            assert_eq!(output.header().seq, first + 1 + at as i64);
        }
        seal(Resolver.name(), &input, first, &mut outputs);
        let changes = {
            let mut overlay = OverlayRows::new(&self.rows);
            for output in &outputs {
                Resolver.apply(&mut overlay, output).unwrap();
            }
            overlay.into_changes()
        };
        for (key, value) in changes.rows {
            assert_ne!(key.first(), None);
            match value {
                Some(value) => mneme_stage::GroupRows::put(&mut self.rows, key, value),
                None => mneme_stage::GroupRows::delete(&mut self.rows, &key),
            }
        }
        for output in &outputs {
            self.tell(output);
        }
        outputs
    }

    fn tell(&mut self, output: &Event) {
        match output {
            Event::EntityCreated(created) => {
                let row = EntityRow {
                    name: created.name.clone(),
                    entity_type: created.entity_type.clone(),
                    aliases: created.aliases.clone(),
                    external_ids: created.external_ids.clone(),
                    possible_same_as: created.possible_same_as.clone(),
                };
                let earlier = self.entities.insert(created.entity_id, row);
                assert_eq!(earlier, None, "an entity is created once");
            }
            Event::EntityUpdated(updated) => {
                let row = EntityRow {
                    name: updated.name.clone(),
                    entity_type: updated.entity_type.clone(),
                    aliases: updated.aliases.clone(),
                    external_ids: updated.external_ids.clone(),
                    possible_same_as: updated.possible_same_as.clone(),
                };
                let earlier = self.entities.insert(updated.entity_id, row.clone());
                assert_ne!(earlier, None, "what is updated is there");
                assert_ne!(earlier, Some(row), "an update changes something");
            }
            Event::EntitiesMerged(merged) => {
                assert!(self.entities.remove(&merged.from).is_some());
            }
            Event::EntityErased(erased) => {
                assert!(self.entities.remove(&erased.entity_id).is_some());
            }
            Event::MentionResolved(mention) => {
                let key = (mention.episode_id.clone(), mention.ordinal);
                self.mentions.insert(key, mention.clone());
            }
            Event::StatementResolved(statement) => {
                self.statements
                    .insert(statement.statement_id, statement.clone());
            }
            Event::EpisodeErased(erased) => {
                self.mentions.retain(|key, _| key.0 != erased.episode_id);
                self.statements
                    .retain(|_, statement| statement.episode_id != erased.episode_id);
            }
            _ => {}
        }
    }

    /// An episode with statements between entities.
    pub fn says(&mut self, episode: &str, statements: &[(Named, &str, Named)]) -> Vec<Event> {
        self.says_in(None, episode, statements)
    }

    /// The same in a thread.
    pub fn says_in(
        &mut self,
        thread: Option<&str>,
        episode: &str,
        statements: &[(Named, &str, Named)],
    ) -> Vec<Event> {
        let mut extracted = extraction(thread, episode);
        for (subject, relation, object) in statements {
            let subject = push_mention(&mut extracted, subject);
            let object = push_mention(&mut extracted, object);
            push_statement(&mut extracted, subject, relation, Some(object), None);
        }
        self.take(extracted)
    }

    /// An episode that only mentions.
    pub fn mentions(&mut self, episode: &str, mentions: &[Named]) -> Vec<Event> {
        let mut extracted = extraction(None, episode);
        for mention in mentions {
            push_mention(&mut extracted, mention);
        }
        self.take(extracted)
    }

    /// An episode with one literal statement.
    pub fn values(&mut self, episode: &str, subject: Named, relation: &str, value: &str) {
        let mut extracted = extraction(None, episode);
        let subject = push_mention(&mut extracted, &subject);
        let value = Some(Literal::string(value));
        push_statement(&mut extracted, subject, relation, None, value);
        self.take(extracted);
    }

    pub fn erase(&mut self, episode: &str) -> Vec<Event> {
        self.take(EpisodeErased {
            header: header(),
            episode_id: EpisodeId::new(episode).unwrap(),
        })
    }

    pub fn merge(&mut self, from: &str, into: &str) -> Vec<Event> {
        self.take(EntitiesMergeRequested {
            header: header(),
            from: from.to_owned(),
            into: into.to_owned(),
        })
    }

    pub fn split(&mut self, entity: &str, episodes: &[&str]) -> Vec<Event> {
        self.take(EntitySplitRequested {
            header: header(),
            entity: entity.to_owned(),
            episodes: episodes
                .iter()
                .map(|episode| EpisodeId::new(episode).unwrap())
                .collect(),
        })
    }

    pub fn correct(&mut self, fact: (&str, &str, &str), set: Correction) -> FactCorrected {
        let outputs = self.take(FactCorrected {
            header: header(),
            subject: fact.0.to_owned(),
            relation: fact.1.to_owned(),
            object: fact.2.to_owned(),
            set,
            subject_id: None,
            object_id: None,
            new_object: None,
        });
        match outputs.last() {
            Some(Event::FactCorrected(correction)) => correction.clone(),
            other => panic!("the correction is forwarded last, not {other:?}"),
        }
    }

    pub fn ontology(&mut self, json: &str) {
        self.take(OntologyChanged {
            header: header(),
            ontology: json.to_owned(),
        });
    }

    /// The canonical names, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.entities.values().map(|row| row.name.clone()).collect();
        names.sort();
        names
    }

    /// The one entity with this canonical name.
    pub fn entity(&self, name: &str) -> (EntityId, EntityRow) {
        let mut found = self.entities.iter().filter(|(_, row)| row.name == name);
        let (id, row) = found.next().unwrap_or_else(|| panic!("no entity {name}"));
        assert!(found.next().is_none(), "several entities {name}");
        (*id, row.clone())
    }

    /// The statements by the names of their ends, in order.
    pub fn facts(&self) -> BTreeSet<(String, String, String)> {
        self.statements
            .values()
            .map(|said| {
                let object = said.object.as_ref().map(|object| object.name.clone());
                let value = said.value.as_ref().map(|value| value.text.clone());
                (
                    said.subject.name.clone(),
                    said.relation.clone(),
                    object.or(value).unwrap_or_default(),
                )
            })
            .collect()
    }

    /// The rule that placed a mention.
    pub fn rule(&self, episode: &str, ordinal: i32) -> String {
        self.mention(episode, ordinal).rule.clone()
    }

    pub fn mention(&self, episode: &str, ordinal: i32) -> &MentionResolved {
        &self.mentions[&(EpisodeId::new(episode).unwrap(), ordinal)]
    }

    /// All rows but the one that counts, as text for comparison.
    pub fn rows(&self) -> Vec<(String, Vec<u8>)> {
        self.rows
            .iter()
            .filter(|(key, _)| key[0] != 0)
            .map(|(key, value)| (String::from_utf8_lossy(key).into_owned(), value.to_vec()))
            .collect()
    }

    /// What holds of any world: each mention stands for an entity that is, each entity has one,
    /// statements carry what their mentions stand for, and possible sameness is mutual.
    pub fn check(&self) {
        let mentioned: BTreeSet<EntityId> = self
            .mentions
            .values()
            .map(|mention| mention.entity_id)
            .collect();
        let known: BTreeSet<EntityId> = self.entities.keys().copied().collect();
        assert_eq!(mentioned, known);
        for said in self.statements.values() {
            let of = |ordinal| self.mentions[&(said.episode_id.clone(), ordinal)].entity_id;
            assert_eq!(said.subject.entity_id, of(said.subject_mention));
            assert_eq!(
                said.object.as_ref().map(|object| object.entity_id),
                said.object_mention.map(of)
            );
        }
        for (id, row) in &self.entities {
            assert!(!row.possible_same_as.contains(id));
            for other in &row.possible_same_as {
                assert!(self.entities[other].possible_same_as.contains(id));
            }
        }
    }
}

fn header() -> EventHeader {
    EventHeader {
        event_id: Uuid::nil(),
        group_id: GroupId::new("g").unwrap(),
        seq: 0,
        cause: None,
        recorded_at: Instant::from_micros(0),
    }
}

/// An extraction without mentions yet.
pub fn extraction(thread: Option<&str>, episode: &str) -> EpisodeExtracted {
    EpisodeExtracted {
        header: header(),
        episode: Episode {
            episode_id: EpisodeId::new(episode).unwrap(),
            thread_id: thread.map(|thread| ThreadId::new(thread).unwrap()),
            source: Source::Facts,
            author: None,
            body: String::new(),
            facts: Vec::new(),
            reference_time: Instant::from_micros(0),
            source_description: None,
            metadata: BTreeMap::new(),
            digest: String::new(),
        },
        mentions: Vec::new(),
        statements: Vec::new(),
        extractor: "facts".to_owned(),
        model: None,
        prompt_version: None,
        tokens: 0,
        notes: Vec::new(),
    }
}

pub fn push_mention(extracted: &mut EpisodeExtracted, named: &Named) -> i32 {
    let ordinal = extracted.mentions.len() as i32;
    extracted.mentions.push(Mention {
        ordinal,
        name: named.name.clone(),
        entity_type: named.entity_type.clone(),
        external_id: named.external_id.clone(),
        aliases: named.aliases.clone(),
        speaker: false,
        span: None,
    });
    ordinal
}

pub fn push_statement(
    extracted: &mut EpisodeExtracted,
    subject: i32,
    relation: &str,
    object: Option<i32>,
    value: Option<Literal>,
) {
    extracted.statements.push(ExtractedStatement {
        ordinal: extracted.statements.len() as i32,
        subject,
        relation: relation.to_owned(),
        object,
        value,
        fact: relation.to_owned(),
        valid_at: None,
        invalid_at: None,
        polarity: Polarity::Holds,
        exclusive: false,
        span: None,
    });
}
