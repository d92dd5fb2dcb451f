//! Plays the steps of one plan against a server, in order, and keeps the instant at which each was
//! done. A step that fails ends the play: what comes after it would say nothing.

use std::time::Duration;

use futures::future::join_all;
use mneme_model::{Clock, Instant, SystemClock};
use reqwest::Method;
use serde_json::Value;
use tokio::time::{sleep, timeout};

use crate::case::Plan;
use crate::client::{Answer, Client, ClientError};
use crate::fields::text_of;
use crate::server::Server;
use crate::step::{HttpStep, Step};
use crate::stub::body_of;

/// What came of the steps.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// When each step was done, the first step first.
    pub instants: Vec<Instant>,
    /// Where an answer was not what the step demands.
    pub differences: Vec<String>,
    /// Whether every step was done, so that expectations mean something.
    pub whole: bool,
}

/// Sets the ontology in each group, then does the steps.
pub(crate) async fn play(server: &Server, plan: &Plan, groups: &[String]) -> Played {
    let clock = SystemClock::default();
    let mut played = Played::default();
    if let Err(difference) = set_ontology(server, plan, groups).await {
        played.differences.push(difference);
        return played;
    }
    for (index, step) in plan.steps.iter().enumerate() {
        let number = index + 1;
        let done = match step {
            // A wrong answer to a raw request doesn't hinder the steps after it.
            Step::Http(http) => {
                let difference = raw_request(server, http).await;
                played
                    .differences
                    .extend(difference.err().map(|d| format!("step {number}: {d}")));
                Ok(())
            }
            other => do_step(server, other).await,
        };
        if let Err(difference) = done {
            played
                .differences
                .push(format!("step {number}: {difference}"));
            return played;
        }
        played.instants.push(clock.now());
    }
    played.whole = true;
    played
}

async fn set_ontology(server: &Server, plan: &Plan, groups: &[String]) -> Result<(), String> {
    let Some(ontology) = &plan.ontology else {
        return Ok(());
    };
    for group in groups {
        let path = ["v1", "groups", group, "ontology"];
        let answer = server
            .client()
            .write(Method::PUT, &path, Some(ontology))
            .await;
        accepted(&format!("the ontology of {group}"), answer)?;
    }
    Ok(())
}

async fn do_step(server: &Server, step: &Step) -> Result<(), String> {
    let client = server.client();
    match step {
        Step::Episodes(episodes) => {
            let bodies: Vec<Value> = episodes.iter().map(body_of).collect();
            let answers = join_all(bodies.iter().map(|body| client.add(body))).await;
            for (body, answer) in bodies.iter().zip(answers) {
                let id = body.get("episode_id").map(text_of).unwrap_or_default();
                accepted(&format!("episode {id}"), answer)?;
            }
            Ok(())
        }
        Step::EraseEpisode(name) => {
            let path = ["v1", "groups", &name.group_id, "episodes", &name.episode_id];
            let answer = client.write(Method::DELETE, &path, None).await;
            accepted(&format!("erasing episode {}", name.episode_id), answer)
        }
        Step::EraseGroup(group) => {
            let answer = client
                .write(Method::DELETE, &["v1", "groups", group], None)
                .await;
            accepted(&format!("erasing group {group}"), answer)
        }
        Step::Administrate {
            group_id,
            route,
            body,
        } => {
            let path = ["v1", "groups", group_id, route];
            let answer = client.write(Method::POST, &path, Some(body)).await;
            accepted(&format!("{route} {body}"), answer)
        }
        Step::Restart => {
            let status = server.stop().await.map_err(|error| error.to_string())?;
            if !status.success() {
                return Err(format!("expected a clean stop on SIGTERM; came {status}"));
            }
            server
                .start_again()
                .await
                .map_err(|error| error.to_string())
        }
        Step::Replay => {
            let query = [("wait", "true".to_owned())];
            let path = ["v1", "admin", "replay"];
            accepted(
                "replay",
                client.send(Method::POST, &path, &query, None).await,
            )
        }
        Step::Http(http) => raw_request(server, http).await,
    }
}

fn accepted(what: &str, answer: Result<Answer, ClientError>) -> Result<(), String> {
    match answer {
        Ok(answer) if answer.is_success() => Ok(()),
        Ok(answer) => Err(format!("{what}: expected 2xx; came {}", answer.brief())),
        Err(error) => Err(format!("{what}: {error}")),
    }
}

async fn raw_request(server: &Server, step: &HttpStep) -> Result<(), String> {
    let client = server.client();
    let request = &step.request;
    let named = format!("{} {}", request.method, request.path);
    let method = Method::from_bytes(request.method.as_bytes())
        .map_err(|_| format!("{named}: no such method"))?;
    let url = client
        .join(&request.path)
        .map_err(|error| error.to_string())?;
    let headers: Vec<_> = request
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), text_of(value)))
        .collect();
    let body = request
        .raw
        .clone()
        .or_else(|| request.body.as_ref().map(Value::to_string));
    let answer = client
        .raw(method, url, &headers, body.clone())
        .await
        .map_err(|error| error.to_string())?;
    let allowed = step.status.as_slice();
    if !allowed.contains(&answer.status) {
        let sent: String = body.unwrap_or_default().chars().take(160).collect();
        return Err(format!(
            "{named} {sent}: expected {allowed:?}; came {}",
            answer.brief()
        ));
    }
    if let Some(text) = step
        .body_contains
        .as_ref()
        .filter(|text| !answer.text.contains(*text))
    {
        return Err(format!(
            "{named}: expected {text:?} in the body; came {}",
            answer.brief()
        ));
    }
    if answer.status == 202 {
        settled(&client, &answer).await?;
    }
    Ok(())
}

/// Waits until an episode that a raw request added is processed, so that the steps after it and
/// the expectations see it.
async fn settled(client: &Client, added: &Answer) -> Result<(), String> {
    let body = added.json();
    let id = |key: &str| body.get(key).and_then(Value::as_str);
    let (Some(group), Some(episode)) = (id("group_id"), id("episode_id")) else {
        return Ok(());
    };
    let path = ["v1", "groups", group, "episodes", episode];
    let settling = async {
        loop {
            let answer = client
                .get(&path, &[])
                .await
                .map_err(|error| error.to_string())?;
            let state = answer
                .json()
                .get("state")
                .and_then(Value::as_str)
                .map(str::to_owned);
            match state.as_deref() {
                Some("done" | "failed" | "parked" | "waiting") => return Ok(()),
                _ => sleep(Duration::from_millis(20)).await,
            }
        }
    };
    timeout(Duration::from_millis(Client::APPLIED_WITHIN_MS), settling)
        .await
        .unwrap_or_else(|_| Err(format!("episode {episode} is not processed in time")))
}
