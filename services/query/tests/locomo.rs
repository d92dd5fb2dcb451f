//! The floor of recall, over the stores alone (no facts are drawn from the conversations): what the
//! ranking of episodes reaches. `MNEME_LOCOMO` names the file; without it the test says so and
//! passes, as the data may not be shipped.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is the report of a test"
)]

mod support;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use mneme_api::{
    ContextRequest, ContextResponse, EpisodeBody, FactsParams, FactsResponse, Problem,
    SearchRequest, SearchResponse,
};
use mneme_evaluation::locomo::{LocomoOptions, evaluate};
use mneme_evaluation::{ClientError, MemoryClient};
use mneme_model::GroupId;
use support::{Memory, message};

struct InProcess {
    memory: Memory,
    position: AtomicU64,
}

fn refused(error: mneme_query::QueryError) -> ClientError {
    ClientError::Refused(Problem::from(error))
}

#[async_trait]
impl MemoryClient for InProcess {
    async fn import(&self, episodes: Vec<EpisodeBody>) -> Result<(), ClientError> {
        let changes = episodes.into_iter().map(|episode| {
            let position = self.position.fetch_add(1, Ordering::Relaxed);
            let change = message(
                &episode.group_id,
                episode.episode_id.as_ref().unwrap().as_str(),
                &episode.author.as_ref().unwrap().name,
                episode.body.as_ref().unwrap().as_str().unwrap(),
                episode.reference_time,
                position,
            );
            (episode.group_id, change)
        });
        self.memory.apply(changes.collect()).await;
        Ok(())
    }

    async fn search(&self, request: &SearchRequest) -> Result<SearchResponse, ClientError> {
        self.memory.service.search(request).await.map_err(refused)
    }

    async fn context(&self, request: &ContextRequest) -> Result<ContextResponse, ClientError> {
        self.memory
            .service
            .context(request.clone())
            .await
            .map_err(refused)
    }

    async fn facts(
        &self,
        group: &GroupId,
        params: &FactsParams,
    ) -> Result<FactsResponse, ClientError> {
        self.memory
            .service
            .facts(group, params.clone())
            .await
            .map_err(refused)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recall_is_at_least_the_floor() {
    let Some(file) = std::env::var_os("MNEME_LOCOMO").map(PathBuf::from) else {
        println!("skipped: MNEME_LOCOMO names no file");
        return;
    };
    // Settings to try, as JSON; what is not set has its default.
    let settings = std::env::var("MNEME_LOCOMO_SETTINGS").unwrap_or_else(|_| "{}".to_owned());
    let client = InProcess {
        memory: Memory::with_settings(serde_json::from_str(&settings).unwrap()),
        position: AtomicU64::new(0),
    };
    let options = LocomoOptions::default();
    let report = evaluate(&client, &file, &options, &|_, _, _| {})
        .await
        .unwrap();
    println!("{}", serde_json::to_string_pretty(&report).unwrap());
    for (depth, floor) in [(5, 65.0), (10, 75.5), (20, 81.5)] {
        let recall = report.overall.recall[&depth];
        assert!(
            recall >= floor,
            "recall at {depth} is {recall}, the floor {floor}"
        );
    }
}
