//! What is read from the prose of the shipped example: all that it states plainly, and nothing else.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::fs;
use std::path::Path;

use mneme_events::{Author, Episode, EpisodeReceived, Event, EventHeader};
use mneme_extractor::Extractor;
use mneme_model::{EpisodeId, GroupId, Polarity, Source, ThreadId};
use mneme_stage::{Answers, MemoryRows, Stage, Step, note_seq, seal};
use serde_json::Value;

/// `episode: subject | RELATION | object`, with `(ended)` and the start where given.
const EXPECTED: &[&str] = &[
    "chat-team-1-3: Marit | SISTER_OF | Jonas Weil",
    "chat-team-1-4: Tom Ashby | LIVES_IN | Saltmere",
    "chat-web-lena-1: Lena Voss | WORKS_AT | Saltmere Marina 2021-01-01",
    "chat-web-lena-3: Lena Voss | PREFERS | mornings",
    "chat-web-nell-1: Nell Sorrow | LIVES_IN | Castlemoor",
    "tk-2004-1: Nell Sorrow | HAS_ROLE | stage manager",
    "tk-2004-1: Nell Sorrow | WORKS_AT | Orrery Theatre",
    "tk-2005-1: Kit Osei | OWNS | Bramble Kiln Bakery",
    "tk-2005-5: Kit Osei | PREFERS | warm scene",
    "chat-team-2-1: Mara Quist | WORKS_AT | Tidelamp 2026-02-23",
    "chat-team-2-3: Mara Quist | LIVES_IN | Castlemoor",
    "chat-sales-1-2: Tom Ashby | WORKS_AT | Vandermoor Logistics (ended)",
    "tk-2007-4: Ann Mercer | USES | Rota Hare",
    "chat-web-nell-3: Nell Sorrow | LIVES_IN | Porto 2026-04-01",
    "chat-web-nell-5: Nell Sorrow | WORKS_AT | Orrery Theatre",
    "tk-2010-1: Otis Grane | WORKS_AT | Saltmere Marina 2026-05-11",
    "tk-2010-3: Ann Lee | USES | Wharfbook (ended)",
    "tk-2010-3: Ann Lee | USES | Berthline",
    "tk-2010-5: Otis Grane | WORKS_AT | Saltmere Marina",
    "tk-2010-5: Otis Grane | REPORTS_TO | Ann Lee",
    "chat-sales-2-1: Ben Ortiz | MET | Lena Voss",
    "chat-sales-2-1: Lena Voss | WORKS_AT | Quillon Hotels",
    "chat-sales-2-3: Otis Grane | HAS_ROLE | electrical engineer",
    "tk-2011-1: Lena Voss | WORKS_AT | Quillon Hotels",
    "tk-2012-1: Tern Island Ferries | ADDRESS | 27 Dock Road, Ternhaven",
    "chat-sales-2-4: Saltmere Marina | ACCOUNT_OWNER | Mara Quist",
];

#[test]
fn the_prose_of_the_example() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/company");
    let stage = Extractor::default();
    let mut rows = MemoryRows::default();
    let mut found = Vec::new();
    for (seq, line) in ["episodes-1.jsonl", "episodes-2.jsonl"]
        .iter()
        .flat_map(|file| {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .enumerate()
    {
        let Some(episode) = prose(&serde_json::from_str(&line).unwrap()) else {
            continue;
        };
        let input = EpisodeReceived {
            header: EventHeader {
                event_id: Default::default(),
                group_id: GroupId::new("tidelamp").unwrap(),
                seq: 0,
                cause: None,
                recorded_at: episode.reference_time,
            },
            episode,
        }
        .into();
        let Step::Done(mut outputs) = stage.step(&rows, &input, &Answers::default()).unwrap()
        else {
            panic!("a model is asked for");
        };
        seal(stage.name(), &input, seq as i64, &mut outputs);
        for output in &outputs {
            stage.apply(&mut rows, output).unwrap();
            note_seq(&mut rows, output).unwrap();
            found.extend(shown(output));
        }
    }
    assert_eq!(found, EXPECTED);
}

fn prose(body: &Value) -> Option<Episode> {
    let text = |key: &str| body[key].as_str().map(str::to_owned);
    let source = match body["source"].as_str()? {
        "message" => Source::Message,
        "text" => Source::Text,
        _ => return None,
    };
    let author = body["author"].as_object().map(|author| Author {
        name: author["name"].as_str().unwrap().to_owned(),
        role: author["role"].as_str().map(str::to_owned),
        external_id: author["external_id"].as_str().map(str::to_owned),
    });
    Some(Episode {
        episode_id: EpisodeId::new(text("episode_id")?).unwrap(),
        thread_id: text("thread_id").map(|id| ThreadId::new(id).unwrap()),
        source,
        author,
        body: text("body")?,
        facts: Vec::new(),
        reference_time: text("reference_time")?.parse().unwrap(),
        source_description: None,
        metadata: Default::default(),
        digest: String::new(),
    })
}

fn shown(output: &Event) -> Vec<String> {
    let Event::EpisodeExtracted(event) = output else {
        panic!("{output:?}");
    };
    let name = |ordinal: i32| event.mentions[ordinal as usize].name.clone();
    let row = |statement: &mneme_events::ExtractedStatement| {
        let value = statement.value.as_ref().map(|value| value.text.clone());
        let mut row = format!(
            "{}: {} | {} | {}",
            event.episode.episode_id,
            name(statement.subject),
            statement.relation,
            statement.object.map(name).or(value).unwrap()
        );
        if let Some(start) = statement.valid_at {
            row.push_str(&format!(" {}", &start.at.to_string()[..10]));
        }
        if statement.polarity == Polarity::Ended {
            row.push_str(" (ended)");
        }
        row
    };
    event.statements.iter().map(row).collect()
}
