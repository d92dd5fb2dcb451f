//! From what is written to what is done: each value is read, what goes together is checked, and what
//! is wrong is named by its key.

use std::collections::BTreeSet;

use mneme_model::Source;

use super::Mapping;
use super::error::MappingError;
use super::mapping::{AuthorPlan, Content, Plan};
use super::path::Path;
use super::record::RecordPlan;
use super::relation::RelationPlan;
use super::template::Template;
use super::written::{File, Written, WrittenRecord, WrittenRelation, outer_values};

/// Reads a file.
pub fn parse(text: &str) -> Result<Vec<Mapping>, MappingError> {
    let file: File =
        toml::from_str(text).map_err(|error| MappingError::Shape(error.to_string()))?;
    let mut names = BTreeSet::new();
    let mut mappings = Vec::with_capacity(file.mapping.len());
    for written in file.mapping {
        for (key, text) in [("name", &written.name), ("topic", &written.topic)] {
            let refused = |reason: &str| MappingError::Rule {
                mapping: written.name.clone(),
                key: key.to_owned(),
                reason: reason.to_owned(),
            };
            if text.is_empty() {
                return Err(refused("must not be empty"));
            }
            // A mapping may have its topic's name, but no two mappings answer to one name.
            let is_own_name = key == "topic" && written.topic == written.name;
            if !is_own_name && !names.insert(text.clone()) {
                return Err(refused("another mapping has it already"));
            }
        }
        mappings.push(read(written)?);
    }
    Ok(mappings)
}

/// Reads the values of one mapping and names the key of one that is wrong.
struct Reader<'w> {
    mapping: &'w str,
}

impl Reader<'_> {
    fn refused(&self, key: &str, reason: impl Into<String>) -> MappingError {
        MappingError::Rule {
            mapping: self.mapping.to_owned(),
            key: key.to_owned(),
            reason: reason.into(),
        }
    }

    fn value(&self, key: &str, text: &str) -> Result<Template, MappingError> {
        Template::parse(text, false).map_err(|reason| self.refused(key, reason))
    }

    fn optional(&self, key: &str, text: Option<&String>) -> Result<Option<Template>, MappingError> {
        text.map(|text| self.value(key, text)).transpose()
    }

    fn path(&self, key: &str, text: &str) -> Result<Path, MappingError> {
        match self.value(key, text)? {
            Template::Path(path) => Ok(path),
            Template::Joined(_) | Template::Constant(_) => {
                Err(self.refused(key, format!("'{text}' must be a path")))
            }
        }
    }

    fn content(&self, written: &Written) -> Result<Content, MappingError> {
        let body = self.optional("body", written.body.as_ref())?;
        let given = [
            ("body", written.body.is_some()),
            ("facts", written.facts.is_some()),
            ("record", written.record.is_some()),
        ];
        let fit: &[&str] = match written.source {
            Source::Message | Source::Text => &["body"],
            Source::Json => &["body", "record"],
            Source::Facts => &["facts"],
        };
        if let Some((key, _)) = given.iter().find(|(key, is)| *is && !fit.contains(key)) {
            let source = written.source.as_str();
            return Err(self.refused(key, format!("does not go with source \"{source}\"")));
        }
        match written.source {
            Source::Message | Source::Text => match body {
                Some(body) => Ok(Content::Text(body)),
                None => Err(self.refused("body", "is needed")),
            },
            Source::Json => Ok(Content::Json {
                body: body.unwrap_or(Template::Path(Path::record())),
                record: match &written.record {
                    Some(record) => Some(self.record(written, record)?),
                    None => None,
                },
            }),
            Source::Facts => match &written.facts {
                Some(path) => Ok(Content::Facts(self.path("facts", path)?)),
                None => Err(self.refused("facts", "is needed")),
            },
        }
    }

    fn record(
        &self,
        written: &Written,
        record: &WrittenRecord,
    ) -> Result<RecordPlan, MappingError> {
        let mut relations = Vec::with_capacity(record.relations.len());
        for (path, entry) in &record.relations {
            let key = format!("record.relations.\"{path}\"");
            relations.push(self.relation(&key, path, entry)?);
        }
        let mut plan = RecordPlan {
            entity_type: self.value("record.type", &record.entity_type)?,
            name: self.value("record.name", &record.name)?,
            external_id: self.optional("record.external_id", record.external_id.as_ref())?,
            unnamed: record.unnamed,
            relations,
            named: BTreeSet::new(),
        };
        for path in &record.ignore {
            let path = self.path("record.ignore", path)?;
            plan.named.extend(path.top_field().map(str::to_owned));
        }
        plan.name_fields();
        for (key, text) in outer_values(written) {
            let value = self.value(key, text)?;
            let fields = value.paths().filter_map(Path::top_field);
            plan.named.extend(fields.map(str::to_owned));
        }
        Ok(plan)
    }

    fn relation(
        &self,
        key: &str,
        path: &str,
        entry: &WrittenRelation,
    ) -> Result<RelationPlan, MappingError> {
        let value = |field: &str, text: &Option<String>| {
            let key = format!("{key}.{field}");
            let read = text.as_ref().map(|text| Template::parse(text, true));
            read.transpose()
                .map_err(|reason| self.refused(&key, reason))
        };
        let (path, each) = match path.strip_suffix("[*]") {
            Some(list) => (list, true),
            None => (path, false),
        };
        if !path.starts_with('$') {
            return Err(self.refused(key, "must be a path that starts with $"));
        }
        let constant = Template::parse(&entry.relation, true);
        if !matches!(constant, Ok(Template::Constant(_)))
            || mneme_model::RelationName::new(&entry.relation).is_err()
        {
            let key = format!("{key}.relation");
            return Err(self.refused(&key, "must be the name of a relation"));
        }
        let plan = RelationPlan {
            key: key.to_owned(),
            path: self.path(key, path)?,
            each,
            relation: entry.relation.clone(),
            entity_type: value("type", &entry.entity_type)?,
            name: value("name", &entry.name)?,
            external_id: value("external_id", &entry.external_id)?,
            valid_at: value("valid_at", &entry.valid_at)?,
            invalid_at: value("invalid_at", &entry.invalid_at)?,
            fact: value("fact", &entry.fact)?,
        };
        if plan.entity_type.is_some() && !plan.is_entity() {
            let key = format!("{key}.type");
            return Err(self.refused(&key, "goes with name or external_id: a literal has no type"));
        }
        Ok(plan)
    }
}

fn read(written: Written) -> Result<Mapping, MappingError> {
    let reader = Reader {
        mapping: &written.name,
    };
    let author = match &written.author {
        Some(author) => Some(AuthorPlan {
            name: reader.value("author.name", &author.name)?,
            role: reader.optional("author.role", author.role.as_ref())?,
            external_id: reader.optional("author.external_id", author.external_id.as_ref())?,
        }),
        None => None,
    };
    let metadata = written.metadata.iter().map(|(key, text)| {
        let template = reader.value(&format!("metadata.{key}"), text)?;
        Ok((key.clone(), template))
    });
    let plan = Plan {
        source: written.source,
        group_id: reader.value("group_id", &written.group_id)?,
        episode_id: reader.value("episode_id", &written.episode_id)?,
        reference_time: reader.value("reference_time", &written.reference_time)?,
        thread_id: reader.optional("thread_id", written.thread_id.as_ref())?,
        source_description: reader
            .optional("source_description", written.source_description.as_ref())?,
        author,
        metadata: metadata.collect::<Result<_, _>>()?,
        content: reader.content(&written)?,
    };
    Ok(Mapping {
        plan,
        topic: written.topic,
        name: written.name,
    })
}
