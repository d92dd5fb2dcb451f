//! One entry of a record's relations: what is at its path becomes the object of statements.

use mneme_api::{StatementDto, TimeText};
use mneme_model::TimePoint;
use serde_json::Value;

use super::error::IntakeError;
use super::mapping::optional;
use super::path::{Path, Scene, present};
use super::record::Subject;
use super::template::{Template, scalar_text};
use super::time::time_of;

/// How to read what is at a path.
#[derive(Debug, Clone)]
pub struct RelationPlan {
    /// Its key in the file.
    pub key: String,
    pub path: Path,
    /// Whether each element of the list at the path is taken.
    pub each: bool,
    pub relation: String,
    pub entity_type: Option<Template>,
    pub name: Option<Template>,
    pub external_id: Option<Template>,
    pub valid_at: Option<Template>,
    pub invalid_at: Option<Template>,
    pub fact: Option<Template>,
}

impl RelationPlan {
    /// Whether the object is an entity; else it is a literal.
    pub fn is_entity(&self) -> bool {
        self.name.is_some() || self.external_id.is_some()
    }

    /// The paths in it.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let templates = [
            &self.entity_type,
            &self.name,
            &self.external_id,
            &self.valid_at,
            &self.invalid_at,
            &self.fact,
        ];
        let in_templates = templates.into_iter().flatten().flat_map(Template::paths);
        std::iter::once(&self.path).chain(in_templates)
    }

    /// Adds the statements of a record.
    pub fn add_statements(
        &self,
        subject: &Subject,
        scene: Scene<'_>,
        to: &mut Vec<StatementDto>,
    ) -> Result<(), IntakeError> {
        let Some(found) = self.path.find(scene) else {
            return Ok(());
        };
        if !self.each {
            to.extend(self.statement(subject, scene, found)?);
            return Ok(());
        }
        let Some(elements) = found.as_array() else {
            return Err(IntakeError::unfit(&self.key, "must be a list"));
        };
        for element in elements.iter().filter_map(present) {
            to.extend(self.statement(subject, scene, element)?);
        }
        Ok(())
    }

    fn statement(
        &self,
        subject: &Subject,
        scene: Scene<'_>,
        found: &Value,
    ) -> Result<Option<StatementDto>, IntakeError> {
        let scene = Scene {
            record: scene.record,
            found: Some(found),
        };
        let text = |key: &str, template: &Option<Template>| {
            optional(&self.key_of(key), template.as_ref(), scene)
        };
        let time = |key: &str, template: &Option<Template>| match template {
            Some(template) => time_of(template, &self.key_of(key), scene)
                .map(|at| at.map(|at| TimeText(TimePoint::instant(at)))),
            None => Ok(None),
        };
        let mut statement = subject.statement(&self.relation);
        let sentence = if self.is_entity() {
            let external_id = text("external_id", &self.external_id)?;
            let Some(name) = text("name", &self.name)?.or_else(|| external_id.clone()) else {
                return Ok(None);
            };
            let sentence = subject.is_tied_to(&self.relation, &name);
            statement.object = Some(name);
            statement.object_type = text("type", &self.entity_type)?;
            statement.object_external_id = external_id;
            sentence
        } else {
            let Some(value) = scalar_text(found) else {
                let reason = "must be text, a number, true or false; give a name for an entity";
                return Err(IntakeError::unfit(&self.key, reason));
            };
            statement.value = Some(found.clone());
            subject.has_value(&self.relation, &value)
        };
        statement.valid_at = time("valid_at", &self.valid_at)?;
        statement.invalid_at = time("invalid_at", &self.invalid_at)?;
        statement.fact = text("fact", &self.fact)?.unwrap_or(sentence);
        Ok(Some(statement))
    }

    fn key_of(&self, field: &str) -> String {
        format!("{}.{field}", self.key)
    }
}
