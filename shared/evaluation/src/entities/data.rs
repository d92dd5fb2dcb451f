//! Reads the data sets: Fodor's and Zagat's restaurants, papers of DBLP and ACM, people of FEBRL.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::EvaluationError;

/// A record.
#[derive(Debug)]
pub(super) struct Record {
    pub id: String,
    pub name: String,
    pub kind: &'static str,
    pub fields: Vec<(String, String)>,
}

/// Records and what belongs together.
#[derive(Debug)]
pub(super) struct Dataset {
    pub name: &'static str,
    pub records: Vec<Record>,
    pub pairs: BTreeSet<(String, String)>,
    /// The pairs that someone judged, smaller id first; all pairs where none.
    pub judged: Option<BTreeSet<(String, String)>>,
}

/// All data sets of the folder.
pub(super) fn read_all(folder: &Path) -> Result<Vec<Dataset>, EvaluationError> {
    Ok(vec![restaurants(folder)?, papers(folder)?, people(folder)?])
}

/// A file as rows of columns by name.
fn rows(file: &Path) -> Result<Vec<BTreeMap<String, String>>, EvaluationError> {
    let mut reader = ReaderBuilder::new()
        .trim(Trim::All)
        .from_path(file)
        .map_err(EvaluationError::in_file(file))?;
    let header = reader
        .headers()
        .map_err(EvaluationError::in_file(file))?
        .clone();
    let named = |row: StringRecord| {
        let columns = header.iter().zip(row.iter());
        columns
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    };
    let rows = reader.into_records();
    rows.map(|row| row.map(&named).map_err(EvaluationError::in_file(file)))
        .collect()
}

/// The columns named, less the empty ones.
fn fields(row: &BTreeMap<String, String>, names: &[&str]) -> Vec<(String, String)> {
    let filled = names
        .iter()
        .filter_map(|name| Some((*name, row.get(*name)?)));
    let filled = filled.filter(|(_, value)| !value.is_empty());
    filled
        .map(|(name, value)| (name.to_uppercase(), value.clone()))
        .collect()
}

fn column<'r>(row: &'r BTreeMap<String, String>, name: &str) -> &'r str {
    row.get(name).map(String::as_str).unwrap_or_default()
}

fn restaurants(folder: &Path) -> Result<Dataset, EvaluationError> {
    let mut records = Vec::new();
    for source in ["fodors", "zagats"] {
        for row in rows(&folder.join(format!("{source}.csv")))? {
            records.push(Record {
                id: format!("{source}-{}", column(&row, "id")),
                name: column(&row, "name").to_owned(),
                kind: "Restaurant",
                fields: fields(&row, &["addr", "city", "phone", "type"]),
            });
        }
    }
    let matches = rows(&folder.join("matches_fodors_zagats.csv"))?;
    let pairs = matches.iter().map(|row| {
        let fodors = format!("fodors-{}", column(row, "fodors_id"));
        (fodors, format!("zagats-{}", column(row, "zagats_id")))
    });
    Ok(Dataset {
        name: "fodors-zagats",
        records,
        pairs: pairs.collect(),
        judged: None,
    })
}

fn papers(folder: &Path) -> Result<Dataset, EvaluationError> {
    let mut records: BTreeMap<String, Record> = BTreeMap::new();
    let (mut pairs, mut judged) = (BTreeSet::new(), BTreeSet::new());
    for row in rows(&folder.join("dblp_acm_demo_labels.csv"))? {
        let mut sides = ["ltable", "rtable"].map(|side| {
            let source = if side == "ltable" { "dblp" } else { "acm" };
            let id = format!("{source}-{}", column(&row, &format!("{side}.id")));
            let part = |name: &str| column(&row, &format!("{side}.{name}")).to_owned();
            let fields = ["authors", "venue", "year"].map(|name| (name.to_uppercase(), part(name)));
            records.entry(id.clone()).or_insert_with(|| Record {
                id: id.clone(),
                name: part("title"),
                kind: "Paper",
                fields: fields
                    .into_iter()
                    .filter(|(_, value)| !value.is_empty())
                    .collect(),
            });
            id
        });
        sides.sort();
        let [left, right] = sides;
        if column(&row, "gold") == "1" {
            pairs.insert((left.clone(), right.clone()));
        }
        judged.insert((left, right));
    }
    Ok(Dataset {
        name: "dblp-acm",
        records: records.into_values().collect(),
        pairs,
        judged: Some(judged),
    })
}

fn people(folder: &Path) -> Result<Dataset, EvaluationError> {
    let columns = [
        "street_number",
        "address_1",
        "address_2",
        "suburb",
        "postcode",
        "state",
        "date_of_birth",
        "soc_sec_id",
    ];
    let mut records = Vec::new();
    for row in rows(&folder.join("dataset1.csv"))? {
        let name = format!("{} {}", column(&row, "given_name"), column(&row, "surname"));
        let id = column(&row, "rec_id").to_owned();
        records.push(Record {
            // A person without a name is nobody else: the id stands for it.
            name: if name.trim().is_empty() {
                id.clone()
            } else {
                name.trim().to_owned()
            },
            id,
            kind: "Person",
            fields: fields(&row, &columns),
        });
    }
    let original = |id: &str| Some(id.strip_prefix("rec-")?.split_once('-')?.0.to_owned());
    let mut by_person: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for record in &records {
        by_person
            .entry(original(&record.id).unwrap_or_default())
            .or_default()
            .push(&record.id);
    }
    let mut pairs = BTreeSet::new();
    for same in by_person.values() {
        for (index, left) in same.iter().enumerate() {
            let others = same[index + 1..].iter();
            pairs.extend(others.map(|right| ((*left).to_owned(), (*right).to_owned())));
        }
    }
    Ok(Dataset {
        name: "febrl-1",
        records,
        pairs,
        judged: None,
    })
}
