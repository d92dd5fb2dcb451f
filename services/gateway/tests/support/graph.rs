//! A graph in memory: episodes, and for each statement its entities and its fact.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use async_trait::async_trait;
use mneme_events::{Event, ResolvedEntity, Topic};
use mneme_model::{
    EntityId, EpisodeId, FactId, GroupId, Instant, NameKey, Ontology, ThreadId, TimePoint,
    derived_id,
};
use mneme_stores::{
    Change, Checkpoint, CommunityRow, Digest, EntityRow, EpisodeRow, EpisodeState, FactObject,
    FactVersionRow, Generation, GraphStore, MentionRow, Projection, StatusRow, StoreError,
    SupportRow, TimeView, Walk,
};
use uuid::Uuid;

#[derive(Default)]
struct Rows {
    episodes: BTreeMap<(GroupId, EpisodeId), EpisodeRow>,
    states: BTreeMap<(GroupId, EpisodeId), EpisodeState>,
    entities: Vec<EntityRow>,
    facts: Vec<FactVersionRow>,
    ontologies: BTreeMap<GroupId, Ontology>,
    held: BTreeSet<GroupId>,
    checkpoints: BTreeMap<u32, u64>,
}

#[derive(Default)]
pub struct FakeGraph(Mutex<Rows>);

type Found<T> = Result<T, StoreError>;

impl FakeGraph {
    /// Applies an event; each episode is done at once.
    pub fn take(&self, event: &Event, partition: u32, offset: u64) {
        let mut rows = self.0.lock().unwrap();
        let group = event.group_id().clone();
        match event {
            Event::EpisodeReceived(received) => {
                let row = EpisodeRow {
                    group_id: group.clone(),
                    episode: received.episode.clone(),
                    recorded_at: received.header.recorded_at,
                    position: offset,
                };
                for fact in &row.episode.facts {
                    let subject = rows.entity(&group, &fact.subject);
                    let object = match (&fact.object, &fact.value) {
                        (Some(object), _) => FactObject::Entity(rows.entity(&group, object)),
                        (None, Some(value)) => FactObject::Literal(value.clone()),
                        (None, None) => continue,
                    };
                    let row = version(&row, subject, &fact.relation, object, &fact.fact);
                    rows.facts.push(row);
                }
                let key = (group, row.episode.episode_id.clone());
                rows.states.entry(key.clone()).or_insert(EpisodeState::Done);
                rows.episodes.entry(key).or_insert(row);
            }
            Event::EpisodeErased(erased) => {
                let key = (group, erased.episode_id.clone());
                rows.episodes.remove(&key);
                rows.states.remove(&key);
            }
            Event::GroupErased(_) => {
                rows.episodes.retain(|(of, _), _| *of != group);
                rows.states.retain(|(of, _), _| *of != group);
            }
            Event::OntologyChanged(changed) => {
                let ontology = serde_json::from_str(&changed.ontology).unwrap();
                rows.ontologies.insert(group, ontology);
            }
            _ => {}
        }
        rows.checkpoints.insert(partition, offset + 1);
    }

    /// Says whether a group is held.
    pub fn set_held(&self, group: &str, held: bool) {
        let group = GroupId::new(group).unwrap();
        let groups = &mut self.0.lock().unwrap().held;
        if held {
            groups.insert(group);
        } else {
            groups.remove(&group);
        }
    }

    /// Sets the state of an episode that the graph may not have yet.
    pub fn set_state(&self, group: &str, episode: &str, state: EpisodeState) {
        let key = (
            GroupId::new(group).unwrap(),
            EpisodeId::new(episode).unwrap(),
        );
        self.0.lock().unwrap().states.insert(key, state);
    }

    /// Adds another entity of a name that one may have already.
    pub fn add_namesake(&self, group: &str, name: &str) -> EntityId {
        let mut rows = self.0.lock().unwrap();
        let row = entity_row(&GroupId::new(group).unwrap(), name, rows.entities.len());
        let id = row.entity_id;
        rows.entities.push(row);
        id
    }

    pub fn entity_id(&self, name: &str) -> EntityId {
        let rows = self.0.lock().unwrap();
        rows.entities
            .iter()
            .find(|row| row.name == name)
            .unwrap()
            .entity_id
    }
}

