//! BM25 computed plainly, over all texts of a group, compared with what the store gives.

use std::collections::BTreeMap;

use mneme_events::Topic;

use crate::conformance::documents::*;
use crate::conformance::random::*;
use crate::{DocumentKind, EpisodeRow, TextField, TextHit, TextQuery, TextStore};

const GAP_HOURS: i64 = 6;

pub(super) async fn suite(store: &dyn TextStore, seed: u64) {
    let mut random = Random(seed);
    let mut episodes: BTreeMap<String, (i64, EpisodeRow)> = BTreeMap::new();
    for position in 0..60 {
        let name = format!("e{}", random.below(40));
        if random.below(6) == 0 {
            episodes.remove(&name);
            let erased = erase_episode(Topic::Episodes, &name);
            apply(store, 1, "g", vec![erased]).await;
            continue;
        }
        if episodes.contains_key(&name) {
            continue;
        }
        let thread = random.one(&[Some("t"), Some("u"), None]);
        let hours = random.below(120) as i64;
        let mut row = episode(&name, thread, hours, &random_text(&mut random));
        row.position = position;
        episodes.insert(name, (hours, row.clone()));
        apply(store, 1, "g", vec![put(row)]).await;
    }
    let mut rows: Vec<(i64, EpisodeRow)> = episodes.into_values().collect();
    rows.sort_by_key(|(hours, row)| (row.episode.thread_id.clone(), *hours, row.position));
    for text in ["lamp", "boat tree", "milk moon sand wolf 1970", "absent"] {
        let scope = scope(&["g"]);
        let fields = [TextField::Text, TextField::Window, TextField::Session];
        let query = TextQuery {
            scope: &scope,
            kind: DocumentKind::Episode,
            text,
            fields: &fields,
            time: any_time(),
            filter: None,
            limit: 100,
        };
        let lists = store.search(1, &query).await.unwrap();
        for (field, list) in fields.into_iter().zip(lists) {
            let expected = expected(&rows, field, text);
            compare(
                &list,
                &expected,
                &format!("{field:?} of '{text}', seed {seed}"),
            );
        }
    }
    store.drop_generation(1).await.unwrap();
}

fn compare(found: &[TextHit], expected: &BTreeMap<String, f64>, place: &str) {
    let mut names: Vec<&str> = found.iter().map(|hit| hit.id.as_str()).collect();
    names.sort_unstable();
    assert!(
        names.iter().copied().eq(expected.keys()),
        "what is found, {place}"
    );
    for hit in found {
        let score = expected[&hit.id];
        let near = (f64::from(hit.score) - score).abs() < 1e-4 * score.max(1.0);
        assert!(near, "{} has {}, not {score}, {place}", hit.id, hit.score);
    }
}

/// The score of each episode that a field finds.
fn expected(rows: &[(i64, EpisodeRow)], field: TextField, text: &str) -> BTreeMap<String, f64> {
    // Each span, as the indexes of its episodes, and the episode or episodes that it is the span of.
    let follows = |index: usize| {
        index > 0
            && index < rows.len()
            && rows[index].1.episode.thread_id.is_some()
            && rows[index].1.episode.thread_id == rows[index - 1].1.episode.thread_id
    };
    let mut spans: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
    for index in 0..rows.len() {
        match field {
            TextField::Text => spans.push((vec![index], vec![index])),
            TextField::Window => {
                let first = if follows(index) { index - 1 } else { index };
                let last = if follows(index + 1) { index + 1 } else { index };
                spans.push(((first..=last).collect(), vec![index]));
            }
            TextField::Session => {
                let goes_on = follows(index) && rows[index].0 - rows[index - 1].0 < GAP_HOURS;
                match spans.last_mut().filter(|_| goes_on) {
                    Some((members, owners)) => {
                        members.push(index);
                        owners.push(index);
                    }
                    None => spans.push((vec![index], vec![index])),
                }
            }
        }
    }
    let words_of = |members: &[usize]| -> Vec<String> {
        let texts = members.iter().map(|&index| {
            let episode = &rows[index].1.episode;
            let day = episode.reference_time.civil().strftime("%-d %B %Y");
            format!("{} {day}", episode.body).to_lowercase()
        });
        let texts: Vec<String> = texts.collect();
        let words = texts.iter().flat_map(|text| text.split_whitespace());
        // The stem of the only month that the hours of the cases reach.
        words
            .map(|word| word.replace("january", "januari"))
            .collect()
    };
    let texts: Vec<Vec<String>> = spans.iter().map(|(members, _)| words_of(members)).collect();
    let count = texts.len() as f64;
    let average = texts.iter().map(Vec::len).sum::<usize>() as f64 / count;
    let mut scores = BTreeMap::new();
    for ((_, owners), words) in spans.iter().zip(&texts) {
        let mut score = 0.0;
        for asked in text.split_whitespace() {
            let with = texts
                .iter()
                .filter(|words| words.iter().any(|word| word == asked));
            let with = with.count() as f64;
            let times = words.iter().filter(|word| *word == asked).count() as f64;
            let rarity = (1.0 + (count - with + 0.5) / (with + 0.5)).ln();
            let length = words.len() as f64 / average;
            score += rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length));
        }
        if score > 0.0 {
            for &owner in owners {
                scores.insert(rows[owner].1.episode.episode_id.to_string(), score);
            }
        }
    }
    scores
}
