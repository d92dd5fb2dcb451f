//! `mneme add`: one episode.

use std::io::Read;

use reqwest::Method;
use serde_json::{Map, Value, json};

use mneme_model::{Clock, SystemClock};

use crate::client::Client;
use crate::output;

/// What to add.
pub struct Episode {
    pub group: String,
    pub text: String,
    pub id: Option<String>,
    pub thread: Option<String>,
    pub author: Option<String>,
    pub time: Option<String>,
}

/// Adds the episode and says its id and state.
pub async fn run(client: &Client, episode: Episode, wait: bool, json: bool) -> anyhow::Result<()> {
    let mut text = episode.text;
    if text == "-" {
        text.clear();
        std::io::stdin().read_to_string(&mut text)?;
    }
    let time = episode
        .time
        .unwrap_or_else(|| SystemClock::default().now().to_string());
    let mut body = Map::new();
    let source = if episode.author.is_some() {
        "message"
    } else {
        "text"
    };
    body.insert("group_id".into(), episode.group.into());
    body.insert("source".into(), source.into());
    body.insert("body".into(), text.into());
    body.insert("reference_time".into(), time.into());
    let optional = [("episode_id", episode.id), ("thread_id", episode.thread)];
    body.extend(
        optional
            .into_iter()
            .filter_map(|(key, value)| value.map(|value| (key.to_owned(), Value::String(value)))),
    );
    if let Some(author) = episode.author {
        body.insert("author".into(), json!({ "name": author }));
    }
    let query: &[_] = if wait {
        &[("wait", "applied".to_owned())]
    } else {
        &[]
    };
    let accepted: Value = client
        .call(Method::POST, &["v1", "episodes"], query, &body)
        .await?;
    if json {
        return output::json(&accepted);
    }
    let field = |name: &str| accepted[name].as_str().unwrap_or_default().to_owned();
    output::line(format!("{} {}", field("episode_id"), field("state")));
    Ok(())
}
