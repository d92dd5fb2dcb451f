//! Statements of a record: first those of the relations that the mapping names, in the order of
//! their paths, then the other scalar fields by name.

use std::collections::BTreeSet;

use mneme_api::StatementDto;
use mneme_model::Polarity;
use serde::Deserialize;

use super::error::IntakeError;
use super::mapping::{needed, optional};
use super::path::{Path, Scene, present};
use super::relation::RelationPlan;
use super::template::{Template, scalar_text};
use super::words::{spoken, upper_snake};

/// What becomes of the fields that no path names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unnamed {
    /// Scalars become literal statements.
    #[default]
    Literals,
    /// Nothing.
    Skip,
}

/// How a record is read.
#[derive(Debug, Clone)]
pub struct RecordPlan {
    pub entity_type: Template,
    pub name: Template,
    pub external_id: Option<Template>,
    pub unnamed: Unnamed,
    /// In the order of their paths.
    pub relations: Vec<RelationPlan>,
    /// The fields that a path of the mapping passes through, and those that are ignored.
    pub named: BTreeSet<String>,
}

/// The entity that a record is about.
pub struct Subject {
    name: String,
    entity_type: String,
    external_id: Option<String>,
}

impl Subject {
    /// A statement about it, its object still to be set.
    pub fn statement(&self, relation: &str) -> StatementDto {
        StatementDto {
            subject: self.name.clone(),
            subject_type: Some(self.entity_type.clone()),
            subject_external_id: self.external_id.clone(),
            relation: relation.to_owned(),
            object: None,
            object_type: None,
            object_external_id: None,
            value: None,
            fact: String::new(),
            valid_at: None,
            invalid_at: None,
            polarity: Polarity::Holds,
        }
    }

    /// The sentence that says that it has a value.
    pub fn has_value(&self, relation: &str, value: &str) -> String {
        format!("{} {}: {value}", self.name, spoken(relation))
    }

    /// The sentence that ties it to another entity.
    pub fn is_tied_to(&self, relation: &str, object: &str) -> String {
        format!("{} {} {object}", self.name, spoken(relation))
    }
}

impl RecordPlan {
    /// Notes the fields that its own paths pass through.
    pub fn name_fields(&mut self) {
        let own = [
            Some(&self.entity_type),
            Some(&self.name),
            self.external_id.as_ref(),
        ];
        let own = own.into_iter().flatten().flat_map(Template::paths);
        let of_relations = self.relations.iter().flat_map(RelationPlan::paths);
        let fields: Vec<String> = own
            .chain(of_relations)
            .filter_map(Path::top_field)
            .map(str::to_owned)
            .collect();
        self.named.extend(fields);
    }

    /// The statements of a record.
    pub fn statements(&self, scene: Scene<'_>) -> Result<Vec<StatementDto>, IntakeError> {
        let subject = Subject {
            name: needed("record.name", &self.name, scene)?,
            entity_type: needed("record.type", &self.entity_type, scene)?,
            external_id: optional("record.external_id", self.external_id.as_ref(), scene)?,
        };
        let mut statements = Vec::new();
        for relation in &self.relations {
            relation.add_statements(&subject, scene, &mut statements)?;
        }
        if self.unnamed == Unnamed::Literals {
            self.add_unnamed(&subject, scene, &mut statements);
        }
        Ok(statements)
    }

    fn add_unnamed(&self, subject: &Subject, scene: Scene<'_>, to: &mut Vec<StatementDto>) {
        let Some(fields) = scene.record.as_object() else {
            return;
        };
        let mut unnamed: Vec<_> = fields
            .iter()
            .filter(|(field, _)| !self.named.contains(*field))
            .collect();
        unnamed.sort_unstable_by_key(|(field, _)| *field);
        for (field, value) in unnamed {
            let relation = upper_snake(field);
            let Some(text) = present(value).and_then(scalar_text) else {
                continue;
            };
            // A field whose name is all punctuation names no relation.
            if !relation.is_empty() {
                to.push(StatementDto {
                    value: Some(value.clone()),
                    fact: subject.has_value(&relation, &text),
                    ..subject.statement(&relation)
                });
            }
        }
    }
}
