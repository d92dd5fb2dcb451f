//! A client of the HTTP API that never waits without bound: each request ends after
//! [`Client::PATIENCE`], well above the time that a write waits for its projections.

use std::time::Duration;

use reqwest::{Method, Url};
use serde_json::{Value, json};

/// Talks to one server.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
}

/// What the server answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body as text.
    pub text: String,
    /// The header `Retry-After`, where there is one.
    pub retry_after: Option<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The base or path makes no address.
    #[error("no address: {0}")]
    Address(String),
    /// The server did not answer, or not in time.
    #[error("no answer to {request}: {reason}")]
    NoAnswer {
        /// Method and path.
        request: String,
        /// The innermost cause.
        reason: String,
    },
}

impl Client {
    /// How long an answer may take.
    pub const PATIENCE: Duration = Duration::from_secs(40);
    /// How long a write is told to wait for its projections, in milliseconds.
    pub const APPLIED_WITHIN_MS: u64 = 30_000;

    /// A client of the server at `base`, like `http://127.0.0.1:7474`.
    pub fn new(base: &str) -> Result<Self, ClientError> {
        let base = Url::parse(base).map_err(|error| ClientError::Address(error.to_string()))?;
        let http = reqwest::Client::builder()
            .timeout(Self::PATIENCE)
            .no_proxy()
            .build()
            .map_err(|error| ClientError::Address(innermost(&error)))?;
        Ok(Self { http, base })
    }

    /// The address of the server, as the command line takes it for `--url`.
    pub fn base(&self) -> String {
        self.base.as_str().trim_end_matches('/').to_owned()
    }

    /// The address of a path given in segments, each encoded as needed.
    pub fn address(&self, segments: &[&str], query: &[(&str, String)]) -> Result<Url, ClientError> {
        let mut url = self.base.clone();
        url.path_segments_mut()
            .map_err(|()| ClientError::Address(self.base.to_string()))?
            .clear()
            .extend(segments);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }

    /// Sends a request with a JSON body or none.
    pub async fn send(
        &self,
        method: Method,
        segments: &[&str],
        query: &[(&str, String)],
        body: Option<&Value>,
    ) -> Result<Answer, ClientError> {
        let url = self.address(segments, query)?;
        self.raw(method, url, &[], body.map(Value::to_string)).await
    }

    /// Reads a path.
    pub async fn get(
        &self,
        segments: &[&str],
        query: &[(&str, String)],
    ) -> Result<Answer, ClientError> {
        self.send(Method::GET, segments, query, None).await
    }

    /// Writes, and waits until every projection has passed the write.
    pub async fn write(
        &self,
        method: Method,
        segments: &[&str],
        body: Option<&Value>,
    ) -> Result<Answer, ClientError> {
        let query = [
            ("wait", "applied".to_owned()),
            ("timeout_ms", Self::APPLIED_WITHIN_MS.to_string()),
        ];
        self.send(method, segments, &query, body).await
    }

    /// Sends an episode, and waits until it is applied.
    pub async fn add(&self, episode: &Value) -> Result<Answer, ClientError> {
        self.write(Method::POST, &["v1", "episodes"], Some(episode))
            .await
    }

    /// Reads all pages of a list whose items stand under `items`. An answer other than 200 or a
    /// page without its items is returned instead.
    pub async fn all_pages(
        &self,
        segments: &[&str],
        query: &[(&str, String)],
        items: &str,
    ) -> Result<Result<Vec<Value>, Answer>, ClientError> {
        let mut all = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let mut query = query.to_vec();
            query.extend(after.take().map(|cursor| ("after", cursor)));
            let answer = self.get(segments, &query).await?;
            let mut page = answer.json();
            let Some(Value::Array(found)) = page.get_mut(items).map(Value::take) else {
                return Ok(Err(answer));
            };
            all.extend(found);
            match page.get("next") {
                Some(Value::String(cursor)) => after = Some(cursor.clone()),
                _ => return Ok(Ok(all)),
            }
        }
    }

    /// Sends a request as it is; a body is sent as `application/json` unless a header says else.
    pub async fn raw(
        &self,
        method: Method,
        url: Url,
        headers: &[(String, String)],
        body: Option<String>,
    ) -> Result<Answer, ClientError> {
        let request = format!("{method} {}", url.path());
        let failed = |error: reqwest::Error| ClientError::NoAnswer {
            request: request.clone(),
            reason: innermost(&error),
        };
        let mut builder = self.http.request(method, url);
        let typed = headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        if !typed && body.is_some() {
            builder = builder.header("content-type", "application/json");
        }
        for (name, value) in headers {
            builder = builder.header(name, value);
        }
        if let Some(body) = body {
            builder = builder.body(body);
        }
        let response = builder.send().await.map_err(failed)?;
        let status = response.status().as_u16();
        let retry_after = response.headers().get("retry-after");
        let retry_after = retry_after.and_then(|value| Some(value.to_str().ok()?.to_owned()));
        let text = response.text().await.map_err(failed)?;
        Ok(Answer {
            status,
            text,
            retry_after,
        })
    }

    /// The address of a path as it is written, query included.
    pub fn join(&self, path: &str) -> Result<Url, ClientError> {
        self.base
            .join(path)
            .map_err(|error| ClientError::Address(error.to_string()))
    }
}

impl Answer {
    /// The body as JSON; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Status and the problem's detail (or the body's start), on one line.
    pub fn brief(&self) -> String {
        let body = self.json();
        let detail = body
            .get("detail")
            .and_then(Value::as_str)
            .unwrap_or(&self.text);
        let field = body
            .get("field")
            .unwrap_or(&json!(null))
            .as_str()
            .map(str::to_owned);
        let field = field.map(|field| format!(" {field}:")).unwrap_or_default();
        let detail: String = detail.chars().take(200).collect();
        format!("{}{field} {}", self.status, detail.replace('\n', " "))
    }
}

/// What went wrong at the bottom: `reqwest` shows only that a request failed.
fn innermost(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
