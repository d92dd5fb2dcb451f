//! The names of the rules, as `MentionResolved` records them.

/// The rule that decided which entity a mention stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The same id in another system.
    ExternalId,
    /// The same name.
    Name,
    /// The same name, where one of the two is an alias.
    Alias,
    /// Of several with this name, one that the episode already speaks of.
    SameEpisode,
    /// Of several with this name, the one that the thread spoke of last.
    SameThread,
    /// Of several with this name, the one tied to others that the episode mentions.
    SharedNeighbour,
    /// Of several with this name, the one known first; the others may be the same.
    Earliest,
    /// The names are alike beyond doubt and the types equal.
    Similarity,
    /// Nothing known has the name: a new entity.
    New,
    /// What is alike differs in a number: a new entity.
    NumbersDiffer,
    /// What has the name is of another type: a new entity.
    TypesConflict,
    /// One system knows what has the name by another id: a new entity.
    IdsDiffer,
    /// A person joined two entities.
    Merge,
    /// A person parted an entity.
    Split,
    /// A person corrected a fact that rests on the episode.
    Correction,
    /// What tied the mention to its entity was erased.
    Parted,
}

const ALL: [(Rule, &str); 16] = [
    (Rule::ExternalId, "external_id"),
    (Rule::Name, "name"),
    (Rule::Alias, "alias"),
    (Rule::SameEpisode, "same_episode"),
    (Rule::SameThread, "same_thread"),
    (Rule::SharedNeighbour, "shared_neighbour"),
    (Rule::Earliest, "earliest"),
    (Rule::Similarity, "similarity"),
    (Rule::New, "new"),
    (Rule::NumbersDiffer, "numbers_differ"),
    (Rule::TypesConflict, "types_conflict"),
    (Rule::IdsDiffer, "ids_differ"),
    (Rule::Merge, "merge"),
    (Rule::Split, "split"),
    (Rule::Correction, "correction"),
    (Rule::Parted, "parted"),
];

impl Rule {
    /// The name of the rule.
    pub fn as_str(self) -> &'static str {
        ALL.iter()
            .find(|(rule, _)| *rule == self)
            .map_or("new", |(_, name)| name)
    }

    /// The rule of a name.
    pub fn of(name: &str) -> Option<Self> {
        ALL.iter()
            .find(|(_, known)| *known == name)
            .map(|(rule, _)| *rule)
    }

    /// Whether the rule compares nothing but names and ids for equality.
    pub fn rests_on_keys(self) -> bool {
        !matches!(
            self,
            Self::Similarity | Self::Merge | Self::Split | Self::Correction
        )
    }
}
