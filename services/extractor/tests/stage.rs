//! The extractor as a stage: idempotency, control events, context, models.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::collections::BTreeMap;

use mneme_events::{
    Author, Episode, EpisodeErased, EpisodeExtracted, EpisodeReceived, Event, EventHeader,
    OntologyChanged, follow_up_id,
};
use mneme_extractor::{Extractor, ExtractorConfig, ModelReader};
use mneme_model::{EpisodeId, GroupId, Instant, Source, ThreadId};
use mneme_stage::{
    Answers, GroupRows, Inference, MemoryRows, Stage, Step, last_seq, note_seq, seal,
};

/// A stage with the rows of one group, run as the runtime runs it.
struct Group {
    stage: Extractor,
    rows: MemoryRows,
    inputs: usize,
}

impl Group {
    fn new(config: ExtractorConfig) -> Self {
        Self {
            stage: Extractor::new(config),
            rows: MemoryRows::default(),
            inputs: 0,
        }
    }

    fn header(&mut self) -> EventHeader {
        self.inputs += 1;
        EventHeader {
            event_id: follow_up_id(Default::default(), "test", self.inputs),
            group_id: GroupId::new("g").unwrap(),
            seq: 0,
            cause: None,
            recorded_at: at("2026-01-01"),
        }
    }

    fn run(&mut self, input: Event, answers: &Answers) -> Result<Vec<Event>, Vec<Inference>> {
        let mut outputs = match self.stage.step(&self.rows, &input, answers).unwrap() {
            Step::Need(needs) => return Err(needs),
            Step::Done(outputs) => outputs,
        };
        let last = last_seq(&self.rows).unwrap();
        seal(self.stage.name(), &input, last, &mut outputs);
        for output in &outputs {
            self.stage.apply(&mut self.rows, output).unwrap();
            note_seq(&mut self.rows, output).unwrap();
        }
        Ok(outputs)
    }

    fn receive(&mut self, episode: Episode) -> Vec<Event> {
        let header = self.header();
        let input = EpisodeReceived { header, episode }.into();
        self.run(input, &Answers::default()).unwrap()
    }

    fn erase(&mut self, id: &str) -> Vec<Event> {
        let header = self.header();
        let episode_id = EpisodeId::new(id).unwrap();
        let input = EpisodeErased { header, episode_id }.into();
        self.run(input, &Answers::default()).unwrap()
    }

    fn content(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        self.rows.range(&[1], &[0xff]).collect()
    }
}

fn at(text: &str) -> Instant {
    text.parse().unwrap()
}

fn message(id: &str, author: &str, body: &str, time: &str) -> Episode {
    Episode {
        episode_id: EpisodeId::new(id).unwrap(),
        thread_id: Some(ThreadId::new("t").unwrap()),
        source: Source::Message,
        author: Some(Author {
            name: author.to_owned(),
            role: Some("user".to_owned()),
            external_id: None,
        }),
        body: body.to_owned(),
        facts: Vec::new(),
        reference_time: at(time),
        source_description: None,
        metadata: BTreeMap::new(),
        digest: String::new(),
    }
    .with_digest()
}

fn extracted(outputs: &[Event]) -> &EpisodeExtracted {
    match outputs {
        [Event::EpisodeExtracted(event)] => event,
        other => panic!("expected one EpisodeExtracted, got {other:?}"),
    }
}

#[test]
fn the_first_episode_of_an_id_stands_until_it_is_erased() {
    let mut group = Group::new(ExtractorConfig::default());
    let first = message("e1", "Ann Lee", "I live in Castlemoor.", "2026-01-01");
    let other = message("e1", "Ann Lee", "I live in Porto.", "2026-01-01");
    assert_eq!(extracted(&group.receive(first.clone())).episode, first);
    assert_eq!(group.receive(first), []);
    assert_eq!(group.receive(other.clone()), []);
    assert!(matches!(
        group.erase("e1").as_slice(),
        [Event::EpisodeErased(_)]
    ));
    assert_eq!(group.erase("e1"), []);
    assert_eq!(extracted(&group.receive(other)).statements.len(), 1);
}

#[test]
fn an_erased_message_leaves_nothing() {
    let mut group = Group::new(ExtractorConfig::default());
    group.receive(message("e1", "Ann Lee", "Hello Bo.", "2026-01-01"));
    let before = group.content();
    group.receive(message("e2", "Bo Kay", "The code is 7719.", "2026-01-02"));
    group.erase("e2");
    assert_eq!(group.content(), before);
    assert_eq!(group.erase("never there"), []);
}

#[test]
fn control_events_are_forwarded_and_the_ontology_is_kept() {
    let mut group = Group::new(ExtractorConfig::default());
    let header = group.header();
    let ontology = r#"{"relations":{"worksAt":{}}}"#.to_owned();
    let input: Event = OntologyChanged { header, ontology }.into();
    let outputs = group.run(input.clone(), &Answers::default()).unwrap();
    assert_eq!(outputs.len(), 1);
    assert_eq!(outputs[0].header().cause, Some(input.header().event_id));
    let record = Episode {
        source: Source::Json,
        thread_id: None,
        ..message(
            "e1",
            "Ann",
            r#"{"name": "Ann", "works_at": {"name": "Acme"}}"#,
            "2026-01-01",
        )
    };
    let outputs = group.receive(record);
    let event = extracted(&outputs);
    assert_eq!(event.statements[0].relation, "worksAt");
    assert_eq!(event.extractor, "json");
}

