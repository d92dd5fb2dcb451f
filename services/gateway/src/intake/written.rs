//! The file as it is written: its keys and nothing of their meaning. A key that is not here is
//! refused.

use std::collections::BTreeMap;

use mneme_model::Source;
use serde::Deserialize;

use super::record::Unnamed;

/// A file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    #[serde(default)]
    pub mapping: Vec<Written>,
}

/// A mapping.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    pub name: String,
    pub topic: String,
    pub source: Source,
    pub group_id: String,
    pub episode_id: String,
    pub reference_time: String,
    pub body: Option<String>,
    pub facts: Option<String>,
    pub thread_id: Option<String>,
    pub source_description: Option<String>,
    pub author: Option<WrittenAuthor>,
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    pub record: Option<WrittenRecord>,
}

/// The author of its episodes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenAuthor {
    pub name: String,
    pub role: Option<String>,
    pub external_id: Option<String>,
}

/// How a record is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenRecord {
    #[serde(rename = "type")]
    pub entity_type: String,
    pub name: String,
    pub external_id: Option<String>,
    #[serde(default)]
    pub ignore: Vec<String>,
    #[serde(default)]
    pub unnamed: Unnamed,
    #[serde(default)]
    pub relations: BTreeMap<String, WrittenRelation>,
}

/// How what is at a path is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenRelation {
    pub relation: String,
    #[serde(rename = "type")]
    pub entity_type: Option<String>,
    pub name: Option<String>,
    pub external_id: Option<String>,
    pub valid_at: Option<String>,
    pub invalid_at: Option<String>,
    pub fact: Option<String>,
}

/// The values outside of the record's table, with their keys.
pub fn outer_values(written: &Written) -> Vec<(&str, &str)> {
    let author = written.author.as_ref();
    let optional = [
        ("body", written.body.as_ref()),
        ("thread_id", written.thread_id.as_ref()),
        ("source_description", written.source_description.as_ref()),
        ("author.name", author.map(|author| &author.name)),
        (
            "author.role",
            author.and_then(|author| author.role.as_ref()),
        ),
        (
            "author.external_id",
            author.and_then(|author| author.external_id.as_ref()),
        ),
    ];
    let needed = [
        ("group_id", &written.group_id),
        ("episode_id", &written.episode_id),
        ("reference_time", &written.reference_time),
    ];
    let metadata = written.metadata.values().map(|text| ("metadata", text));
    let optional = optional
        .into_iter()
        .filter_map(|(key, text)| Some((key, text?)));
    needed
        .into_iter()
        .chain(optional)
        .chain(metadata)
        .map(|(key, text)| (key, text.as_str()))
        .collect()
}
