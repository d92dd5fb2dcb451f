//! An import goes on while processes and the broker are killed, stopped and paused at random. Nothing
//! that was acknowledged is lost, kept twice or out of order, and the memory is that of a run that
//! nothing happened to.
//!
//! `MNEME_CHAOS_EPISODES`, `MNEME_CHAOS_SECONDS` and `MNEME_SEED` make it larger or another one.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a panic is the report of a test"
)]

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mneme_chaos::{
    Broker, Ended, Progress, Tails, Topics, digests_are_equal, disturb, import, servers,
    undisturbed,
};
use mneme_conformance::Kafka;
use mneme_end_to_end::{Place, episodes, every_episode_is_done, number_from};
use serde_json::Value;
use tokio::time::sleep;

const GROUPS: usize = 50;

/// The episodes of the import by group.
fn groups(count: usize) -> Vec<(String, Vec<Value>)> {
    let mut all = episodes(count);
    let mut groups: Vec<(String, Vec<Value>)> = Vec::new();
    for number in 0..GROUPS {
        let group = format!("chaos-{number:02}");
        let mut own: Vec<Value> = all
            .iter_mut()
            .skip(number)
            .step_by(GROUPS)
            .map(Value::take)
            .collect();
        for episode in &mut own {
            episode["group_id"] = group.clone().into();
        }
        groups.push((group, own));
    }
    groups
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disturbed_import_ends_like_an_undisturbed_one() {
    let Some(kafka) = servers() else { return };
    let kafka = Kafka {
        partitions: 12,
        instances: 2,
        ..kafka
    };
    let broker = Broker::local(&kafka);
    let count = number_from("MNEME_CHAOS_EPISODES", 600) as usize;
    let time = Duration::from_secs(number_from("MNEME_CHAOS_SECONDS", 40));
    let seed = number_from("MNEME_SEED", 9);
    let place = Arc::new(Place::over(kafka.clone()).await);
    let _tails = Tails::of(place.server.output());
    let progress = Arc::new(Progress::default());
    let importing = tokio::spawn(import(
        Arc::clone(&place),
        groups(count),
        Arc::clone(&progress),
    ));
    // The import lasts as long as the disturbances do.
    let pacing = Arc::clone(&progress);
    let started = Instant::now();
    let paced = tokio::spawn(async move {
        while started.elapsed() < time {
            let share = started.elapsed().as_secs_f64() / time.as_secs_f64();
            pacing
                .allowed
                .store((count as f64 * share) as usize, Ordering::Release);
            sleep(Duration::from_millis(50)).await;
        }
        pacing.allowed.store(count, Ordering::Release);
    });
    let (ended, server) = (Ended::default(), &place.server);
    let (disturbed, took) = ended
        .started_again_during(server, async {
            let disturbed = disturb(server, &broker, seed, time).await;
            paced.await.unwrap();
            importing.await.unwrap();
            let over = Instant::now();
            for (group, own) in groups(count) {
                every_episode_is_done(&place.client(), &group, own.len()).await;
            }
            (disturbed, over.elapsed())
        })
        .await;
    println!(
        "{count} episodes of {GROUPS} groups in {:.0?}, {} refused for now; survived with seed {seed}: \
         {disturbed}; ended by themselves: {:?}; all was applied {took:.1?} after the last",
        started.elapsed(),
        progress.refused.load(Ordering::Relaxed),
        ended.all()
    );
    let topics = Topics::read(&kafka, place.server.namespace().unwrap()).await;
    topics.are_counted_without_gap_or_repeat();
    topics.hold_nothing_back();
    for (group, own) in groups(count) {
        let ids = own.iter().map(|episode| episode["episode_id"].as_str());
        let ids: Vec<String> = ids.map(|id| id.unwrap().to_owned()).collect();
        topics.have_each_once_in_order(&group, &ids);
    }
    let undisturbed = undisturbed(&topics).await;
    digests_are_equal(&place.client(), &undisturbed.client()).await;
    let verified = place
        .mneme(&["verify", "--url", &place.client().base()])
        .await;
    assert!(verified.status.success(), "{verified:?}");
}
