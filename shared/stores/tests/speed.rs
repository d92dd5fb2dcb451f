//! How fast the embedded text and vector stores are. Not run by default:
//! `cargo test --release -p mneme-stores --test speed -- --ignored --nocapture`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement prints"
)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant as Stopwatch};

use mneme_events::{Author, Episode, ResolvedEntity};
use mneme_inference::{Embedder, StaticEmbedder};
use mneme_model::{
    EpisodeId, GroupId, GroupScope, Instant, Polarity, Source, ThreadId, TimePoint, derived_id,
};
use mneme_stores::embedded::text::EmbeddedText;
use mneme_stores::embedded::vector::EmbeddedVectors;
use mneme_stores::{
    Change, DocumentKind, EpisodeRow, FactObject, FactVersionRow, Projection, SupportRow,
    TextField, TextQuery, TextStore, TimeView, VectorQuery, VectorStore,
};
use uuid::Uuid;

const EPISODES: u64 = 50_000;
const FACTS: u64 = 100_000;
const BATCH: usize = 1_000;
const FREQUENT: [&str; 24] = [
    "the", "a", "and", "to", "of", "in", "she", "he", "was", "that", "it", "for", "with", "on",
    "is", "at", "we", "my", "did", "what", "so", "but", "have", "about",
];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// About as words are spread: every second one of some dozen, the others ever rarer.
    fn word(&mut self) -> String {
        if self.next().is_multiple_of(2) {
            return FREQUENT[(self.next() % 24) as usize].to_owned();
        }
        let share = (self.next() % 10_000) as f64 / 10_000.0;
        let rank = (20_000f64.powf(share)) as u64;
        let syllables = [
            "ba", "ko", "mi", "tu", "re", "sa", "lo", "ni", "du", "ve", "pa", "gi",
        ];
        let mut word = String::new();
        let mut rest = rank + 12;
        while rest > 0 {
            word.push_str(syllables[(rest % 12) as usize]);
            rest /= 12;
        }
        word
    }

    fn text(&mut self, words: u64) -> String {
        let words: Vec<String> = (0..words).map(|_| self.word()).collect();
        words.join(" ")
    }
}

fn id(of: &str, number: u64) -> Uuid {
    derived_id(Uuid::NAMESPACE_OID, &[of.as_bytes(), &number.to_be_bytes()])
}

fn episode(random: &mut Random, group: &GroupId, number: u64) -> Change {
    let reference_time = Instant::from_micros(1_700_000_000_000_000 + number as i64 * 600_000_000);
    let author = ["Ann", "Bob", "Caroline"][(number % 3) as usize];
    Change::PutEpisode(Box::new(EpisodeRow {
        group_id: group.clone(),
        episode: Episode {
            episode_id: EpisodeId::new(format!("e{number}")).unwrap(),
            thread_id: Some(ThreadId::new(format!("t{}", number / 500)).unwrap()),
            source: Source::Message,
            author: Some(Author {
                name: author.to_owned(),
                role: None,
                external_id: None,
            }),
            body: random.text(35),
            facts: Vec::new(),
            reference_time,
            source_description: None,
            metadata: BTreeMap::from([("channel".to_owned(), "\"web\"".to_owned())]),
            digest: String::new(),
        },
        recorded_at: reference_time,
        position: number,
    }))
}

