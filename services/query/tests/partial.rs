//! A store that does not answer is named, and the others answer without it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is the report of a test"
)]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use mneme_api::SearchRequest;
use mneme_events::Topic;
use mneme_model::{GroupId, SystemClock};
use mneme_query::{QueryService, QuerySettings};
use mneme_stores::{
    Change, Checkpoint, Digest, DocumentKind, Generation, Projection, StoreError, TextHit,
    TextQuery, TextStore, VectorHit, VectorQuery, VectorStore,
};
use serde_json::json;
use support::{Memory, at, group, message};

/// Never answers a search, or says that it is away.
struct Silent {
    is_away: bool,
}

impl Silent {
    async fn answer<T>(&self) -> Result<T, StoreError> {
        if self.is_away {
            return Err(StoreError::Unavailable("it is away".to_owned()));
        }
        std::future::pending().await
    }
}

#[async_trait]
impl Projection for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }
    async fn apply(
        &self,
        _: Generation,
        _: &[(GroupId, Change)],
        _: &[Checkpoint],
    ) -> Result<(), StoreError> {
        Ok(())
    }
    async fn checkpoint(&self, _: Generation, _: Topic, _: u32) -> Result<u64, StoreError> {
        Ok(0)
    }
    async fn drop_generation(&self, _: Generation) -> Result<(), StoreError> {
        Ok(())
    }
    async fn digests(&self, _: Generation) -> Result<BTreeMap<GroupId, Digest>, StoreError> {
        Ok(BTreeMap::new())
    }
}

#[async_trait]
impl TextStore for Silent {
    async fn search(
        &self,
        _: Generation,
        _: &TextQuery<'_>,
    ) -> Result<Vec<Vec<TextHit>>, StoreError> {
        self.answer().await
    }
}

#[async_trait]
impl VectorStore for Silent {
    async fn search(
        &self,
        _: Generation,
        _: &VectorQuery<'_>,
    ) -> Result<Vec<VectorHit>, StoreError> {
        self.answer().await
    }
    async fn vectors(
        &self,
        _: Generation,
        _: &GroupId,
        _: DocumentKind,
        _: &[String],
    ) -> Result<Vec<Option<Vec<f32>>>, StoreError> {
        self.answer().await
    }
}

async fn memory() -> Memory {
    let memory = Memory::new();
    let g = group("g");
    let when = at("2024-01-01T00:00:00Z");
    let body = "The spare fuse hangs behind the apron hook.";
    memory
        .apply(vec![(g.clone(), message(&g, "e1", "Ann", body, when, 0))])
        .await;
    memory
}

fn request(more: serde_json::Value) -> SearchRequest {
    let mut body = json!({"group_ids": ["g"], "query": "spare fuse"});
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    serde_json::from_value(body).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_others_answer_without_it() {
    let memory = memory().await;
    let settings = QuerySettings {
        store_timeout_ms: 100,
        ..QuerySettings::default()
    };
    for is_away in [true, false] {
        let mut stores = memory.stores.clone();
        stores.text = Arc::new(Silent { is_away });
        let service = QueryService::new(stores, settings, Arc::new(SystemClock::default()));
        let answer = service.search(&request(json!({}))).await.unwrap();
        assert_eq!(answer.partial, ["text"]);
        assert_eq!(answer.results[0].id, "e1");

        let mut stores = memory.stores.clone();
        stores.vectors = Arc::new(Silent { is_away });
        let service = QueryService::new(stores, settings, Arc::new(SystemClock::default()));
        let answer = service
            .search(&request(json!({"rerank": "mmr"})))
            .await
            .unwrap();
        assert_eq!(answer.partial, ["vectors"]);
        assert_eq!(answer.results[0].id, "e1", "the order by evidence stays");
    }
}
