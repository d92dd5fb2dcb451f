//! The bench's episodes: made from numbers, the same on every run, with words spread as in real text
//! (few are frequent, most are rare).

use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Client;
use crate::commands::lasts::{Lasts, last_of_each_group};

/// How many episodes go in one request, and how many requests are under way.
const BATCH: usize = 200;
const REQUESTS: usize = 4;

/// What an episode says.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// One statement about one of many people.
    Facts,
    /// A message of about 200 characters in one of many threads.
    Messages,
    /// A statement in always the same slot.
    Slot,
}

const WORDS: [&str; 64] = [
    "harbour",
    "invoice",
    "lamp",
    "pier",
    "window",
    "ticket",
    "garden",
    "engine",
    "cable",
    "paper",
    "meeting",
    "contract",
    "battery",
    "kitchen",
    "summer",
    "office",
    "signal",
    "market",
    "bridge",
    "river",
    "coffee",
    "schedule",
    "printer",
    "license",
    "archive",
    "voyage",
    "lantern",
    "mirror",
    "copper",
    "velvet",
    "ladder",
    "basket",
    "saddle",
    "orchard",
    "ferry",
    "violin",
    "marble",
    "pepper",
    "candle",
    "anchor",
    "barrel",
    "compass",
    "feather",
    "glacier",
    "harvest",
    "island",
    "jacket",
    "kettle",
    "lighthouse",
    "meadow",
    "needle",
    "oyster",
    "pillow",
    "quarry",
    "ribbon",
    "shelter",
    "timber",
    "umbrella",
    "valley",
    "whistle",
    "yard",
    "zipper",
    "beacon",
    "cellar",
];

/// A number that looks random and is not.
fn mix(number: usize) -> usize {
    let mut value = (number as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (value ^ (value >> 31)) as usize
}

/// Low numbers of words are frequent.
fn word(number: usize) -> &'static str {
    let random = mix(number);
    let skewed = (random % 64).min((random >> 8) % 64);
    WORDS[skewed]
}

fn time_of(number: usize) -> String {
    mneme_model::Instant::from_micros(1_700_000_000_000_000 + number as i64 * 60_000_000)
        .to_string()
}

/// The episode of a number.
pub fn episode(kind: Kind, group: &str, number: usize) -> Value {
    let time = time_of(number);
    match kind {
        Kind::Facts => {
            let person = format!("Person {}", word_name(mix(number) % 5_000));
            let place = format!("{} Works", word_name(5_000 + mix(number + 1) % 2_000));
            json!({
                "group_id": group, "episode_id": format!("fact-{number}"), "source": "facts",
                "reference_time": time,
                "facts": [{
                    "subject": person, "subject_type": "Person", "relation": "WORKS_WITH",
                    "object": place, "object_type": "Organization",
                    "fact": format!("{person} works with {place} on the {}", word(number * 3)),
                }],
            })
        }
        Kind::Messages => {
            let mut body = String::new();
            let mut count = 0;
            while body.len() < 180 {
                body.push_str(word(number * 64 + count));
                body.push(' ');
                count += 1;
            }
            body.push_str("was what we spoke of.");
            json!({
                "group_id": group, "episode_id": format!("message-{number}"), "source": "message",
                "thread_id": format!("thread-{}", number / 20), "reference_time": time,
                "author": { "name": format!("Speaker {}", word_name(mix(number / 20) % 300)) },
                "body": body,
            })
        }
        Kind::Slot => json!({
            "group_id": group, "episode_id": format!("slot-{number}"), "source": "facts",
            "reference_time": time,
            "facts": [{
                "subject": "ticket 1", "subject_type": "Ticket", "relation": "HAS_STATE",
                "value": WORDS[mix(number) % 8], "fact": "ticket 1 has another state",
            }],
        }),
    }
}

/// A name that identifies a number without digits (other digits would make another entity anyway,
/// but names rarely have any).
fn word_name(number: usize) -> String {
    let letters = |value: usize| {
        let consonants = [
            "b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v",
        ];
        let vowels = ["a", "e", "i", "o", "u"];
        format!("{}{}", consonants[value % 13], vowels[value / 13 % 5])
    };
    let mut name: String = (0..3)
        .map(|place| letters(number / 65_usize.pow(place) % 65))
        .collect();
    name.get_mut(..1).map(str::make_ascii_uppercase);
    name
}

/// A question of a number.
pub fn question(number: usize) -> String {
    format!(
        "what did {} say about the {} and the {}",
        word_name(mix(number) % 5_000),
        word(number * 5),
        word(number * 11 + 3)
    )
}

/// Sends episodes in order of their batches and returns when all can be searched. Tells how long it
/// took until all were accepted.
pub async fn send(
    client: &Client,
    episodes: impl Iterator<Item = Value>,
) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let mut episodes = episodes.peekable();
    let mut lasts = Lasts::default();
    let mut request = 0;
    let mut sending = FuturesUnordered::new();
    loop {
        while sending.len() < REQUESTS && !lasts.is_full() && episodes.peek().is_some() {
            let batch: Vec<Value> = episodes.by_ref().take(BATCH).collect();
            request += 1;
            for last in last_of_each_group(&batch) {
                lasts.sent(request, last);
            }
            let body = json!({ "episodes": batch });
            sending.push(async move {
                let path = ["v1", "episodes", "batch"];
                let answer = client.call::<Value>(Method::POST, &path, &[], &body).await;
                (request, answer)
            });
        }
        match sending.next().await {
            Some((request, answer)) => {
                lasts.answered(request);
                let results = answer?["results"].as_array().cloned().unwrap_or_default();
                let refused = results.iter().find(|result| result["problem"].is_object());
                anyhow::ensure!(refused.is_none(), "an episode was refused: {refused:?}");
            }
            None => {
                let accepted = started.elapsed();
                lasts.wait(client).await?;
                if episodes.peek().is_none() {
                    return Ok(accepted);
                }
            }
        }
    }
}
