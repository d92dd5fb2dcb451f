//! Checks expectations: each reads what it needs over the API, then a pure function judges it. The
//! text of a difference says what was expected and what came.

mod entities;
mod episodes;
mod facts;
mod files;
mod search;

use std::fmt::Display;

use mneme_model::Instant;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::case::Plan;
use crate::client::{Answer, Client, ClientError};
use crate::expectation::{Expectation, KnownAt};
use crate::server::Server;

/// What the checks of one play share.
pub(crate) struct Scene<'a> {
    pub server: &'a Server,
    pub client: &'a Client,
    pub plan: &'a Plan,
    pub instants: &'a [Instant],
}

/// Checks one expectation; the error is the difference.
pub(crate) async fn check(scene: &Scene<'_>, expectation: &Expectation) -> Result<(), String> {
    match expectation {
        Expectation::Facts(read, wanted) => facts::check(scene, read, wanted).await,
        Expectation::Support(of, episodes) => facts::check_support(scene, of, episodes).await,
        Expectation::Entities(group, wanted) => entities::check(scene.client, group, wanted).await,
        Expectation::Search(body, wanted) => search::check(scene, body, wanted).await,
        Expectation::EpisodeState(name, wanted) => {
            episodes::check_state(scene.client, name, wanted).await
        }
        Expectation::EpisodeList(read, order) => {
            episodes::check_list(scene.client, read, order).await
        }
        Expectation::GrepLogs(grep) => files::check_logs(scene.server, grep),
        Expectation::GrepAll(grep) => files::check_all(scene.server, grep),
        Expectation::Prompt => Err("only a model's endpoint could tell".to_owned()),
        // The runner plays every order, so there is nothing left to check here.
        Expectation::AllOrders => Ok(()),
    }
}

impl Scene<'_> {
    /// The instant of system time that an expectation names.
    fn known_at(&self, known_at: &KnownAt) -> Result<String, String> {
        match known_at {
            KnownAt::At(text) => Ok(text.clone()),
            KnownAt::AfterStep { after_step } => after_step
                .checked_sub(1)
                .and_then(|index| self.instants.get(index))
                .map(Instant::to_string)
                .ok_or_else(|| format!("there is no step {after_step}")),
        }
    }
}

/// All items of a paged list.
async fn read_all<T: DeserializeOwned>(
    client: &Client,
    segments: &[&str],
    query: &[(&str, String)],
    items: &str,
) -> Result<Vec<T>, String> {
    let pages = client
        .all_pages(segments, query, items)
        .await
        .map_err(text)?;
    let found = pages.map_err(|answer| format!("{}: {}", segments.join("/"), answer.brief()))?;
    found.into_iter().map(|item| parse(item, items)).collect()
}

/// A read that must be answered with 200.
fn read_one(what: &str, answer: Result<Answer, ClientError>) -> Result<Value, String> {
    let answer = answer.map_err(text)?;
    if answer.status != 200 {
        return Err(format!("{what}: expected 200; came {}", answer.brief()));
    }
    Ok(answer.json())
}

fn parse<T: DeserializeOwned>(value: Value, what: &str) -> Result<T, String> {
    let shown: String = value.to_string().chars().take(300).collect();
    serde_json::from_value(value)
        .map_err(|error| format!("an answer that is not as agreed, in {what}: {error}: {shown}"))
}

fn text(error: impl Display) -> String {
    error.to_string()
}

/// A list for a message, cut where it grows long.
fn listed<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    const SHOWN: usize = 8;
    let mut shown: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    let more = shown.len().saturating_sub(SHOWN);
    shown.truncate(SHOWN);
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    if shown.is_empty() {
        "nothing".to_owned()
    } else {
        shown.join(", ")
    }
}
