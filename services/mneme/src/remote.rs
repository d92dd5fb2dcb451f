//! What the gateway asks of the process that owns the stores, as long as these are embedded ones: its
//! look-ups and its waits, over HTTP between the two processes. Nobody else is meant to use it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use mneme_api::{Applied, NotApplied, UpTo};
use mneme_gateway::{Found, Lookup, Records};
use mneme_model::GroupId;
use mneme_stores::StoreError;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Whether a path is of the way between the two processes.
pub fn is_internal(path: &str) -> bool {
    path.starts_with("/internal/")
}

/// Where look-ups are asked.
const LOOK_UP: &str = "/internal/look-up";
/// Where it is waited.
const WAIT: &str = "/internal/wait";
/// What an answer may take beyond the time that it is given.
const GRACE: Duration = Duration::from_secs(5);

#[derive(Serialize, Deserialize)]
struct Wait {
    group: GroupId,
    position: u64,
    up_to: UpTo,
    time: Duration,
}

/// Why there is no answer.
#[derive(Debug, Serialize, Deserialize)]
enum Failure {
    Unavailable(String),
    Broken(String),
    Refused(String),
    TimedOut,
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(reason) => Self::Unavailable(reason),
            StoreError::Broken(reason) => Self::Broken(reason),
            StoreError::Refused(reason) => Self::Refused(reason),
        }
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unavailable(reason) => Self::Unavailable(reason),
            Failure::Broken(reason) => Self::Broken(reason),
            Failure::Refused(reason) => Self::Refused(reason),
            Failure::TimedOut => Self::Unavailable("it did not answer in time".to_owned()),
        }
    }
}

#[derive(Clone)]
struct Answering {
    records: Arc<dyn Records>,
    applied: Arc<dyn Applied>,
}

/// The routes that answer.
pub fn router(records: Arc<dyn Records>, applied: Arc<dyn Applied>) -> Router {
    Router::new()
        .route(LOOK_UP, post(look_up))
        .route(WAIT, post(wait))
        .with_state(Answering { records, applied })
}

async fn look_up(State(answering): State<Answering>, body: Bytes) -> (StatusCode, Vec<u8>) {
    let Ok(lookup) = postcard::from_bytes::<Lookup>(&body) else {
        return (StatusCode::BAD_REQUEST, Vec::new());
    };
    let found = answering.records.look_up(lookup).await;
    encoded(&found.map_err(Failure::from))
}

async fn wait(State(answering): State<Answering>, body: Bytes) -> (StatusCode, Vec<u8>) {
    let Ok(Wait {
        group,
        position,
        up_to,
        time,
    }) = postcard::from_bytes::<Wait>(&body)
    else {
        return (StatusCode::BAD_REQUEST, Vec::new());
    };
    let waited = answering.applied.wait(&group, position, up_to, time);
    encoded(&waited.await.map_err(|error| match error {
        NotApplied::TimedOut => Failure::TimedOut,
        NotApplied::Unavailable(reason) => Failure::Unavailable(reason),
    }))
}

fn encoded<T: Serialize>(answer: &Result<T, Failure>) -> (StatusCode, Vec<u8>) {
    match postcard::to_stdvec(answer) {
        Ok(bytes) => (StatusCode::OK, bytes),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, Vec::new()),
    }
}

/// The owner of the stores, seen from another process.
pub struct Owner {
    http: reqwest::Client,
    base: String,
}

impl Owner {
    /// The owner that listens at an address.
    pub fn new(http: reqwest::Client, base: String) -> Self {
        Self { http, base }
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        path: &str,
        question: &impl Serialize,
        time: Duration,
    ) -> Result<T, Failure> {
        let away =
            |reason: String| Failure::Unavailable(format!("the owner of the stores: {reason}"));
        let body = postcard::to_stdvec(question).map_err(|error| away(error.to_string()))?;
        let sent = self
            .http
            .post(format!("{}{path}", self.base))
            .timeout(time)
            .body(body)
            .send();
        let answer = sent.await.map_err(|error| away(error.to_string()))?;
        if answer.status() != reqwest::StatusCode::OK {
            return Err(away(format!("it answered {}", answer.status())));
        }
        let bytes = answer
            .bytes()
            .await
            .map_err(|error| away(error.to_string()))?;
        let answer: Result<T, Failure> = postcard::from_bytes(&bytes).map_err(|_| {
            Failure::Broken("the owner of the stores is of another version".to_owned())
        })?;
        answer
    }
}

#[async_trait]
impl Records for Owner {
    async fn look_up(&self, lookup: Lookup) -> Result<Found, StoreError> {
        Ok(self.ask(LOOK_UP, &lookup, GRACE).await?)
    }
}

#[async_trait]
impl Applied for Owner {
    async fn wait(
        &self,
        group: &GroupId,
        position: u64,
        up_to: UpTo,
        timeout: Duration,
    ) -> Result<(), NotApplied> {
        let question = Wait {
            group: group.clone(),
            position,
            up_to,
            time: timeout,
        };
        let waited = self.ask(WAIT, &question, timeout + GRACE).await;
        waited.map_err(|failure| match failure {
            Failure::TimedOut => NotApplied::TimedOut,
            failure => NotApplied::Unavailable(StoreError::from(failure).to_string()),
        })
    }
}