#[test]
fn the_same_inputs_give_the_same_outputs_and_rows() {
    let run = || {
        let mut group = Group::new(ExtractorConfig::default());
        let mut outputs = Vec::new();
        for (id, author, body) in [
            (
                "e1",
                "Ann Lee",
                "I met Lena Voss on Monday. She works at Quillon Hotels now.",
            ),
            (
                "e2",
                "Bo Kay",
                "She lives in Porto. I no longer use Wharfbook.",
            ),
        ] {
            outputs.extend(group.receive(message(id, author, body, "2026-03-04T10:00:00Z")));
        }
        outputs.extend(group.erase("e1"));
        (outputs, group.rows)
    };
    assert_eq!(run(), run());
}

fn with_model() -> Group {
    Group::new(ExtractorConfig {
        model: Some(ModelReader::new("stub", "1")),
        ..ExtractorConfig::default()
    })
}

fn ask(group: &mut Group, episode: Episode, answer: Result<&str, &str>) -> Vec<Event> {
    let header = group.header();
    let input: Event = EpisodeReceived { header, episode }.into();
    let needs = group.run(input.clone(), &Answers::default()).unwrap_err();
    let mut answers = Answers::default();
    let answer = answer
        .map(|text| text.as_bytes().to_vec())
        .map_err(str::to_owned);
    answers.insert(needs[0].digest(), answer);
    group.run(input, &answers).unwrap()
}

#[test]
fn a_model_reads_and_its_answer_is_checked() {
    let mut group = with_model();
    let answer = r#"{"entities": [{"name": "NordKai", "type": "Organization", "aliases": ["NK"],
            "attributes": {"size": 4}}, {"type": "Thing"}],
        "facts": [{"subject": "I", "relation": "WORKS_AT", "object": "nordkai", "fact": "x",
                   "valid_at": "March 2018", "invalid_at": "when pigs fly"},
                  {"subject": "I", "relation": "OWNS"}], "delete": ["everything"]}"#;
    let outputs = ask(
        &mut group,
        message("e1", "Ann Lee", "…", "2026-01-01"),
        Ok(answer),
    );
    let event = extracted(&outputs);
    assert_eq!(event.extractor, "model");
    assert_eq!(event.model.as_deref(), Some("stub"));
    let names: Vec<_> = event.mentions.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["NordKai", "Ann Lee"]);
    assert_eq!(event.mentions[0].aliases, ["NK"]);
    assert!(event.mentions[1].speaker);
    assert_eq!(event.statements.len(), 2);
    assert!(event.statements[0].exclusive);
    let works = &event.statements[1];
    assert_eq!((works.subject, works.object), (1, Some(0)));
    assert_eq!(works.valid_at.unwrap().at, at("2018-03"));
    assert_eq!(works.invalid_at, None);
    let notes = event.notes.join("\n");
    for expected in ["dropped: entities[1]", "dropped: facts[1]", "invalid_at"] {
        assert!(notes.contains(expected), "{notes}");
    }
}

#[test]
fn an_answer_that_cannot_be_used_fails_the_episode_without_repeating_it() {
    let mut group = with_model();
    for (id, answer) in [("e1", Ok("the code is 7719")), ("e2", Err("refused"))] {
        let outputs = ask(&mut group, message(id, "Ann", "…", "2026-01-01"), answer);
        let [Event::ExtractionFailed(failed)] = outputs.as_slice() else {
            panic!("{outputs:?}");
        };
        assert!(!failed.reason.contains("7719"));
        // It is known nevertheless.
        assert_eq!(group.receive(message(id, "Ann", "…", "2026-01-01")), []);
    }
}

#[test]
fn a_model_sees_earlier_messages_and_none_from_later() {
    let mut group = with_model();
    let empty = Ok(r#"{"entities": [], "facts": []}"#);
    for (id, body, time) in [
        (
            "m1",
            "The ladder is in shed Condor.",
            "2024-05-01T08:00:00Z",
        ),
        ("m3", "The rope is in shed Osprey.", "2024-05-01T10:00:00Z"),
    ] {
        ask(&mut group, message(id, "Sif", body, time), empty);
    }
    let header = group.header();
    let episode = message("m2", "Sif", "It is locked.", "2024-05-01T15:00:00+06:00");
    let needs = group
        .run(
            EpisodeReceived { header, episode }.into(),
            &Answers::default(),
        )
        .unwrap_err();
    assert!(needs[0].request.contains("shed Condor"));
    assert!(needs[0].request.contains("It is locked"));
    assert!(!needs[0].request.contains("shed Osprey"));
}
