//! An import over the gateway that takes no for an answer and asks again: groups at once, the episodes
//! of a group one after the other, each until it is acknowledged.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use mneme_end_to_end::{Place, ontology};
use reqwest::Method;
use serde_json::Value;
use tokio::time::sleep;

/// How far an import may go and how far it is, in episodes of all groups.
#[derive(Default)]
pub struct Progress {
    /// How many may be begun.
    pub allowed: AtomicUsize,
    begun: AtomicUsize,
    /// How many answers were refusals for now (503), or none at all.
    pub refused: AtomicUsize,
}

impl Progress {
    async fn take_one(&self) {
        let take = |begun| (begun < self.allowed.load(Ordering::Acquire)).then_some(begun + 1);
        while self
            .begun
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, take)
            .is_err()
        {
            sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Imports the episodes of each group, after an ontology, and returns when all are acknowledged.
pub async fn import(place: Arc<Place>, groups: Vec<(String, Vec<Value>)>, progress: Arc<Progress>) {
    let imports = groups.into_iter().map(|(group, episodes)| {
        let (place, progress) = (Arc::clone(&place), Arc::clone(&progress));
        tokio::spawn(async move {
            let path = ["v1", "groups", &group, "ontology"];
            until_taken(&place, &progress, Method::PUT, &path, &ontology()).await;
            for episode in &episodes {
                progress.take_one().await;
                let path = ["v1", "episodes"];
                until_taken(&place, &progress, Method::POST, &path, episode).await;
            }
        })
    });
    for ended in join_all(imports).await {
        ended.unwrap();
    }
}

async fn until_taken(
    place: &Place,
    progress: &Progress,
    method: Method,
    path: &[&str],
    body: &Value,
) {
    loop {
        // Asked for each time: a gateway that was started anew has another port.
        let client = place.client();
        match client.send(method.clone(), path, &[], Some(body)).await {
            Ok(answer) if answer.is_success() => return,
            Ok(answer) => assert_eq!(answer.status, 503, "{}", answer.brief()),
            Err(_) => {}
        }
        progress.refused.fetch_add(1, Ordering::Relaxed);
        sleep(Duration::from_millis(200)).await;
    }
}
