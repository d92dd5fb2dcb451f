//! One mapping, applied to a record.

use mneme_api::{AuthorDto, EpisodeBody, StatementDto, from_value};
use mneme_model::{EpisodeId, GroupId, InvalidValue, Source, ThreadId};
use serde_json::{Map, Value};

use super::error::IntakeError;
use super::path::{Path, Scene};
use super::record::RecordPlan;
use super::template::{Template, scalar_text};
use super::time::time_of;

/// What a mapping does.
#[derive(Debug, Clone)]
pub struct Plan {
    pub source: Source,
    pub group_id: Template,
    pub episode_id: Template,
    pub reference_time: Template,
    pub thread_id: Option<Template>,
    pub source_description: Option<Template>,
    pub author: Option<AuthorPlan>,
    pub metadata: Vec<(String, Template)>,
    pub content: Content,
}

/// The author of its episodes.
#[derive(Debug, Clone)]
pub struct AuthorPlan {
    pub name: Template,
    pub role: Option<Template>,
    pub external_id: Option<Template>,
}

/// What its episodes hold.
#[derive(Debug, Clone)]
pub enum Content {
    Text(Template),
    Json {
        body: Template,
        record: Option<RecordPlan>,
    },
    Facts(Path),
}

impl Plan {
    /// The episode of a record.
    pub fn apply(&self, record: &Value) -> Result<EpisodeBody, IntakeError> {
        let scene = Scene {
            record,
            found: None,
        };
        let (body, facts) = match &self.content {
            Content::Text(body) => (Some(Value::String(needed("body", body, scene)?)), None),
            Content::Json { body, record } => {
                let body = body.value(scene).ok_or_else(|| missing("body"))?;
                let facts = record.as_ref().map(|plan| plan.statements(scene));
                (Some(body.into_owned()), facts.transpose()?)
            }
            Content::Facts(path) => (None, Some(given_facts(path, scene)?)),
        };
        let time = time_of(&self.reference_time, "reference_time", scene)?;
        Ok(EpisodeBody {
            group_id: self.group_of(record)?,
            episode_id: Some(id("episode_id", &self.episode_id, scene, EpisodeId::new)?),
            thread_id: self.thread_id(scene)?,
            source: self.source,
            author: self
                .author
                .as_ref()
                .map_or(Ok(None), |author| author.of(scene))?,
            body,
            facts,
            reference_time: time.ok_or_else(|| missing("reference_time"))?,
            source_description: optional(
                "source_description",
                self.source_description.as_ref(),
                scene,
            )?,
            metadata: self.metadata(scene)?,
        })
    }

    /// The group of a record.
    pub fn group_of(&self, record: &Value) -> Result<GroupId, IntakeError> {
        let scene = Scene {
            record,
            found: None,
        };
        id("group_id", &self.group_id, scene, GroupId::new)
    }

    fn thread_id(&self, scene: Scene<'_>) -> Result<Option<ThreadId>, IntakeError> {
        let text = optional("thread_id", self.thread_id.as_ref(), scene)?;
        text.map(ThreadId::new)
            .transpose()
            .map_err(|error| IntakeError::unfit("thread_id", error.0))
    }

    fn metadata(&self, scene: Scene<'_>) -> Result<Option<Map<String, Value>>, IntakeError> {
        let mut metadata = Map::new();
        for (key, template) in &self.metadata {
            let Some(value) = template.value(scene) else {
                continue;
            };
            if scalar_text(&value).is_none() {
                let key = format!("metadata.{key}");
                return Err(IntakeError::unfit(
                    key,
                    "must be text, a number, true or false",
                ));
            }
            metadata.insert(key.clone(), value.into_owned());
        }
        Ok((!metadata.is_empty()).then_some(metadata))
    }
}

impl AuthorPlan {
    fn of(&self, scene: Scene<'_>) -> Result<Option<AuthorDto>, IntakeError> {
        let Some(name) = self.name.text("author.name", scene)? else {
            return Ok(None);
        };
        Ok(Some(AuthorDto {
            name,
            role: optional("author.role", self.role.as_ref(), scene)?,
            external_id: optional("author.external_id", self.external_id.as_ref(), scene)?,
        }))
    }
}

fn given_facts(path: &Path, scene: Scene<'_>) -> Result<Vec<StatementDto>, IntakeError> {
    let value = path.find(scene).ok_or_else(|| missing("facts"))?;
    from_value(value.clone()).map_err(|problem| IntakeError::unfit("facts", problem.detail))
}

fn missing(key: &str) -> IntakeError {
    IntakeError::Missing(key.to_owned())
}

/// The text of a key that every record must have.
pub fn needed(key: &str, template: &Template, scene: Scene<'_>) -> Result<String, IntakeError> {
    template.text(key, scene)?.ok_or_else(|| missing(key))
}

/// The text of a key that a record may lack.
pub fn optional(
    key: &str,
    template: Option<&Template>,
    scene: Scene<'_>,
) -> Result<Option<String>, IntakeError> {
    match template {
        Some(template) => template.text(key, scene),
        None => Ok(None),
    }
}

fn id<I>(
    key: &str,
    template: &Template,
    scene: Scene<'_>,
    new: impl Fn(String) -> Result<I, InvalidValue>,
) -> Result<I, IntakeError> {
    new(needed(key, template, scene)?).map_err(|error| IntakeError::unfit(key, error.0))
}
