//! What is shown of an entity follows from what its mentions say, and from nothing else: the
//! canonical name is that of the earliest mention, the type the first that says something. Own
//! mentions come before those that a merge brought, so a merge changes no name.

use mneme_model::EntityId;
use mneme_stage::{GroupRows, StageError};

use crate::identity::external_key;
use crate::state::{EntityRow, MentionRow};
use crate::support::{Kind, Said, all_said, said_by, types_of};
use crate::types;

/// More other names than this are not shown; each still leads to the entity.
const MAX_SHOWN: usize = 100;

/// All that is said of one entity, each thing once.
#[derive(Debug, Default)]
pub struct View {
    said: Vec<Said>,
}

impl View {
    /// What the rows say of the entity.
    pub fn read(rows: &dyn GroupRows, entity: EntityId) -> Result<Self, StageError> {
        let view = Self {
            said: all_said(rows, entity, &Kind::ALL)?,
        };
        Ok(view.in_order())
    }

    /// What one mention says of an entity that no other names.
    pub fn of_mention(mention: &MentionRow) -> Self {
        Self {
            said: said_by(mention),
        }
        .in_order()
    }

    fn in_order(mut self) -> Self {
        self.said.sort_by_key(|said| (said.order, said.kind));
        self
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = &Said> {
        self.said.iter().filter(move |said| said.kind == kind)
    }

    /// What is shown; `None` when no mention is left.
    pub fn shown(&self, possible_same_as: Vec<EntityId>) -> Option<EntityRow> {
        let names = || self.of(Kind::OwnName).chain(self.of(Kind::MergedName));
        // A record without a name has its id for one until a real one is known.
        let canonical = names()
            .find(|said| !self.is_from_id(said))
            .or_else(|| names().next())?;
        let mut aliases: Vec<&Said> = Vec::new();
        for said in &self.said {
            let is_name = matches!(said.kind, Kind::OwnName | Kind::MergedName | Kind::Alias);
            let is_known =
                || said.key == canonical.key || aliases.iter().any(|alias| alias.key == said.key);
            if is_name && aliases.len() < MAX_SHOWN && !self.is_id(said) && !is_known() {
                aliases.push(said);
            }
        }
        let mut external_ids: Vec<String> = Vec::new();
        for id in self.of(Kind::External).take(MAX_SHOWN) {
            external_ids.push(id.text.clone());
        }
        Some(EntityRow {
            name: canonical.text.clone(),
            entity_type: self.entity_type(),
            aliases: aliases.iter().map(|said| said.text.clone()).collect(),
            external_ids,
            possible_same_as,
        })
    }

    /// Whether a name is nothing but an id of the entity.
    fn is_id(&self, name: &Said) -> bool {
        let text = external_key(&name.text);
        self.of(Kind::External).any(|id| id.key == text)
    }

    /// Whether a name was made of an id: the id itself, or the type and the id ("Deal 501").
    fn is_from_id(&self, name: &Said) -> bool {
        let mut types = self.of(Kind::OwnType).chain(self.of(Kind::MergedType));
        let is_typed_id = |said: &Said| {
            let rest = name.text.strip_prefix(&said.text).map(external_key);
            rest.is_some_and(|rest| {
                self.of(Kind::External).any(|id| {
                    let local = id.key.rsplit_once(':').map(|(_, local)| local);
                    id.key == rest || local == Some(rest.as_str())
                })
            })
        };
        self.is_id(name) || types.any(is_typed_id)
    }

    fn entity_type(&self) -> Option<String> {
        let types = || self.of(Kind::OwnType).chain(self.of(Kind::MergedType));
        types()
            .find(|said| !types::is_generic(&said.text))
            .or_else(|| types().next())
            .map(|said| said.text.clone())
    }
}

/// Whether all types that an entity was given fit a type.
pub fn fits_type(
    rows: &dyn GroupRows,
    entity: EntityId,
    given: Option<&str>,
) -> Result<bool, StageError> {
    if types::specific(given).is_none() {
        return Ok(true);
    }
    let types = types_of(rows, entity)?;
    Ok(types.iter().all(|known| types::fit(Some(known), given)))
}
