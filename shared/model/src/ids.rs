//! Ids keep the tenant apart: a [`GroupId`] can't hold a wildcard, a separator or a control
//! character, so it is safe in keys, paths and index names, and a query can only be built from a
//! [`GroupScope`] that holds at least one.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

use crate::InvalidValue;
use crate::text::clean_text;

/// An id of an entity: UUIDv5 of the group and the entity's first mention.
pub type EntityId = Uuid;
/// An id of a fact: UUIDv5 of the group, subject, relation and object.
pub type FactId = Uuid;

/// The id that follows from a namespace and some parts, the same on every run (UUIDv5).
///
/// Parts are joined with a unit separator, so `("a", "bc")` and `("ab", "c")` differ.
pub fn derived_id(namespace: Uuid, parts: &[&[u8]]) -> Uuid {
    let mut name = Vec::with_capacity(parts.iter().map(|part| part.len() + 1).sum());
    for part in parts {
        name.extend_from_slice(part);
        name.push(0x1f);
    }
    Uuid::new_v5(&namespace, &name)
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $check:path) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks and builds the id.
            pub fn new(text: impl AsRef<str>) -> Result<Self, InvalidValue> {
                $check(text.as_ref()).map(|text| Self(text.into()))
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0, f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = InvalidValue;
            fn from_str(text: &str) -> Result<Self, InvalidValue> {
                Self::new(text)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::new(&text).map_err(serde::de::Error::custom)
            }
        }
    };
}

text_id! {
    /// One memory graph: 1 to 128 ASCII characters, the first a letter or a digit, the others
    /// letters, digits, `_`, `.`, `:`, `@` or `-`.
    GroupId, check_group
}
impl GroupId {
    /// The group that dead letters without a readable group are filed under.
    pub fn unknown() -> Self {
        Self("mneme.unknown".into())
    }
}

text_id! {
    /// One unit of input within a group: 1 to 256 bytes without control characters.
    EpisodeId, check_short
}
text_id! {
    /// An ordered series of episodes within a group: 1 to 256 bytes without control characters.
    ThreadId, check_short
}
text_id! {
    /// The name of a relation, kept as given: 1 to 128 bytes, trimmed, without control characters.
    RelationName, check_relation
}

fn check_group(text: &str) -> Result<&str, InvalidValue> {
    let bytes = text.as_bytes();
    let first_fits = bytes.first().is_some_and(u8::is_ascii_alphanumeric);
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:@-".contains(byte);
    if first_fits && bytes.len() <= 128 && bytes.iter().all(fits) {
        return Ok(text);
    }
    Err(InvalidValue::new(
        "must be 1 to 128 characters: a letter or digit first, then letters, digits, '_', '.', \
         ':', '@' or '-'",
    ))
}

fn check_short(text: &str) -> Result<&str, InvalidValue> {
    if !text.is_empty() && text.len() <= 256 && !text.chars().any(char::is_control) {
        return Ok(text);
    }
    Err(InvalidValue::new(
        "must be 1 to 256 bytes without control characters",
    ))
}

fn check_relation(text: &str) -> Result<String, InvalidValue> {
    let text = clean_text(text).trim().to_owned();
    if !text.is_empty() && text.len() <= 128 && !text.chars().any(char::is_control) {
        return Ok(text);
    }
    Err(InvalidValue::new(
        "must be 1 to 128 bytes of text without control characters",
    ))
}

/// The groups that a read may see: one or more, in the order given, each once.
///
/// Every query type is built from a scope, so a read without a group can't be expressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupScope(Vec<GroupId>);

impl GroupScope {
    /// The largest number of groups in one scope.
    pub const MAX_GROUPS: usize = 100;

    /// A scope of one group.
    pub fn one(group: GroupId) -> Self {
        Self(vec![group])
    }

    /// A scope of several groups; refused when empty or above [`Self::MAX_GROUPS`].
    pub fn new(groups: Vec<GroupId>) -> Result<Self, InvalidValue> {
        let mut distinct: Vec<GroupId> = Vec::with_capacity(groups.len());
        for group in groups {
            if !distinct.contains(&group) {
                distinct.push(group);
            }
        }
        if distinct.is_empty() || distinct.len() > Self::MAX_GROUPS {
            return Err(InvalidValue::new("must name 1 to 100 groups"));
        }
        Ok(Self(distinct))
    }

    /// The groups, in the order given.
    pub fn groups(&self) -> &[GroupId] {
        &self.0
    }

    /// Whether the scope holds the group.
    pub fn contains(&self, group: &GroupId) -> bool {
        self.0.contains(group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_syntax() {
        for good in ["g", "A0_.:@-z", &"x".repeat(128)] {
            assert!(GroupId::new(good).is_ok(), "{good}");
        }
        for bad in [
            "", "-lead", "_", ".dot", "a b", "a/b", "team\n", "équipe", "a\0b", "a%2Fb", "*",
        ] {
            assert!(GroupId::new(bad).is_err(), "{bad:?}");
        }
        assert!(GroupId::new("x".repeat(129)).is_err());
    }

    #[test]
    fn a_scope_is_never_empty_and_holds_each_group_once() {
        let group = GroupId::new("g").unwrap();
        assert!(GroupScope::new(vec![]).is_err());
        assert_eq!(
            GroupScope::new(vec![group.clone(), group.clone()])
                .unwrap()
                .groups(),
            [group]
        );
    }

    #[test]
    fn derived_ids_keep_parts_apart() {
        let id = |parts: &[&[u8]]| derived_id(Uuid::NAMESPACE_OID, parts);
        assert_ne!(id(&[b"a", b"bc"]), id(&[b"ab", b"c"]));
        assert_eq!(id(&[b"a"]), id(&[b"a"]));
    }
}
