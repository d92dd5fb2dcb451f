//! A client of the HTTP API, and a way to have one without a server: a node in this process on a
//! port of its own.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use mneme_api::Problem;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::arguments::Target;
use crate::configuration::Configuration;
use crate::node::Node;
use crate::server::Server;

/// Talks to a server.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
}

/// A refusal of the server.
#[derive(Debug)]
pub struct Refused {
    /// The HTTP status.
    pub status: StatusCode,
    /// What it says.
    pub problem: String,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.problem, self.status.as_u16())
    }
}

impl std::error::Error for Refused {}

/// A client with, where it has one, the node that it talks to.
pub struct Connection {
    pub client: Client,
    own: Option<(oneshot::Sender<()>, JoinHandle<anyhow::Result<()>>)>,
}

impl Connection {
    /// Connects to the target: the data folder named, else the server named, else the server at the
    /// default address. A folder is made only where `may_create`; what it holds can be read at once.
    pub async fn open(
        target: &Target,
        configuration: &Configuration,
        may_create: bool,
    ) -> anyhow::Result<Self> {
        let Some(data) = &target.data else {
            let url = target
                .url
                .clone()
                .unwrap_or_else(|| format!("http://{}", configuration.listen));
            return Ok(Self {
                client: Client::new(url)?,
                own: None,
            });
        };
        let configuration = Configuration {
            data: data.clone(),
            ..configuration.clone()
        };
        anyhow::ensure!(
            may_create || data.join("log").exists(),
            "there is no memory in {}",
            data.display()
        );
        let node = Node::open(&configuration, None).await?;
        let progress = Arc::clone(&node.reading.progress);
        let server = Server::start(node, ([127, 0, 0, 1], 0).into(), None).await?;
        let client = Client::new(format!("http://{}", server.address()?))?;
        progress.caught_up().await?;
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(server.serve(async move {
            let _ = stopped.await;
        }));
        Ok(Self {
            client,
            own: Some((stop, serving)),
        })
    }

    /// Stops the node, if it is this process's.
    pub async fn close(self) -> anyhow::Result<()> {
        if let Some((stop, serving)) = self.own {
            let _ = stop.send(());
            serving.await.context("the node panicked")??;
        }
        Ok(())
    }
}

impl Client {
    /// A client of the server at an address.
    pub fn new(base: impl Into<String>) -> anyhow::Result<Self> {
        let base = base.into().trim_end_matches('/').to_owned();
        anyhow::ensure!(
            base.starts_with("http://"),
            "'{base}' is no address of a server: write it like http://127.0.0.1:7878 (the command \
             line speaks plain HTTP; reach a server behind TLS through a proxy or a tunnel)"
        );
        let http = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(5))
            .build()?;
        Ok(Self { http, base })
    }

    /// GETs a path with a query.
    pub async fn get<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &[(&str, String)],
    ) -> anyhow::Result<T> {
        self.send(self.request(Method::GET, path)?.query(query))
            .await
    }

    /// Sends a body and reads the answer.
    pub async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&str, String)],
        body: &impl Serialize,
    ) -> anyhow::Result<T> {
        self.send(self.request(method, path)?.query(query).json(body))
            .await
    }

    /// DELETEs a path.
    pub async fn delete<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &[(&str, String)],
    ) -> anyhow::Result<T> {
        self.send(self.request(Method::DELETE, path)?.query(query))
            .await
    }

    /// Each part of the path is encoded, so an id may hold any character.
    fn request(&self, method: Method, path: &[&str]) -> anyhow::Result<RequestBuilder> {
        let mut url = reqwest::Url::parse(&self.base).context("the server's address")?;
        url.path_segments_mut()
            .map_err(|()| anyhow::anyhow!("the server's address takes no path"))?
            .pop_if_empty()
            .extend(path);
        Ok(self.http.request(method, url))
    }

    async fn send<T: DeserializeOwned>(&self, request: RequestBuilder) -> anyhow::Result<T> {
        let response = send_patiently(request).await.with_context(|| {
            format!(
                "no server answers at {} (start one with: mneme up)",
                self.base
            )
        })?;
        let status = response.status();
        let body = response.bytes().await?;
        if !status.is_success() {
            let problem = match serde_json::from_slice::<Problem>(&body) {
                Ok(problem) => problem.to_string(),
                Err(_) => String::from_utf8_lossy(&body).into_owned(),
            };
            return Err(Refused { status, problem }.into());
        }
        serde_json::from_slice(&body).context("the server's answer can't be read")
    }
}

/// Sends a request; while nothing listens it is sent again for some seconds, for a server that was
/// started just before.
async fn send_patiently(request: RequestBuilder) -> reqwest::Result<reqwest::Response> {
    const TRIES: u32 = 20;
    for _ in 0..TRIES {
        let Some(again) = request.try_clone() else {
            break;
        };
        match again.send().await {
            Err(error) if error.is_connect() => {
                tokio::time::sleep(Duration::from_millis(150)).await;
            }
            sent => return sent,
        }
    }
    request.send().await
}
