//! What mentions say of an entity, one row a mention and thing said: an entity has a name, a type
//! or an id as long as one such row is left. The lookups by name, word and id follow the rows.

use std::collections::BTreeSet;

use mneme_model::EntityId;
use mneme_stage::{GroupRows, StageError, decode_row, prefix_end, read_row, write_row};

use crate::identity::{external_key, name_key, skeleton_tokens};
use crate::state::{MentionRow, SupportRow, has_any};
use crate::{keys, types};

/// What a mention says. What came with a merge is kept apart from what the entity's own mentions
/// say, which comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A name that a mention of the entity itself has.
    OwnName,
    /// A name that a mention has which came with a merge.
    MergedName,
    /// Another name that an episode gives.
    Alias,
    /// A type that a mention of the entity itself has.
    OwnType,
    /// A type that a mention has which came with a merge.
    MergedType,
    /// An id in another system.
    External,
}

/// The kinds that are names.
pub const NAMES: [Kind; 3] = [Kind::OwnName, Kind::MergedName, Kind::Alias];
/// The kinds that are types.
pub const TYPES: [Kind; 2] = [Kind::OwnType, Kind::MergedType];

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::OwnName,
        Self::MergedName,
        Self::Alias,
        Self::OwnType,
        Self::MergedType,
        Self::External,
    ];

    /// Its byte in keys.
    pub fn byte(self) -> u8 {
        match self {
            Self::OwnName => b'n',
            Self::MergedName => b'm',
            Self::Alias => b'a',
            Self::OwnType => b't',
            Self::MergedType => b'u',
            Self::External => b'x',
        }
    }
}

/// One thing that is said of an entity, by the first mention that says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// What kind of thing.
    pub kind: Kind,
    /// The form that is compared.
    pub key: String,
    /// The text as that mention has it.
    pub text: String,
    /// The mention's place in the order of the group.
    pub order: i64,
}

/// All that a mention says of its entity.
pub fn said_by(mention: &MentionRow) -> Vec<Said> {
    let is_own = mention.trail.is_empty();
    let said = |kind, key, text: &str| Said {
        kind,
        key,
        text: text.to_owned(),
        order: mention.order,
    };
    let name_kind = if is_own {
        Kind::OwnName
    } else {
        Kind::MergedName
    };
    let mut all = vec![said(name_kind, name_key(&mention.name), &mention.name)];
    for alias in &mention.aliases {
        let key = name_key(alias);
        if !key.is_empty() {
            all.push(said(Kind::Alias, key, alias));
        }
    }
    if let Some(given) = mention
        .entity_type
        .as_deref()
        .filter(|given| !given.is_empty())
    {
        let kind = if is_own {
            Kind::OwnType
        } else {
            Kind::MergedType
        };
        all.push(said(kind, keys::key_text(&types::folded(given)), given));
    }
    if let Some(id) = &mention.external_id {
        let key = external_key(id);
        if !key.is_empty() {
            all.push(said(Kind::External, key, id));
        }
    }
    all
}

/// Adds what a mention says.
pub fn add(rows: &mut dyn GroupRows, mention: &MentionRow) -> Result<(), StageError> {
    let entity = mention.entity_id;
    for said in said_by(mention) {
        let row = SupportRow {
            text: said.text,
            episode_id: mention.episode_id.clone(),
            ordinal: mention.ordinal,
        };
        let key = keys::support(entity, said.kind.byte(), &said.key, said.order);
        write_row(rows, key, &row)?;
        let lookup = match said.kind {
            Kind::OwnType | Kind::MergedType => {
                let mut types = types_of(rows, entity)?;
                if let Err(place) = types.binary_search(&said.key) {
                    types.insert(place, said.key);
                    write_row(rows, keys::types(entity), &types)?;
                }
                continue;
            }
            Kind::External => keys::external(&said.key, entity),
            Kind::OwnName | Kind::MergedName | Kind::Alias => keys::name(&said.key, entity),
        };
        if rows.get(&lookup).is_none() {
            rows.put(lookup, Vec::new());
            if said.kind != Kind::External {
                for token in skeleton_tokens(&said.key) {
                    rows.put(keys::token(&token, entity), Vec::new());
                }
            }
        }
    }
    if let Some(thread) = &mention.thread_id {
        rows.put(
            keys::thread_mention(thread, entity, mention.order),
            Vec::new(),
        );
    }
    Ok(())
}