impl Rows {
    fn entity(&mut self, group: &GroupId, name: &str) -> ResolvedEntity {
        let is_it = |row: &&EntityRow| row.group_id == *group && row.name == name;
        let row = match self.entities.iter().find(is_it) {
            Some(row) => row.clone(),
            None => {
                let row = entity_row(group, name, self.entities.len());
                self.entities.push(row.clone());
                row
            }
        };
        ResolvedEntity {
            entity_id: row.entity_id,
            name: row.name,
            entity_type: None,
        }
    }
}

fn entity_row(group: &GroupId, name: &str, number: usize) -> EntityRow {
    let parts = [
        group.as_str().as_bytes(),
        name.as_bytes(),
        &number.to_be_bytes(),
    ];
    EntityRow {
        group_id: group.clone(),
        entity_id: derived_id(Uuid::NAMESPACE_OID, &parts),
        name: name.to_owned(),
        entity_type: None,
        aliases: Vec::new(),
        external_ids: Vec::new(),
        possible_same_as: Vec::new(),
        merged_into: None,
        summary: None,
        created_at: Instant::from_micros(0),
    }
}

fn version(
    row: &EpisodeRow,
    subject: ResolvedEntity,
    relation: &str,
    object: FactObject,
    fact: &str,
) -> FactVersionRow {
    let id = derived_id(
        subject.entity_id,
        &[relation.as_bytes(), object.text().as_bytes()],
    );
    FactVersionRow {
        group_id: row.group_id.clone(),
        version_id: id,
        fact_id: id,
        subject,
        relation: relation.to_owned(),
        object,
        fact: fact.to_owned(),
        valid_at: TimePoint::instant(row.episode.reference_time),
        invalid_at: None,
        created_at: row.recorded_at,
        expired_at: None,
        support_since: None,
        episode_id: row.episode.episode_id.clone(),
        reference_time: row.episode.reference_time,
    }
}

#[async_trait]
impl Projection for FakeGraph {
    fn name(&self) -> &'static str {
        "fake"
    }

    async fn apply(&self, _: Generation, _: &[(GroupId, Change)], _: &[Checkpoint]) -> Found<()> {
        Err(StoreError::Refused("use take".to_owned()))
    }

    async fn checkpoint(&self, _: Generation, _: Topic, partition: u32) -> Found<u64> {
        let rows = self.0.lock().unwrap();
        Ok(rows.checkpoints.get(&partition).copied().unwrap_or(0))
    }

    async fn drop_generation(&self, _: Generation) -> Found<()> {
        Ok(())
    }

    async fn digests(&self, _: Generation) -> Found<BTreeMap<GroupId, Digest>> {
        Ok(BTreeMap::new())
    }
}

#[async_trait]
impl GraphStore for FakeGraph {
    async fn episode(
        &self,
        _: Generation,
        group: &GroupId,
        episode: &EpisodeId,
    ) -> Found<Option<EpisodeRow>> {
        let rows = self.0.lock().unwrap();
        Ok(rows
            .episodes
            .get(&(group.clone(), episode.clone()))
            .cloned())
    }

    async fn status(
        &self,
        _: Generation,
        group: &GroupId,
        episode: &EpisodeId,
    ) -> Found<Option<StatusRow>> {
        let rows = self.0.lock().unwrap();
        let state = rows.states.get(&(group.clone(), episode.clone()));
        Ok(state.map(|&state| StatusRow {
            state,
            reason: None,
            notes: Vec::new(),
            created: 0,
            expired: 0,
        }))
    }

    async fn is_held(&self, _: Generation, group: &GroupId, _: u64) -> Found<bool> {
        Ok(self.0.lock().unwrap().held.contains(group))
    }

    async fn episodes(
        &self,
        _: Generation,
        _: &GroupId,
        _: Option<&ThreadId>,
        _: Option<Instant>,
        _: usize,
    ) -> Found<Vec<EpisodeRow>> {
        Ok(Vec::new())
    }

    async fn neighbours(
        &self,
        _: Generation,
        _: &GroupId,
        _: &EpisodeId,
        _: usize,
    ) -> Found<Vec<EpisodeRow>> {
        Ok(Vec::new())
    }

    async fn ontology(&self, _: Generation, group: &GroupId) -> Found<Option<Ontology>> {
        Ok(self.0.lock().unwrap().ontologies.get(group).cloned())
    }