fn fact(random: &mut Random, group: &GroupId, number: u64) -> [Change; 2] {
    let end = |name: String| ResolvedEntity {
        entity_id: id("entity", number % 5_000),
        name,
        entity_type: Some("Person".to_owned()),
    };
    let time = TimePoint::instant(Instant::from_micros(number as i64));
    let fact = random.text(9);
    let episode_id = EpisodeId::new(format!("e{}", number / 2)).unwrap();
    let version = FactVersionRow {
        group_id: group.clone(),
        version_id: id("version", number),
        fact_id: id("fact", number),
        subject: end(random.word()),
        relation: "WORKS_AT".to_owned(),
        object: FactObject::Entity(end(random.word())),
        fact: fact.clone(),
        valid_at: time,
        invalid_at: None,
        created_at: time.at,
        expired_at: number
            .is_multiple_of(10)
            .then_some(Instant::from_micros(number as i64 + 5)),
        support_since: None,
        episode_id: episode_id.clone(),
        reference_time: time.at,
    };
    let support = SupportRow {
        fact_id: version.fact_id,
        statement_id: id("statement", number),
        episode_id,
        thread_id: None,
        reference_time: time.at,
        fact,
        valid_at: time,
        invalid_at: None,
        polarity: Polarity::Holds,
    };
    [
        Change::PutFactVersion(Box::new(version)),
        Change::PutSupport(support),
    ]
}

/// The processor time of this process, all threads: what to read on a busy machine.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields = after_name
        .split(' ')
        .filter_map(|field| field.parse::<i64>().ok());
    // The state is no number, so user and system time are the 11th and 12th.
    let ticks: i64 = fields.skip(10).take(2).sum();
    Duration::from_millis(ticks as u64 * 10)
}

fn report(what: &str, mut times: Vec<Duration>, processor: Duration) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let each = processor / times.len() as u32;
    println!(
        "{what}: p50 {:.1?} p95 {:.1?} max {:.1?}, processor {each:.1?} each",
        at(0.5),
        at(0.95),
        at(1.0)
    );
}

async fn fill(store: &dyn Projection, groups: u64) -> Duration {
    let mut random = Random(1);
    let mut changes = Vec::new();
    for number in 0..EPISODES {
        let group = GroupId::new(format!("g{}", number % groups)).unwrap();
        changes.push((group.clone(), episode(&mut random, &group, number)));
    }
    for number in 0..FACTS {
        let group = GroupId::new(format!("g{}", number % groups)).unwrap();
        for change in fact(&mut random, &group, number) {
            changes.push((group.clone(), change));
        }
    }
    let mut slowest = Duration::ZERO;
    let (start, busy) = (Stopwatch::now(), processor());
    for batch in changes.chunks(BATCH) {
        let begun = Stopwatch::now();
        store.apply(1, batch, &[]).await.unwrap();
        slowest = slowest.max(begun.elapsed());
    }
    let took = start.elapsed();
    let rate = (EPISODES + FACTS) as f64 / took.as_secs_f64();
    let busy = processor() - busy;
    println!(
        "fill {groups} groups: {took:.1?}, processor {busy:.1?}, {rate:.0} documents/s, slowest \
         batch {slowest:.1?}"
    );
    took
}

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines = status
        .lines()
        .filter(|line| line.starts_with("VmRSS") || line.starts_with("VmHWM"));
    lines.collect::<Vec<_>>().join(", ")
}

fn size(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() {
                size(&entry.path())
            } else {
                metadata.len()
            }
        })
        .sum()
}

const QUESTIONS: [&str; 6] = [
    "what did Caroline have to say about the {} and the {}",
    "when did she {} with the {}",
    "{}",
    "was it Ann that we have in the {} at {}",
    "{} {} {}",
    "where is my {} and so on for the {} that he was about to have",
];

fn question(random: &mut Random, number: usize) -> String {
    let mut text = QUESTIONS[number % QUESTIONS.len()].to_owned();
    while text.contains("{}") {
        text = text.replacen("{}", &random.word(), 1);
    }
    text
}

