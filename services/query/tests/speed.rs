mod support;
use mneme_api::SearchRequest;
use std::time::Instant as Clock;
use support::{Memory, Stated, at, group, message};

const WORDS: &[&str] = &[
    "account", "invoice", "kiln", "garden", "ticket", "owner", "plan", "upgrade", "meeting",
    "train", "river", "coffee", "school", "market", "bicycle", "camera", "mountain", "painting",
    "concert", "doctor", "engine", "harbor", "letter", "music", "office", "pottery", "recipe",
    "soccer", "theater", "violin", "weather", "window", "yoga", "zebra", "airport", "bakery",
    "castle", "desert", "forest", "guitar",
];
fn word(n: &mut u64) -> &'static str {
    *n = n
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    let r = (*n >> 33) as usize;
    let i = (r % (WORDS.len() * WORDS.len()));
    WORDS[(i as f64).sqrt() as usize]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore]
async fn speed() {
    let facts: usize = std::env::var("FACTS")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(100_000);
    let memory = Memory::new();
    let g = group("a");
    let mut n = 1u64;
    let started = Clock::now();
    let mut changes = Vec::new();
    for i in 0..facts / 2 {
        let body = (0..20).map(|_| word(&mut n)).collect::<Vec<_>>().join(" ");
        let author = if i % 3 == 0 { "Ann Lee" } else { "Bob Stone" };
        changes.push((
            g.clone(),
            message(
                &g,
                &format!("e{i}"),
                author,
                &format!("{body} number {i}."),
                at("2024-01-01T00:00:00Z"),
                i as u64,
            ),
        ));
        if changes.len() > 5000 {
            memory.apply(std::mem::take(&mut changes)).await;
        }
    }
    memory.apply(std::mem::take(&mut changes)).await;
    println!("episodes {:?}", started.elapsed());
    for i in 0..facts {
        let (subject, object) = (
            format!("Person {}", i % 5000),
            format!("Thing {}", (i * 7) % 5000),
        );
        let sentence = format!(
            "{subject} {} the {} of {object} in case {i}",
            word(&mut n),
            word(&mut n)
        );
        let episode = format!("e{}", i / 2);
        let stated = Stated {
            subject: &subject,
            relation: "RELATES",
            object: &object,
            sentence: &sentence,
            from: "2023-05-01",
            until: None,
            episode: &episode,
        };
        changes.extend(stated.changes(&g));
        if changes.len() > 5000 {
            memory.apply(std::mem::take(&mut changes)).await;
        }
    }
    memory.apply(std::mem::take(&mut changes)).await;
    println!("facts {:?}", started.elapsed());
    for (name, scopes) in [
        ("all", None),
        ("facts", Some(serde_json::json!(["facts"]))),
        ("episodes", Some(serde_json::json!(["episodes"]))),
    ] {
        let mut times = Vec::new();
        for i in 0..200 {
            let query = format!(
                "When did Person {} {} the {} of the {}?",
                (i * 37) % 5000,
                word(&mut n),
                word(&mut n),
                word(&mut n)
            );
            let mut body = serde_json::json!({"group_ids": ["a"], "query": query});
            if let Some(s) = &scopes {
                body["scopes"] = s.clone();
            }
            let request: SearchRequest = serde_json::from_value(body).unwrap();
            let t = Clock::now();
            let found = memory.service.search(&request).await.unwrap();
            if !found.partial.is_empty() || i == 0 {
                println!("{i}: {:?} after {:?}", found.partial, t.elapsed());
            }
            if i >= 20 {
                times.push(t.elapsed());
            }
        }
        times.sort();
        println!(
            "{name}: p50 {:?} p95 {:?} p99 {:?}",
            times[times.len() / 2],
            times[times.len() * 95 / 100],
            times[times.len() * 99 / 100]
        );
    }
}
