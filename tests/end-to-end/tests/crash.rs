//! A process that is killed again and again during an import loses nothing that it acknowledged,
//! keeps nothing twice, and ends with what an undisturbed run has.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use mneme_end_to_end::{
    Dice, GROUPS, Place, content, episodes, every_episode_is_done, number_from, ontology,
};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

const EPISODES: usize = 2_000;
/// How many episodes one request carries at the most.
const BATCH: usize = 5;

/// How far an import may go and how far it has gone, in episodes of all groups.
#[derive(Default)]
struct Progress {
    allowed: AtomicUsize,
    begun: AtomicUsize,
}

impl Progress {
    /// How many of so many episodes may be sent next.
    fn take(&self, most: usize) -> usize {
        let mut taken = 0;
        let _ = self
            .begun
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |begun| {
                taken = self
                    .allowed
                    .load(Ordering::Acquire)
                    .saturating_sub(begun)
                    .min(most);
                Some(begun + taken)
            });
        taken
    }
}

/// Sends a group's episodes in order, each batch until it is acknowledged, and returns the ids that
/// were.
async fn import(
    place: Arc<Place>,
    progress: Arc<Progress>,
    episodes: Vec<Value>,
) -> BTreeSet<String> {
    let mut acknowledged = BTreeSet::new();
    let mut left = &episodes[..];
    let mut batch: &[Value] = &[];
    while !left.is_empty() {
        if batch.is_empty() {
            batch = &left[..progress.take(left.len().min(BATCH))];
        }
        if batch.is_empty() {
            sleep(Duration::from_millis(2)).await;
            continue;
        }
        let body = json!({"episodes": batch});
        let path = ["v1", "episodes", "batch"];
        let answer = place
            .client()
            .send(Method::POST, &path, &[], Some(&body))
            .await;
        let Ok(answer) = answer else {
            // Killed: the same batch goes to the process after it.
            sleep(Duration::from_millis(10)).await;
            continue;
        };
        assert!(answer.is_success(), "{}", answer.brief());
        let results = answer.json()["results"].as_array().unwrap().clone();
        assert_eq!(results.len(), batch.len());
        for result in results {
            assert!(result.get("problem").is_none(), "{result}");
            acknowledged.insert(result["episode_id"].as_str().unwrap().to_owned());
        }
        left = &left[batch.len()..];
        batch = &[];
    }
    acknowledged
}

/// Imports all groups at once, with so many kills at random instants spread over the import.
async fn run(kills: u64) -> Arc<Place> {
    let place = Arc::new(Place::new().await);
    for group in GROUPS {
        let path = ["v1", "groups", group, "ontology"];
        let answer = place
            .client()
            .write(Method::PUT, &path, Some(&ontology()))
            .await
            .unwrap();
        assert!(answer.is_success(), "{}", answer.brief());
    }
    let progress = Arc::new(Progress::default());
    let import_of = |group: &str| {
        let all = episodes(EPISODES).into_iter();
        let own = all.filter(|episode| episode["group_id"] == group).collect();
        tokio::spawn(import(place.clone(), progress.clone(), own))
    };
    let imports = GROUPS.map(import_of);
    let mut dice = Dice::new(number_from("MNEME_SEED", 9));
    for kill in 0..kills {
        let allowed = EPISODES * (kill as usize + 1) / kills as usize;
        progress.allowed.store(allowed, Ordering::Release);
        sleep(Duration::from_micros(dice.below(150_000))).await;
        place.server.kill().await.unwrap();
        if dice.below(5) == 0 {
            let soon = Duration::from_micros(dice.below(100_000));
            place.server.start_and_kill(soon).await.unwrap();
        }
        place
            .server
            .start_again()
            .await
            .unwrap_or_else(|error| panic!("kill {kill}: {error}"));
    }
    progress.allowed.store(EPISODES, Ordering::Release);
    let acknowledged = join_all(imports).await;
    for (group, ids) in GROUPS.iter().zip(acknowledged) {
        let ids = ids.unwrap();
        assert_eq!(ids.len(), EPISODES / GROUPS.len());
        every_episode_is_done(&place.client(), group, ids.len()).await;
    }
    place
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_and_undisturbed_imports_end_alike() {
    let undisturbed = run(0).await;
    let killed = run(number_from("MNEME_KILLS", 40)).await;
    for group in GROUPS {
        let expected = content(&undisturbed.client(), group).await;
        let came = content(&killed.client(), group).await;
        for (what, rows) in &expected {
            let missing: Vec<_> = rows.difference(&came[what]).take(5).collect();
            let beside: Vec<_> = came[what].difference(rows).take(5).collect();
            assert!(
                missing.is_empty() && beside.is_empty(),
                "{what} of {group}: missing {missing:#?}, beside {beside:#?}"
            );
            assert!(!rows.is_empty(), "no {what} in {group}");
        }
    }
    let verified = killed
        .mneme(&["verify", "--url", &killed.client().base()])
        .await;
    assert!(verified.status.success(), "{verified:?}");
    killed.server.stop().await.unwrap();
    let data = killed.server.data().to_str().unwrap();
    let verified = killed.mneme(&["verify", "--data", data]).await;
    assert!(verified.status.success(), "{verified:?}");
}
