//! Entity resolution: whether records of one thing become one entity.
//!
//! Each record is an episode of statements about a thing of its name, with its fields as values, and
//! one statement that holds the record's id. Two records are joined where the subject of their ids
//! is one entity. Precision and recall are over pairs of records.

mod data;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use mneme_api::{EpisodeBody, FactsParams, StatementDto};
use mneme_model::{EpisodeId, GroupId, Instant, Polarity, Source};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::percent::percent;
use crate::{EvaluationError, MemoryClient};
use data::{Dataset, Record};

/// The relation that holds the id of a record.
const RECORD: &str = "RECORD_ID";
/// How many facts are read at once.
const PAGE: usize = 10_000;

/// The figures of a data set, in percent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairScores {
    /// How many records were sent.
    pub records: usize,
    /// How many pairs belong together.
    pub pairs: usize,
    /// How many pairs were joined.
    pub joined: usize,
    /// The share of joined pairs that belong together.
    pub precision: f64,
    /// The share of pairs that belong together and were joined.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
}

/// What was measured, by data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntitiesReport {
    /// The figures.
    pub datasets: BTreeMap<String, PairScores>,
}

/// Measures all data sets of a folder, each in a group of its own.
pub async fn evaluate(
    client: &dyn MemoryClient,
    folder: &Path,
    group_prefix: &str,
    progress: &(dyn Fn(&str, usize) + Sync),
) -> Result<EntitiesReport, EvaluationError> {
    let mut datasets = BTreeMap::new();
    for dataset in data::read_all(folder)? {
        progress(dataset.name, dataset.records.len());
        let name = format!("{group_prefix}entities-{}", dataset.name);
        let group = GroupId::new(name).map_err(EvaluationError::in_file(folder))?;
        let episodes = dataset.records.iter().enumerate();
        let episodes: Vec<EpisodeBody> = episodes
            .map(|(number, record)| episode(&group, number, record))
            .collect::<Result<_, _>>()
            .map_err(EvaluationError::in_file(folder))?;
        client.import(episodes).await?;
        let entities = entity_of_record(client, &group).await?;
        datasets.insert(dataset.name.to_owned(), score(&dataset, &entities));
    }
    Ok(EntitiesReport { datasets })
}

fn episode(
    group: &GroupId,
    number: usize,
    record: &Record,
) -> Result<EpisodeBody, mneme_model::InvalidValue> {
    let fields = record
        .fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let statements = std::iter::once((RECORD, record.id.as_str())).chain(fields);
    let statement = |(relation, value): (&str, &str)| StatementDto {
        subject: record.name.clone(),
        subject_type: Some(record.kind.to_owned()),
        subject_external_id: None,
        relation: relation.to_owned(),
        object: None,
        object_type: None,
        object_external_id: None,
        value: Some(Value::from(value)),
        fact: format!("{} has {relation} {value}", record.name),
        valid_at: None,
        invalid_at: None,
        polarity: Polarity::Holds,
    };
    Ok(EpisodeBody {
        group_id: group.clone(),
        episode_id: Some(EpisodeId::new(&record.id)?),
        thread_id: None,
        source: Source::Facts,
        author: None,
        body: None,
        facts: Some(statements.map(statement).collect()),
        // Records have no time; their order is that of the file.
        reference_time: Instant::from_micros(number as i64 * 1_000_000),
        source_description: None,
        metadata: None,
    })
}

/// The entity that each record became part of.
async fn entity_of_record(
    client: &dyn MemoryClient,
    group: &GroupId,
) -> Result<HashMap<String, Uuid>, EvaluationError> {
    let mut entities = HashMap::new();
    let mut after = None;
    loop {
        let params = FactsParams {
            relation: Some(RECORD.to_owned()),
            include_past: Some(true),
            limit: Some(PAGE),
            after,
            ..FactsParams::default()
        };
        let page = client.facts(group, &params).await?;
        for fact in page.facts {
            entities.insert(fact.object.text().to_owned(), fact.subject.entity_id);
        }
        after = page.next;
        if after.is_none() {
            return Ok(entities);
        }
    }
}

fn score(dataset: &Dataset, entities: &HashMap<String, Uuid>) -> PairScores {
    let mut members: BTreeMap<Uuid, Vec<&str>> = BTreeMap::new();
    for record in &dataset.records {
        if let Some(entity) = entities.get(&record.id) {
            members.entry(*entity).or_default().push(&record.id);
        }
    }
    let mut joined: BTreeSet<(&str, &str)> = BTreeSet::new();
    for records in members.values() {
        for (index, left) in records.iter().enumerate() {
            joined.extend(
                records[index + 1..]
                    .iter()
                    .map(|right| ordered(left, right)),
            );
        }
    }
    if let Some(judged) = &dataset.judged {
        joined.retain(|(left, right)| judged.contains(&((*left).to_owned(), (*right).to_owned())));
    }
    let gold = dataset
        .pairs
        .iter()
        .map(|(left, right)| ordered(left, right));
    let gold: BTreeSet<(&str, &str)> = gold.collect();
    let right = joined.intersection(&gold).count();
    let f1 = percent(2.0 * right as f64, joined.len() + gold.len());
    PairScores {
        records: dataset.records.len(),
        pairs: gold.len(),
        joined: joined.len(),
        precision: percent(right as f64, joined.len()),
        recall: percent(right as f64, gold.len()),
        f1,
    }
}

/// A pair, whichever way round.
fn ordered<'p>(left: &'p str, right: &'p str) -> (&'p str, &'p str) {
    if left <= right {
        (left, right)
    } else {
        (right, left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_whichever_way_round() {
        let record = |id: &str| Record {
            id: id.to_owned(),
            name: "n".to_owned(),
            kind: "T",
            fields: Vec::new(),
        };
        let dataset = Dataset {
            name: "d",
            records: ["a", "b", "c", "d"].map(record).into(),
            pairs: [("b", "a"), ("c", "d")]
                .map(|(l, r)| (l.to_owned(), r.to_owned()))
                .into(),
            judged: None,
        };
        let one = Uuid::from_u128(1);
        let entities = ["a", "b", "c"].map(|id| (id.to_owned(), one));
        let scores = score(&dataset, &HashMap::from(entities));
        assert_eq!((scores.joined, scores.pairs), (3, 2));
        assert_eq!(
            (scores.precision, scores.recall, scores.f1),
            (33.33, 50.0, 40.0)
        );
    }
}