/// Takes back what a mention says.
pub fn remove(rows: &mut dyn GroupRows, mention: &MentionRow) -> Result<(), StageError> {
    let entity = mention.entity_id;
    for said in said_by(mention) {
        rows.delete(&keys::support(
            entity,
            said.kind.byte(),
            &said.key,
            said.order,
        ));
        match said.kind {
            Kind::OwnType | Kind::MergedType => {
                let supports = TYPES.map(|kind| keys::supports_of(entity, kind.byte(), &said.key));
                if !supports.iter().any(|prefix| has_any(rows, prefix)) {
                    let mut types = types_of(rows, entity)?;
                    types.retain(|known| *known != said.key);
                    match types.is_empty() {
                        true => rows.delete(&keys::types(entity)),
                        false => write_row(rows, keys::types(entity), &types)?,
                    }
                }
            }
            Kind::External => {
                if !has_any(
                    rows,
                    &keys::supports_of(entity, said.kind.byte(), &said.key),
                ) {
                    rows.delete(&keys::external(&said.key, entity));
                }
            }
            Kind::OwnName | Kind::MergedName | Kind::Alias => {
                if !has_name(rows, entity, &said.key) {
                    remove_name(rows, entity, &said.key)?;
                }
            }
        }
    }
    if let Some(thread) = &mention.thread_id {
        rows.delete(&keys::thread_mention(thread, entity, mention.order));
    }
    Ok(())
}

/// The types that an entity was given, folded and in order: each as long as a mention says it. They are in one
/// row, since each mention of a name asks for those of all that have it.
pub fn types_of(rows: &dyn GroupRows, entity: EntityId) -> Result<Vec<String>, StageError> {
    Ok(read_row(rows, &keys::types(entity))?.unwrap_or_default())
}

fn has_name(rows: &dyn GroupRows, entity: EntityId, key: &str) -> bool {
    NAMES
        .iter()
        .any(|kind| has_any(rows, &keys::supports_of(entity, kind.byte(), key)))
}

fn remove_name(rows: &mut dyn GroupRows, entity: EntityId, key: &str) -> Result<(), StageError> {
    rows.delete(&keys::name(key, entity));
    let mut kept = BTreeSet::new();
    for said in all_said(rows, entity, &NAMES)? {
        kept.extend(skeleton_tokens(&said.key));
    }
    for token in skeleton_tokens(key) {
        if !kept.contains(&token) {
            rows.delete(&keys::token(&token, entity));
        }
    }
    Ok(())
}

/// How many rows that say the same are passed one by one before the next thing is looked up.
const PASSED: usize = 8;

/// All things of some kinds that are said of an entity, each by its first mention, in the order of
/// their keys. Costs what there is to say, not how often it is said.
pub fn all_said(
    rows: &dyn GroupRows,
    entity: EntityId,
    kinds: &[Kind],
) -> Result<Vec<Said>, StageError> {
    let bytes = || kinds.iter().map(|kind| kind.byte());
    let (Some(first), Some(last)) = (bytes().min(), bytes().max()) else {
        return Ok(Vec::new());
    };
    let (mut from, until) = (
        keys::supports(entity, first),
        keys::supports(entity, last + 1),
    );
    let kind_at = from.len() - 1;
    let mut all: Vec<Said> = Vec::new();
    // The kind and text of the last that was taken, as keys hold them.
    let mut taken: Vec<u8> = Vec::new();
    'seek: loop {
        let mut passed = 0;
        for (row_key, value) in rows.range(&from, &until) {
            let broken = || StageError::BrokenRow("a support row's key".to_owned());
            let said = row_key
                .get(kind_at..row_key.len().saturating_sub(9))
                .ok_or_else(broken)?;
            if said == taken {
                passed += 1;
                if passed == PASSED {
                    // Texts in keys hold no control character: what follows has a greater key.
                    from = [&row_key[..kind_at], said, b"\x01"].concat();
                    continue 'seek;
                }
                continue;
            }
            passed = 0;
            taken = said.to_vec();
            let (kind, text) = said.split_first().ok_or_else(broken)?;
            let Some(&kind) = kinds.iter().find(|one| one.byte() == *kind) else {
                continue;
            };
            let row: SupportRow = decode_row(&value)?;
            all.push(Said {
                kind,
                key: std::str::from_utf8(text).map_err(|_| broken())?.to_owned(),
                text: row.text,
                order: keys::trailing_order(&row_key).ok_or_else(broken)?,
            });
        }
        return Ok(all);
    }
}

/// The mentions of an entity, in the order of the group.
pub fn mentions_of(rows: &dyn GroupRows, entity: EntityId) -> Result<Vec<MentionRow>, StageError> {
    let mut found = Vec::new();
    for kind in [Kind::OwnName, Kind::MergedName] {
        let prefix = keys::supports(entity, kind.byte());
        let supports: Vec<Vec<u8>> = rows
            .range(&prefix, &prefix_end(&prefix))
            .map(|(key, _)| key)
            .collect();
        for key in supports {
            found.extend(mention_of_support(rows, &key)?);
        }
    }
    found.sort_by_key(|mention: &MentionRow| mention.order);
    Ok(found)
}

/// The mention that a support row tells of.
pub fn mention_of_support(
    rows: &dyn GroupRows,
    key: &[u8],
) -> Result<Option<MentionRow>, StageError> {
    match read_row::<SupportRow>(rows, key)? {
        Some(row) => crate::state::mention(rows, &row.episode_id, row.ordinal),
        None => Ok(None),
    }
}
