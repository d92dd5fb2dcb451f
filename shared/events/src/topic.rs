//! The topics of the log. All are keyed by group and have one partition count, so that a group
//! lives on one partition number from end to end.

use std::fmt;

/// A topic of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// What producers and operators send.
    Episodes,
    /// What the extractor found.
    Extractions,
    /// What the resolver decided.
    Resolutions,
    /// What the temporal-invalidator concluded.
    Facts,
    /// What the community-updater wrote.
    Communities,
    /// Recorded answers of models; compacted.
    Inferences,
    /// Inputs that could not be taken.
    DeadLetters,
    /// Inputs of paused groups.
    Parked,
}

/// What of a topic is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// Everything, for ever.
    All,
    /// The last record of each key, for ever.
    LastOfEachKey,
    /// Everything, for as many days as the operator says.
    Days,
}

impl Topic {
    /// All topics.
    pub const ALL: [Self; 8] = [
        Self::Episodes,
        Self::Extractions,
        Self::Resolutions,
        Self::Facts,
        Self::Communities,
        Self::Inferences,
        Self::DeadLetters,
        Self::Parked,
    ];

    /// The topics that projections are built from, in the order of the flow.
    pub const PROJECTED: [Self; 5] = [
        Self::Episodes,
        Self::Resolutions,
        Self::Facts,
        Self::Communities,
        Self::Parked,
    ];

    /// The topic's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Episodes => "mneme.episodes.v1",
            Self::Extractions => "mneme.extractions.v1",
            Self::Resolutions => "mneme.resolutions.v1",
            Self::Facts => "mneme.facts.v1",
            Self::Communities => "mneme.communities.v1",
            Self::Inferences => "mneme.inferences.v1",
            Self::DeadLetters => "mneme.dlq.v1",
            Self::Parked => "mneme.parked.v1",
        }
    }

    /// The topic of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|topic| topic.name() == name)
    }

    /// The topic that a stage takes as its input.
    pub fn input_of(stage: &str) -> Option<Self> {
        let is_input = |topic: &Self| topic.reader() == Some(stage);
        Self::ALL.into_iter().find(is_input)
    }

    /// The stage that takes it as its input.
    pub fn reader(self) -> Option<&'static str> {
        match self {
            Self::Episodes => Some("extractor"),
            Self::Extractions => Some("resolver"),
            Self::Resolutions => Some("temporal-invalidator"),
            Self::Facts => Some("community-updater"),
            Self::Communities | Self::Inferences | Self::DeadLetters | Self::Parked => None,
        }
    }

    /// What of it is kept. The log is the truth, so nothing of it goes; what a stage does again
    /// after a crash it says under the same key, and dead letters are for people to look at.
    pub fn retention(self) -> Retention {
        match self {
            Self::Episodes
            | Self::Extractions
            | Self::Resolutions
            | Self::Facts
            | Self::Communities
            | Self::Parked => Retention::All,
            Self::Inferences => Retention::LastOfEachKey,
            Self::DeadLetters => Retention::Days,
        }
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