    async fn entity(
        &self,
        _: Generation,
        group: &GroupId,
        entity: EntityId,
    ) -> Found<Option<EntityRow>> {
        let rows = self.0.lock().unwrap();
        let is_it = |row: &&EntityRow| row.group_id == *group && row.entity_id == entity;
        Ok(rows.entities.iter().find(is_it).cloned())
    }

    async fn entities_named(
        &self,
        _: Generation,
        group: &GroupId,
        key: &NameKey,
    ) -> Found<Vec<EntityRow>> {
        let rows = self.0.lock().unwrap();
        let is_it = |row: &&EntityRow| row.group_id == *group && NameKey::of(&row.name) == *key;
        Ok(rows.entities.iter().filter(is_it).cloned().collect())
    }

    async fn entities(
        &self,
        _: Generation,
        _: &GroupId,
        _: Option<EntityId>,
        _: usize,
    ) -> Found<Vec<EntityRow>> {
        Ok(Vec::new())
    }

    async fn mentions_of(
        &self,
        _: Generation,
        _: &GroupId,
        _: EntityId,
        _: usize,
    ) -> Found<Vec<MentionRow>> {
        Ok(Vec::new())
    }

    async fn mentions_in(
        &self,
        _: Generation,
        group: &GroupId,
        episode: &EpisodeId,
    ) -> Found<Vec<MentionRow>> {
        let rows = self.0.lock().unwrap();
        let of_episode = rows
            .facts
            .iter()
            .filter(|fact| fact.group_id == *group && fact.episode_id == *episode);
        let mentions = of_episode.map(|fact| MentionRow {
            episode_id: episode.clone(),
            ordinal: 0,
            entity_id: fact.subject.entity_id,
            name: fact.subject.name.clone(),
            rule: String::new(),
            score: 1.0,
        });
        Ok(mentions.collect())
    }

    async fn fact_version(
        &self,
        _: Generation,
        _: &GroupId,
        _: Uuid,
    ) -> Found<Option<FactVersionRow>> {
        Ok(None)
    }

    async fn facts(
        &self,
        _: Generation,
        _: &GroupId,
        _: &TimeView,
        _: Option<Uuid>,
        _: usize,
    ) -> Found<Vec<FactVersionRow>> {
        Ok(Vec::new())
    }

    async fn facts_of(
        &self,
        _: Generation,
        group: &GroupId,
        entity: EntityId,
        time: &TimeView,
        limit: usize,
    ) -> Found<Vec<FactVersionRow>> {
        let rows = self.0.lock().unwrap();
        let of_entity = rows.facts.iter().filter(|fact| {
            fact.group_id == *group
                && (fact.subject.entity_id == entity || fact.object.entity_id() == Some(entity))
                && time.sees(fact)
        });
        Ok(of_entity.take(limit).cloned().collect())
    }

    async fn attributes_of(
        &self,
        _: Generation,
        _: &GroupId,
        _: EntityId,
        _: &TimeView,
        _: usize,
    ) -> Found<Vec<FactVersionRow>> {
        Ok(Vec::new())
    }

    async fn facts_from(
        &self,
        _: Generation,
        _: &GroupId,
        _: &EpisodeId,
        _: &TimeView,
        _: usize,
    ) -> Found<Vec<FactVersionRow>> {
        Ok(Vec::new())
    }

    async fn history(&self, _: Generation, _: &GroupId, _: FactId) -> Found<Vec<FactVersionRow>> {
        Ok(Vec::new())
    }

    async fn support(
        &self,
        _: Generation,
        _: &GroupId,
        _: FactId,
        _: usize,
    ) -> Found<Vec<SupportRow>> {
        Ok(Vec::new())
    }

    async fn walk(
        &self,
        _: Generation,
        _: &GroupId,
        _: &Walk,
    ) -> Found<Vec<(FactVersionRow, u32)>> {
        Ok(Vec::new())
    }

    async fn communities(&self, _: Generation, _: &GroupId, _: usize) -> Found<Vec<CommunityRow>> {
        Ok(Vec::new())
    }

    async fn community(&self, _: Generation, _: &GroupId, _: Uuid) -> Found<Option<CommunityRow>> {
        Ok(None)
    }

    async fn groups(&self, _: Generation) -> Found<Vec<GroupId>> {
        Ok(Vec::new())
    }
}