async fn search_text(store: &EmbeddedText, groups: u64) {
    let mut random = Random(9);
    for (kind, fields) in [
        (DocumentKind::Episode, vec![TextField::Text]),
        (
            DocumentKind::Episode,
            vec![TextField::Text, TextField::Window, TextField::Session],
        ),
        (DocumentKind::Fact, vec![TextField::Text]),
    ] {
        let mut times = Vec::new();
        let mut hits = 0;
        let mut busy = processor();
        for number in 0..600 {
            let scope =
                GroupScope::one(GroupId::new(format!("g{}", number as u64 % groups)).unwrap());
            let text = question(&mut random, number);
            let query = TextQuery {
                scope: &scope,
                kind,
                text: &text,
                fields: &fields,
                time: TimeView::now(Instant::MAX),
                filter: None,
                limit: 100,
            };
            let begun = Stopwatch::now();
            let lists = store.search(1, &query).await.unwrap();
            times.push(begun.elapsed());
            if number == 0 {
                busy = processor();
            }
            hits += lists[0].len();
        }
        println!("first search {:.1?}", times[0]);
        report(
            &format!("text {kind:?} {} fields, {hits} hits", fields.len()),
            times.split_off(1),
            processor() - busy,
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement"]
async fn text() {
    for groups in [1, 1_000] {
        let folder = tempfile::tempdir().unwrap();
        let store = EmbeddedText::open(folder.path(), 128 << 20).unwrap();
        fill(&store, groups).await;
        println!("{}, {} MB on disk", memory(), size(folder.path()) >> 20);
        search_text(&store, groups).await;
        println!("{}", memory());
        let group = GroupId::new("g0").unwrap();
        let mut random = Random(3);
        let mut times = Vec::new();
        let busy = processor();
        for number in 0..50 {
            let begun = Stopwatch::now();
            let change = episode(&mut random, &group, EPISODES + number);
            store
                .apply(1, &[(group.clone(), change)], &[])
                .await
                .unwrap();
            times.push(begun.elapsed());
        }
        report("apply one", times, processor() - busy);
        drop(store);
        let (begun, busy) = (Stopwatch::now(), processor());
        let store = EmbeddedText::open(folder.path(), 128 << 20).unwrap();
        store
            .checkpoint(1, mneme_events::Topic::Facts, 0)
            .await
            .unwrap();
        println!(
            "open again {:.1?}, processor {:.1?}",
            begun.elapsed(),
            processor() - busy
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement"]
async fn vectors() {
    let embedder: Arc<dyn Embedder> = Arc::new(StaticEmbedder::shipped().unwrap());
    for groups in [1, 1_000] {
        let folder = tempfile::tempdir().unwrap();
        let store = EmbeddedVectors::open(folder.path(), Arc::clone(&embedder), 192 << 20).unwrap();
        fill(&store, groups).await;
        println!("{}, {} MB on disk", memory(), size(folder.path()) >> 20);
        let mut random = Random(9);
        for (kind, window) in [
            (DocumentKind::Episode, false),
            (DocumentKind::Episode, true),
            (DocumentKind::Fact, false),
        ] {
            let mut times = Vec::new();
            let mut busy = processor();
            for number in 0..300 {
                let group = GroupId::new(format!("g{}", number as u64 % groups)).unwrap();
                let scope = GroupScope::one(group);
                let text = question(&mut random, number);
                let vector = embedder.embed(&[&text]).unwrap().remove(0);
                let query = VectorQuery {
                    scope: &scope,
                    kind,
                    vector: &vector,
                    window,
                    time: TimeView::now(Instant::MAX),
                    filter: None,
                    limit: 100,
                    min_cosine: -1.0,
                };
                let begun = Stopwatch::now();
                store.search(1, &query).await.unwrap();
                times.push(begun.elapsed());
                if number == 0 {
                    busy = processor();
                }
            }
            println!("first search {:.1?}", times[0]);
            let busy = processor() - busy;
            report(
                &format!("vectors {kind:?} window {window}"),
                times.split_off(1),
                busy,
            );
        }
        println!("{}", memory());
        let group = GroupId::new("g0").unwrap();
        let mut times = Vec::new();
        let busy = processor();
        for number in 0..50 {
            let begun = Stopwatch::now();
            let change = episode(&mut random, &group, EPISODES + number);
            store
                .apply(1, &[(group.clone(), change)], &[])
                .await
                .unwrap();
            times.push(begun.elapsed());
        }
        report("apply one", times, processor() - busy);
    }
}
