//! `mneme eval`: how well it remembers, measured over the public API of a server or of a memory of
//! its own.

use async_trait::async_trait;
use mneme_api::{
    ContextRequest, ContextResponse, EpisodeBody, FactsParams, FactsResponse, SearchRequest,
    SearchResponse,
};
use mneme_evaluation::locomo::{self, LocomoOptions, LocomoReport, Scores};
use mneme_evaluation::temporal::{self, ExtractorTimes};
use mneme_evaluation::{ClientError, MemoryClient, entities};
use mneme_model::GroupId;
use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::arguments::{EvalCommand, Target};
use crate::client::{Client, Connection};
use crate::configuration::Configuration;
use crate::output;

/// How many episodes go in one request.
const BATCH: usize = 200;

/// Runs an evaluation and prints its figures.
pub async fn run(
    configuration: &Configuration,
    command: EvalCommand,
    json: bool,
) -> anyhow::Result<()> {
    match command {
        EvalCommand::Temporal { folder } => {
            let report = temporal::evaluate(&ExtractorTimes, &folder)?;
            if json {
                return output::json(&report);
            }
            output::table(
                &["language", "texts", "right", "percent"],
                report.languages.iter().map(|(language, accuracy)| {
                    vec![
                        language.clone(),
                        accuracy.cases.to_string(),
                        accuracy.right.to_string(),
                        format!("{:.1}", accuracy.percent),
                    ]
                }),
            );
            Ok(())
        }
        EvalCommand::Locomo { target, file } => {
            measured(&target, configuration, async |client| {
                let options = LocomoOptions {
                    group_prefix: prefix(),
                    ..Default::default()
                };
                let progress = |name: &str, asked: usize, of: usize| {
                    output::note(format!("{name}: {asked} of {of} questions"));
                };
                let report = locomo::evaluate(client, &file, &options, &progress).await?;
                if json {
                    output::json(&report)
                } else {
                    print_locomo(&report)
                }
            })
            .await
        }
        EvalCommand::Entities { target, folder } => {
            measured(&target, configuration, async |client| {
                let progress = |name: &str, records: usize| {
                    output::note(format!("{name}: {records} records"));
                };
                let report = entities::evaluate(client, &folder, &prefix(), &progress).await?;
                if json {
                    return output::json(&report);
                }
                output::table(
                    &["data", "records", "pairs", "precision", "recall", "F1"],
                    report.datasets.iter().map(|(name, scores)| {
                        vec![
                            name.clone(),
                            scores.records.to_string(),
                            scores.pairs.to_string(),
                            format!("{:.1}", scores.precision),
                            format!("{:.1}", scores.recall),
                            format!("{:.1}", scores.f1),
                        ]
                    }),
                );
                Ok(())
            })
            .await
        }
    }
}

/// Groups of an evaluation are told from a user's, and from those of another run.
fn prefix() -> String {
    let id = uuid::Uuid::new_v4().simple().to_string();
    format!("eval-{}-", &id[..8])
}

/// Runs against the target, or a memory of its own where none is named.
async fn measured(
    target: &Target,
    configuration: &Configuration,
    run: impl AsyncFnOnce(&ApiClient) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let temporary = tempfile::tempdir()?;
    let own = Target {
        url: None,
        data: Some(temporary.path().join("data")),
    };
    let is_named = target.url.is_some() || target.data.is_some();
    let target = if is_named { target } else { &own };
    let connection = Connection::open(target, configuration, true).await?;
    let done = run(&ApiClient(connection.client.clone())).await;
    connection.close().await?;
    done
}

fn print_locomo(report: &LocomoReport) -> anyhow::Result<()> {
    let row = |name: String, scores: &Scores| -> anyhow::Result<Vec<String>> {
        let value = serde_json::to_value(scores)?;
        let figure = |value: &Value| format!("{:.1}", value.as_f64().unwrap_or_default());
        let mut cells = vec![name];
        cells.extend(["r@5", "r@10", "r@20"].map(|name| figure(&value[name])));
        for budget in locomo::BUDGETS {
            let share = &value["budget"][budget.to_string()];
            cells.push(format!(
                "{} / {}",
                figure(&share["all"]),
                figure(&share["any"])
            ));
        }
        Ok(cells)
    };
    let mut rows = Vec::new();
    for (category, scores) in &report.categories {
        rows.push(row(category.to_string(), scores)?);
    }
    rows.push(row("overall".to_owned(), &report.overall)?);
    let mut heads: Vec<String> = ["category", "r@5", "r@10", "r@20"]
        .map(String::from)
        .to_vec();
    heads.extend(locomo::BUDGETS.map(|budget| format!("{budget} tokens: all / any")));
    output::table(&heads.iter().map(String::as_str).collect::<Vec<_>>(), rows);
    Ok(())
}

/// The HTTP API as the evaluations use it.
struct ApiClient(Client);

impl ApiClient {
    async fn post<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &[(&str, String)],
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        self.0
            .call(Method::POST, path, query, body)
            .await
            .map_err(unreachable)
    }
}

fn unreachable(error: anyhow::Error) -> ClientError {
    ClientError::Unreachable(format!("{error:#}"))
}

#[async_trait]
impl MemoryClient for ApiClient {
    async fn import(&self, episodes: Vec<EpisodeBody>) -> Result<(), ClientError> {
        for batch in episodes.chunks(BATCH) {
            let body = json!({ "episodes": batch });
            let answer: Value = self.post(&["v1", "episodes", "batch"], &[], &body).await?;
            let mut results = answer["results"].as_array().into_iter().flatten();
            let refused = results.find(|result| result["problem"].is_object());
            if let Some(refused) = refused {
                return Err(ClientError::Unreachable(format!(
                    "an episode was refused: {refused}"
                )));
            }
        }
        if let Some(last) = episodes.last() {
            let wait = [
                ("wait", "applied".to_owned()),
                ("timeout_ms", "600000".to_owned()),
            ];
            self.post::<Value>(&["v1", "episodes"], &wait, last).await?;
        }
        Ok(())
    }

    async fn search(&self, request: &SearchRequest) -> Result<SearchResponse, ClientError> {
        self.post(&["v1", "search"], &[], request).await
    }

    async fn context(&self, request: &ContextRequest) -> Result<ContextResponse, ClientError> {
        self.post(&["v1", "context"], &[], request).await
    }

    async fn facts(
        &self,
        group: &GroupId,
        params: &FactsParams,
    ) -> Result<FactsResponse, ClientError> {
        let params = serde_json::to_value(params)
            .map_err(|error| ClientError::Unreachable(error.to_string()))?;
        let query: Vec<(&str, String)> = params
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| {
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                (name.as_str(), text)
            })
            .collect();
        let path = ["v1", "groups", group.as_str(), "facts"];
        self.0.get(&path, &query).await.map_err(unreachable)
    }
}
