//! The words of Mneme as types whose invariants hold by construction.
//!
//! A value of these types is valid: a [`GroupId`] has the syntax that every store and topic key
//! accepts, an [`Instant`] is a point of the proleptic Gregorian calendar in microseconds, a
//! [`RelationName`] is not empty. What can't be built is refused with an [`InvalidValue`] that
//! names what was wrong and how to mend it.

mod clock;
mod ids;
mod instant;
mod interval;
mod literal;
mod name_key;
mod ontology;
mod statement;
mod text;

pub use clock::{Clock, SystemClock};
pub use ids::{
    EntityId, EpisodeId, FactId, GroupId, GroupScope, RelationName, ThreadId, derived_id,
};
pub use instant::{Instant, Precision, TimePoint};
pub use interval::Interval;
pub use literal::{Literal, LiteralKind};
pub use name_key::{NameKey, folded_tokens};
pub use ontology::{
    AttributeDefinition, AttributeType, Cardinality, EntityDefinition, Multiplicity, Ontology,
    RelationDefinition,
};
pub use statement::{Polarity, Source};
pub use text::{clean_text, is_blank, is_name, is_zero_width};

/// Why a value was refused. The text names the rule and the fix; the caller adds the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidValue(pub String);

impl InvalidValue {
    /// Builds the error from its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}
