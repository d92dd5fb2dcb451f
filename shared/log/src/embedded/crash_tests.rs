//! Whatever instant a crash cuts the writing off at, the next opening finds the log as it was after
//! some number of whole requests, and after all of those that were on disk by then.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::Consumed;
use crate::conformance::material::*;

const STAGES: [&str; 2] = ["extractor", "resolver"];

/// What a test does to the log.
#[derive(Debug, Clone)]
enum Request {
    Append {
        topic: Topic,
        count: usize,
    },
    Commit {
        stage: usize,
        topic: Topic,
        count: usize,
        next: u64,
    },
}

fn any_request() -> impl Strategy<Value = Request> {
    let topic = || prop::sample::select(vec![Topic::Episodes, Topic::Extractions, Topic::Facts]);
    prop_oneof![
        (topic(), 1..6usize).prop_map(|(topic, count)| Request::Append { topic, count }),
        (0..2usize, topic(), 0..6usize, 1..99u64).prop_map(|(stage, topic, count, next)| {
            Request::Commit {
                stage,
                topic,
                count,
                next,
            }
        }),
    ]
}

/// All that can be read: what the topics say, and the positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Content {
    said: BTreeMap<Topic, Vec<String>>,
    positions: [u64; 2],
}

async fn content(log: &EmbeddedLog) -> Content {
    let mut content = Content::default();
    for topic in Topic::ALL {
        let said = all(log, topic, 0).await;
        assert_eq!(log.end(topic, 0).await.unwrap(), said.len() as u64);
        if !said.is_empty() {
            content.said.insert(topic, said);
        }
    }
    for (index, stage) in STAGES.into_iter().enumerate() {
        content.positions[index] = log.position(stage, Topic::Episodes, 0).await.unwrap();
    }
    content
}

/// The content after each request, and where it ended in the journal; nothing done comes first.
async fn perform(log: &EmbeddedLog, folder: &Path, requests: &[Request]) -> Vec<(Content, usize)> {
    let group = group("g");
    let mut stages = Vec::new();
    for stage in STAGES {
        stages.push(log.join(stage, Topic::Episodes).await.unwrap());
    }
    let mut history = vec![(content(log).await, journal(folder).len())];
    for (number, request) in requests.iter().enumerate() {
        let prefix = format!("{number}-");
        match *request {
            Request::Append { topic, count } => {
                log.append(records(topic, &group, &prefix, count))
                    .await
                    .unwrap();
            }
            Request::Commit {
                stage,
                topic,
                count,
                next,
            } => {
                let consumed = Consumed {
                    topic: Topic::Episodes,
                    partition: 0,
                    next,
                };
                let outputs = records(topic, &group, &prefix, count);
                stages[stage].commit(outputs, vec![consumed]).await.unwrap();
            }
        }
        history.push((content(log).await, journal(folder).len()));
    }
    history
}

fn is_journal(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jnl")
}

/// The bytes of the journal that were written; it is as long as it will ever be from the start.
fn journal(folder: &Path) -> Vec<u8> {
    let journals: Vec<_> = fs::read_dir(folder.join("data"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| is_journal(path))
        .collect();
    assert_eq!(journals.len(), 1);
    // No test writes more than this.
    let mut bytes = Vec::new();
    let file = File::open(&journals[0]).unwrap();
    file.take(1 << 18).read_to_end(&mut bytes).unwrap();
    let written = bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last + 1);
    bytes.truncate(written);
    bytes
}

/// Copies a folder with another journal.
fn copy(from: &Path, to: &Path, journal: &[u8]) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target, journal);
        } else if is_journal(&path) {
            let mut file = File::create(&target).unwrap();
            file.write_all(journal).unwrap();
            file.set_len(fs::metadata(&path).unwrap().len()).unwrap();
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// How a crash tears what was being written.
#[derive(Debug, Clone)]
enum Tear {
    /// It ends here.
    Short,
    /// Something foreign stands in its place.
    Garbage(Vec<u8>),
    /// So many bytes are missing; what follows them is there.
    Hole(usize),
}

fn any_tear() -> impl Strategy<Value = (usize, f64, Tear)> {
    let tear = prop_oneof![
        Just(Tear::Short),
        prop::collection::vec(any::<u8>(), 1..40).prop_map(Tear::Garbage),
        (1..300usize).prop_map(Tear::Hole),
    ];
    (0..12usize, 0.0..1.0f64, tear)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 20, ..Default::default() })]

    #[test]
    fn a_crash_leaves_whole_requests(
        requests in prop::collection::vec(any_request(), 1..12),
        tears in prop::collection::vec(any_tear(), 6),
    ) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let log = EmbeddedLog::open(EmbeddedLogConfig::new(folder.path())).unwrap();
        let history = runtime.block_on(perform(&log, folder.path(), &requests));
        // The files as they are while the log is open: nothing of a clean stop is in them.
        let whole = journal(folder.path());
        let crashed = tempfile::tempdir().unwrap();
        for (number, (request, place, tear)) in tears.into_iter().enumerate() {
            // While this request was written, so the ones before it are promised.
            let request = request % requests.len();
            let (start, end) = (history[request].1, history[request + 1].1);
            let at = start + ((end - start) as f64 * place) as usize;
            let mut torn = whole[..at].to_vec();
            match tear {
                Tear::Short => {}
                Tear::Garbage(bytes) => torn.extend(bytes),
                Tear::Hole(length) => {
                    let length = length.min(end - at);
                    torn.resize(at + length, 0);
                    torn.extend_from_slice(&whole[at + length..end]);
                }
            }
            let target = crashed.path().join(number.to_string());
            copy(folder.path(), &target, &torn);
            let reopened = EmbeddedLog::open(EmbeddedLogConfig::new(&target)).unwrap();
            let found = runtime.block_on(content(&reopened));
            let expected = if torn == whole[..end] { request + 1 } else { request };
            prop_assert_eq!(&found, &history[expected].0);
            // And it can be gone on with.
            let more = reopened.append(records(Topic::Facts, &group("g"), "more", 1));
            let end = found.said.get(&Topic::Facts).map_or(0, Vec::len) as u64;
            prop_assert_eq!(runtime.block_on(more).unwrap(), [end]);
            drop(reopened);
            let reopened = EmbeddedLog::open(EmbeddedLogConfig::new(&target)).unwrap();
            let facts = runtime.block_on(all(&reopened, Topic::Facts, 0));
            prop_assert_eq!(facts.last().map(String::as_str), Some("more0"));
        }
    }
}

#[test]
fn damage_to_what_was_acknowledged_is_refused() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let log = EmbeddedLog::open(EmbeddedLogConfig::new(folder.path())).unwrap();
    let request = Request::Append {
        topic: Topic::Episodes,
        count: 3,
    };
    let requests = [request.clone(), request.clone(), request];
    let history = runtime.block_on(perform(&log, folder.path(), &requests));
    let mut damaged = journal(folder.path());
    damaged[history[1].1..history[1].1 + 20].fill(0);
    let target = tempfile::tempdir().unwrap();
    copy(folder.path(), target.path(), &damaged);
    let config = EmbeddedLogConfig::new(target.path());
    let refused = EmbeddedLog::open(config.clone()).map(|_| ()).unwrap_err();
    assert!(refused.to_string().contains("damaged"), "{refused}");
    let given_up = EmbeddedLogConfig {
        fsync: false,
        ..config
    };
    let log = EmbeddedLog::open(given_up).unwrap();
    assert_eq!(runtime.block_on(content(&log)), history[1].0);
}
