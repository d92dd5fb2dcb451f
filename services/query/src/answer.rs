//! Rows of the stores as the API shows them. Pure.

use std::collections::BTreeMap;

use mneme_api::{
    AuthorDto, CommunityDto, EntityDto, EntityRefDto, EpisodeDto, FactDto, MemberDto, ObjectDto,
    SourceDto, StateDto, StatementDto,
};
use mneme_events::{Episode, ResolvedEntity};
use mneme_model::{Literal, LiteralKind, Source};
use mneme_stores::{
    CommunityRow, EntityRow, EpisodeRow, EpisodeState, FactObject, FactVersionRow, StatusRow,
    SupportRow,
};
use serde_json::{Map, Value};

/// A version of a fact with those of the fact's statements that support it.
pub(crate) fn fact(row: FactVersionRow, support: &[SupportRow]) -> FactDto {
    let sources = sources(support.iter().filter(|statement| statement.supports(&row)));
    FactDto {
        group_id: row.group_id,
        fact_id: row.fact_id,
        version_id: row.version_id,
        subject: entity_ref(row.subject),
        relation: row.relation,
        object: match row.object {
            FactObject::Entity(entity) => ObjectDto::Entity(entity_ref(entity)),
            FactObject::Literal(literal) => ObjectDto::Literal {
                value: literal.text,
                kind: kind_name(literal.kind).to_owned(),
            },
        },
        fact: row.fact,
        valid_at: row.valid_at.at,
        invalid_at: row.invalid_at.map(|end| end.at),
        precision: row.valid_at.precision,
        invalid_precision: row.invalid_at.map(|end| end.precision),
        created_at: row.created_at,
        expired_at: row.expired_at,
        sources,
    }
}

/// The episodes of statements, each once, in order of reference time.
fn sources<'s>(statements: impl Iterator<Item = &'s SupportRow>) -> Vec<SourceDto> {
    let mut sources: Vec<SourceDto> = Vec::new();
    for statement in statements {
        if sources
            .iter()
            .all(|known| known.episode_id != statement.episode_id)
        {
            sources.push(SourceDto {
                episode_id: statement.episode_id.clone(),
                reference_time: statement.reference_time,
                thread_id: statement.thread_id.clone(),
            });
        }
    }
    sources.sort_by(|a, b| {
        let time = a.reference_time.cmp(&b.reference_time);
        time.then_with(|| a.episode_id.cmp(&b.episode_id))
    });
    sources
}

/// An episode as a source.
pub(crate) fn source(episode: &Episode) -> SourceDto {
    SourceDto {
        episode_id: episode.episode_id.clone(),
        reference_time: episode.reference_time,
        thread_id: episode.thread_id.clone(),
    }
}

fn entity_ref(entity: ResolvedEntity) -> EntityRefDto {
    EntityRefDto {
        entity_id: entity.entity_id,
        name: entity.name,
        entity_type: entity.entity_type,
    }
}

fn kind_name(kind: LiteralKind) -> &'static str {
    match kind {
        LiteralKind::String => "string",
        LiteralKind::Number => "number",
        LiteralKind::Boolean => "boolean",
    }
}

/// An episode with how far it is; without a status it is on its way.
pub(crate) fn episode(row: EpisodeRow, status: Option<StatusRow>) -> EpisodeDto {
    let episode = row.episode;
    let status = status.unwrap_or(StatusRow {
        state: EpisodeState::Accepted,
        reason: None,
        notes: Vec::new(),
        created: 0,
        expired: 0,
    });
    EpisodeDto {
        group_id: row.group_id,
        episode_id: episode.episode_id,
        thread_id: episode.thread_id,
        source: episode.source,
        author: episode.author.as_ref().map(AuthorDto::from),
        body: body(episode.source, episode.body),
        facts: episode.facts.iter().map(StatementDto::from).collect(),
        reference_time: episode.reference_time,
        recorded_at: row.recorded_at,
        source_description: episode.source_description,
        metadata: metadata(episode.metadata),
        state: state(status.state),
        reason: status.reason,
        notes: status.notes,
        created: status.created,
        expired: status.expired,
    }
}

fn body(source: Source, body: String) -> Value {
    match source {
        Source::Message | Source::Text => Value::String(body),
        Source::Json => json_or_text(body),
        Source::Facts => Value::Null,
    }
}

fn metadata(fields: BTreeMap<String, String>) -> Map<String, Value> {
    let fields = fields.into_iter();
    fields
        .map(|(name, json)| (name, json_or_text(json)))
        .collect()
}

fn json_or_text(json: String) -> Value {
    serde_json::from_str(&json).unwrap_or(Value::String(json))
}

fn state(state: EpisodeState) -> StateDto {
    match state {
        EpisodeState::Accepted => StateDto::Accepted,
        EpisodeState::Waiting => StateDto::Waiting,
        EpisodeState::Parked => StateDto::Parked,
        EpisodeState::Failed => StateDto::Failed,
        EpisodeState::Done => StateDto::Done,
    }
}

/// An entity with its literal facts as attributes.
pub(crate) fn entity(row: EntityRow, facts: &[FactVersionRow]) -> EntityDto {
    let attributes = attributes(&row, facts);
    EntityDto {
        group_id: row.group_id,
        entity_id: row.entity_id,
        name: row.name,
        entity_type: row.entity_type,
        aliases: row.aliases,
        external_ids: row.external_ids,
        attributes,
        summary: row.summary,
        possible_same_as: row.possible_same_as,
        created_at: row.created_at,
    }
}

fn attributes(entity: &EntityRow, facts: &[FactVersionRow]) -> BTreeMap<String, Value> {
    let mut attributes: BTreeMap<String, Value> = BTreeMap::new();
    for fact in facts
        .iter()
        .filter(|fact| fact.subject.entity_id == entity.entity_id)
    {
        let FactObject::Literal(literal) = &fact.object else {
            continue;
        };
        let value = literal_value(literal);
        match attributes.get_mut(&fact.relation) {
            None => {
                attributes.insert(fact.relation.clone(), value);
            }
            Some(Value::Array(values)) => values.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
        }
    }
    attributes
}

/// A literal as the JSON value that it was.
fn literal_value(literal: &Literal) -> Value {
    let text = || Value::String(literal.text.clone());
    match literal.kind {
        LiteralKind::String => text(),
        LiteralKind::Number | LiteralKind::Boolean => {
            serde_json::from_str(&literal.text).unwrap_or_else(|_| text())
        }
    }
}

/// A community with those of its members that have a name.
pub(crate) fn community(row: CommunityRow, members: Vec<MemberDto>) -> CommunityDto {
    CommunityDto {
        community_id: row.community_id,
        name: row.name,
        keywords: row.keywords,
        summary: row.summary,
        members,
    }
}

/// What an episode says, as text: its body, or the sentences of its statements.
pub(crate) fn episode_text(episode: &Episode) -> String {
    match episode.source {
        Source::Facts => {
            let sentences: Vec<&str> = episode.facts.iter().map(|fact| &*fact.fact).collect();
            sentences.join("\n")
        }
        _ => episode.body.clone(),
    }
}

/// A name and what is said of it.
pub(crate) fn name_and_summary(name: &str, summary: Option<&str>) -> String {
    match summary.filter(|summary| !summary.is_empty()) {
        Some(summary) => format!("{name} – {summary}"),
        None => name.to_owned(),
    }
}
