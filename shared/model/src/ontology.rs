//! The [`Ontology`] of a group: which relations exclude each other, and how types and directions
//! fit. A relation that it does not name is many-valued, has no inverse and fits any types.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::InvalidValue;

/// How many objects a subject, and subjects an object, may have at one instant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cardinality {
    /// Any number on both sides.
    #[default]
    Many,
    /// A subject has one object at a time.
    OnePerSubject,
    /// An object has one subject at a time.
    OnePerObject,
    /// Both.
    OneToOne,
}

/// What the ontology says of a relation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelationDefinition {
    /// What the relation means, for people and models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How many may hold at once.
    #[serde(default)]
    pub cardinality: Cardinality,
    /// Whether the endpoints have no order.
    #[serde(default)]
    pub symmetric: bool,
    /// The relation in whose direction this one is stored, endpoints swapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inverse_of: Option<String>,
    /// The pairs of subject type and object type that fit; none means any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<(String, String)>,
    /// Whether a statement that fits no signature is rejected.
    #[serde(default)]
    pub strict: bool,
}

/// The type of an attribute's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttributeType {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A date.
    Date,
}

/// Whether an attribute has one value at a time or many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Multiplicity {
    /// One value at a time.
    #[default]
    One,
    /// Any number of values.
    Many,
}

/// What the ontology says of an attribute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttributeDefinition {
    /// The type of its values.
    #[serde(rename = "type")]
    pub value_type: AttributeType,
    /// How many values hold at once.
    #[serde(default)]
    pub cardinality: Multiplicity,
}

/// What the ontology says of an entity type.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityDefinition {
    /// What the type means, for people and models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its attributes by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, AttributeDefinition>,
}

/// The relations and entity types of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ontology {
    /// Relations by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub relations: BTreeMap<String, RelationDefinition>,
    /// Entity types by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub entities: BTreeMap<String, EntityDefinition>,
}

impl Ontology {
    /// Checks what serde can't: an inverse names a relation that is no inverse itself and is not
    /// the relation, and names are not blank.
    pub fn validate(&self) -> Result<(), InvalidValue> {
        for (name, definition) in &self.relations {
            if crate::is_blank(name) {
                return Err(InvalidValue::new("relations: a relation needs a name"));
            }
            if let Some(base) = &definition.inverse_of {
                let chained = self
                    .relations
                    .get(base)
                    .is_some_and(|base| base.inverse_of.is_some());
                if base == name || chained {
                    return Err(InvalidValue::new(format!(
                        "relations.{name}.inverse_of: must name another relation that is itself \
                         no inverse"
                    )));
                }
            }
        }
        Ok(())
    }

    /// The definition of a relation, following an inverse to the direction it is stored in.
    /// The flag says that the endpoints are to be swapped.
    pub fn stored_direction<'a>(&'a self, relation: &'a str) -> (&'a str, bool) {
        match self
            .relations
            .get(relation)
            .and_then(|definition| definition.inverse_of.as_deref())
        {
            Some(base) => (base, true),
            None => (relation, false),
        }
    }

    /// The cardinality of a relation in its stored direction; `None` where nothing is said.
    pub fn cardinality(&self, relation: &str) -> Option<Cardinality> {
        self.relations
            .get(relation)
            .map(|definition| definition.cardinality)
    }

    /// Whether the endpoints of a relation have no order.
    pub fn is_symmetric(&self, relation: &str) -> bool {
        self.relations
            .get(relation)
            .is_some_and(|definition| definition.symmetric)
    }

    /// Whether a statement with these types fits the relation's signatures. Unknown types fit.
    pub fn fits(&self, relation: &str, subject: Option<&str>, object: Option<&str>) -> bool {
        let Some(definition) = self.relations.get(relation) else {
            return true;
        };
        definition.signatures.is_empty()
            || definition
                .signatures
                .iter()
                .any(|(subject_type, object_type)| {
                    subject.is_none_or(|given| given == subject_type)
                        && object.is_none_or(|given| given == object_type)
                })
    }

    /// Whether a statement that does not fit is rejected.
    pub fn is_strict(&self, relation: &str) -> bool {
        self.relations
            .get(relation)
            .is_some_and(|definition| definition.strict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Ontology {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn an_inverse_is_stored_the_other_way_round() {
        let ontology = read(
            r#"{"relations":{"PARENT_OF":{"cardinality":"many"},"CHILD_OF":{"inverse_of":"PARENT_OF"}}}"#,
        );
        ontology.validate().unwrap();
        assert_eq!(ontology.stored_direction("CHILD_OF"), ("PARENT_OF", true));
        assert_eq!(ontology.stored_direction("LIKES"), ("LIKES", false));
    }

    #[test]
    fn a_chain_of_inverses_is_refused() {
        let ontology = read(r#"{"relations":{"A":{"inverse_of":"B"},"B":{"inverse_of":"C"}}}"#);
        assert!(ontology.validate().is_err());
    }

    #[test]
    fn unknown_fields_are_refused() {
        assert!(serde_json::from_str::<Ontology>(r#"{"relation":{}}"#).is_err());
    }
}
