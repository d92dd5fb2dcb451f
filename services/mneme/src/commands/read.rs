//! `mneme search`, `context`, `facts`, `entities`, `history`.

use anyhow::Context;
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::arguments::Times;
use crate::client::Client;
use crate::output::{self, moment, period};

/// A question to one or more groups.
pub struct Question {
    pub groups: Vec<String>,
    pub query: String,
    pub times: Times,
    pub filter: Option<String>,
}

impl Question {
    fn body(self) -> anyhow::Result<Map<String, Value>> {
        let mut body = Map::new();
        body.insert("group_ids".into(), json!(self.groups));
        body.insert("query".into(), self.query.into());
        body.extend(times(self.times));
        if let Some(filter) = self.filter {
            let filter = serde_json::from_str(&filter).context("--filter must be JSON")?;
            body.insert("filter".into(), filter);
        }
        Ok(body)
    }
}

fn times(times: Times) -> Map<String, Value> {
    let mut fields = Map::new();
    let instants = [("as_of", times.as_of), ("known_at", times.known_at)];
    for (name, instant) in instants {
        if let Some(instant) = instant {
            fields.insert(name.into(), instant.into());
        }
    }
    if times.include_past {
        fields.insert("include_past".into(), true.into());
    }
    fields
}

/// Searches.
pub async fn search(
    client: &Client,
    question: Question,
    limit: usize,
    scopes: Vec<String>,
    json: bool,
) -> anyhow::Result<()> {
    let mut body = question.body()?;
    body.insert("limit".into(), limit.into());
    if !scopes.is_empty() {
        body.insert("scopes".into(), json!(scopes));
    }
    let answer: Value = client
        .call(Method::POST, &["v1", "search"], &[], &body)
        .await?;
    if json {
        return output::json(&answer);
    }
    let results = answer["results"].as_array().cloned().unwrap_or_default();
    output::table(
        &["kind", "what", "when", "sources", "score"],
        results.iter().map(|result| {
            vec![
                text(result, "kind"),
                text(result, "text"),
                when(result),
                sources(result),
                format!("{:.2}", result["score"].as_f64().unwrap_or_default()),
            ]
        }),
    );
    for store in answer["partial"].as_array().into_iter().flatten() {
        output::note(format!(
            "{store} did not answer in time: results may be missing"
        ));
    }
    Ok(())
}

/// Writes a context.
pub async fn context(
    client: &Client,
    question: Question,
    max_tokens: usize,
    json: bool,
) -> anyhow::Result<()> {
    let mut body = question.body()?;
    body.insert("max_tokens".into(), max_tokens.into());
    let answer: Value = client
        .call(Method::POST, &["v1", "context"], &[], &body)
        .await?;
    if json {
        return output::json(&answer);
    }
    output::line(text(&answer, "context"));
    Ok(())
}

/// Lists facts.
pub async fn facts(
    client: &Client,
    group: &str,
    subject: Option<String>,
    relation: Option<String>,
    view: Times,
    json: bool,
) -> anyhow::Result<()> {
    let mut query: Vec<(&str, String)> = Vec::new();
    let named = [("subject", subject), ("relation", relation)];
    query.extend(
        named
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| (name, value))),
    );
    let instants = [("as_of", view.as_of), ("known_at", view.known_at)];
    query.extend(
        instants
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| (name, value))),
    );
    if view.include_past {
        query.push(("include_past", "true".to_owned()));
    }
    let facts = all_pages(client, &["v1", "groups", group, "facts"], query, "facts").await?;
    print_facts(&facts, json)
}

/// Lists entities.
pub async fn entities(
    client: &Client,
    group: &str,
    name: Option<String>,
    json: bool,
) -> anyhow::Result<()> {
    let query = name.map(|name| ("name", name)).into_iter().collect();
    let entities = all_pages(
        client,
        &["v1", "groups", group, "entities"],
        query,
        "entities",
    )
    .await?;
    if json {
        return output::json(&entities);
    }
    let list = |entity: &Value, field: &str| {
        let items = entity[field].as_array().into_iter().flatten();
        items
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    };
    output::table(
        &["name", "type", "also called", "summary", "id"],
        entities.iter().map(|entity| {
            vec![
                text(entity, "name"),
                text(entity, "type"),
                list(entity, "aliases"),
                text(entity, "summary"),
                text(entity, "entity_id"),
            ]
        }),
    );
    Ok(())
}

/// All that was ever believed of an entity.
pub async fn history(client: &Client, group: &str, entity: &str, json: bool) -> anyhow::Result<()> {
    let id = if entity.parse::<uuid::Uuid>().is_ok() {
        entity.to_owned()
    } else {
        let query = vec![("name", entity.to_owned())];
        let path = ["v1", "groups", group, "entities"];
        let named = all_pages(client, &path, query, "entities").await?;
        match named.as_slice() {
            [one] => text(one, "entity_id"),
            [] => anyhow::bail!("{group} has no entity named {entity}"),
            several => anyhow::bail!(
                "several entities are named {entity}; give one of their ids: {}",
                several
                    .iter()
                    .map(|one| text(one, "entity_id"))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        }
    };
    let answer: Value = client
        .get(&["v1", "groups", group, "entities", &id, "history"], &[])
        .await?;
    let facts = answer["facts"].as_array().cloned().unwrap_or_default();
    if json {
        return output::json(&facts);
    }
    output::table(
        &["fact", "when", "believed", "sources"],
        facts.iter().map(|fact| {
            let believed = period(
                &text(fact, "created_at"),
                fact["expired_at"].as_str(),
                "instant",
            );
            vec![
                text(fact, "fact"),
                fact_period(fact),
                believed,
                sources(fact),
            ]
        }),
    );
    Ok(())
}

async fn all_pages(
    client: &Client,
    path: &[&str],
    query: Vec<(&str, String)>,
    field: &str,
) -> anyhow::Result<Vec<Value>> {
    let mut rows = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let mut page = query.clone();
        page.extend(after.map(|after| ("after", after)));
        let answer: Value = client.get(path, &page).await?;
        rows.extend(answer[field].as_array().cloned().unwrap_or_default());
        match answer["next"].as_str() {
            Some(next) => after = Some(next.to_owned()),
            None => return Ok(rows),
        }
    }
}

fn print_facts(facts: &[Value], json: bool) -> anyhow::Result<()> {
    if json {
        return output::json(&facts);
    }
    output::table(
        &["subject", "relation", "object", "when", "sources"],
        facts.iter().map(|fact| {
            let object = &fact["object"];
            let object = match object["name"].as_str() {
                Some(name) => name.to_owned(),
                None => text(object, "value"),
            };
            vec![
                text(&fact["subject"], "name"),
                text(fact, "relation"),
                object,
                fact_period(fact),
                sources(fact),
            ]
        }),
    );
    Ok(())
}

fn fact_period(fact: &Value) -> String {
    period(
        &text(fact, "valid_at"),
        fact["invalid_at"].as_str(),
        &text(fact, "precision"),
    )
}

fn when(result: &Value) -> String {
    if result["fact"].is_object() {
        return fact_period(&result["fact"]);
    }
    moment(
        result["episode"]["reference_time"]
            .as_str()
            .unwrap_or_default(),
    )
    .to_owned()
}

fn sources(value: &Value) -> String {
    let sources = value["sources"].as_array().into_iter().flatten();
    sources
        .filter_map(|source| source["episode_id"].as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

fn text(value: &Value, field: &str) -> String {
    match &value[field] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
