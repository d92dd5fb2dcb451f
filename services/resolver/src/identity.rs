//! The forms of a name and an id that are compared: equal forms are one name, or one id.

use mneme_events::Mention;
use mneme_model::{EntityId, EpisodeId, GroupId, NameKey, derived_id};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use uuid::Uuid;

use crate::keys::key_text;

/// The key of a name. A name of which the key keeps nothing ("...") is its own key.
pub fn name_key(name: &str) -> String {
    let key = NameKey::of(name);
    if key.as_str().is_empty() {
        key_text(name.trim())
    } else {
        key.as_str().to_owned()
    }
}

/// The form in which ids of other systems are compared; e-mail addresses have no case.
pub fn external_key(id: &str) -> String {
    let id = key_text(id.trim());
    if id.contains('@') {
        id.to_lowercase()
    } else {
        id
    }
}

/// Whether an id can't be told from one of another kind of record: a bare number says nothing of
/// what it counts.
pub fn is_bare_number(external_key: &str) -> bool {
    external_key.chars().all(|c| c.is_ascii_digit())
}

/// The words of a key without accents and marks: near spellings meet in them. They find
/// candidates and never decide.
pub fn skeleton_tokens(key: &str) -> Vec<String> {
    let bare: String = key.nfd().filter(|&c| !is_combining_mark(c)).collect();
    let mut tokens: Vec<String> = Vec::new();
    for token in bare.split(|c: char| !c.is_alphanumeric()) {
        if !token.is_empty() {
            tokens.push(token.to_owned());
        }
    }
    tokens
}

/// The namespace of the ids of a group.
pub fn namespace(group: &GroupId) -> Uuid {
    derived_id(Uuid::NAMESPACE_OID, &[b"mneme", group.as_str().as_bytes()])
}

/// The id of an entity: that of the group and its first mention.
pub fn entity_id(group: &GroupId, episode: &EpisodeId, ordinal: i32) -> EntityId {
    derived_id(
        namespace(group),
        &[
            b"entity",
            episode.as_str().as_bytes(),
            &ordinal.to_be_bytes(),
        ],
    )
}

/// The id of a statement: that of the group, the episode and the ordinal.
pub fn statement_id(group: &GroupId, episode: &EpisodeId, ordinal: i32) -> Uuid {
    derived_id(
        namespace(group),
        &[
            b"statement",
            episode.as_str().as_bytes(),
            &ordinal.to_be_bytes(),
        ],
    )
}

/// What a mention says of its entity, in the forms that are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The key of the name.
    pub key: String,
    /// The keys of the other names given.
    pub alias_keys: Vec<String>,
    /// The type given or found.
    pub entity_type: Option<String>,
    /// The key of the id in another system.
    pub external: Option<String>,
}

impl Named {
    /// From the parts of a mention.
    pub fn new(
        name: &str,
        aliases: &[String],
        entity_type: Option<&str>,
        external_id: Option<&str>,
    ) -> Self {
        let key = name_key(name);
        let mut alias_keys: Vec<String> = Vec::new();
        for alias in aliases.iter().map(|alias| name_key(alias)) {
            if !alias.is_empty() && alias != key && !alias_keys.contains(&alias) {
                alias_keys.push(alias);
            }
        }
        Self {
            key,
            alias_keys,
            entity_type: entity_type.map(str::to_owned),
            external: external_id.map(external_key).filter(|id| !id.is_empty()),
        }
    }

    /// From a mention as extracted.
    pub fn of(mention: &Mention) -> Self {
        Self::new(
            &mention.name,
            &mention.aliases,
            mention.entity_type.as_deref(),
            mention.external_id.as_deref(),
        )
    }
}
