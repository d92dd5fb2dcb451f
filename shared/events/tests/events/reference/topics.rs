//! What the page says of a topic beside what the code knows.

use mneme_events::{Retention, Topic};

/// Who has to do with a topic.
pub struct Traffic {
    pub what: &'static str,
    pub key: &'static str,
    pub written_by: &'static str,
    pub read_by: &'static str,
}

const GROUP: &str = "the group's id";

pub fn traffic(topic: Topic) -> Traffic {
    let (what, written_by, read_by) = match topic {
        Topic::Episodes => (
            "what producers and operators send",
            "gateway, intake, producers",
            "extractor, projectors, gateway (which ids are there)",
        ),
        Topic::Extractions => (
            "what was found in each episode, with the episode",
            "extractor",
            "resolver",
        ),
        Topic::Resolutions => (
            "entities, and whom each mention and statement means",
            "resolver",
            "temporal-invalidator, projectors",
        ),
        Topic::Facts => (
            "facts with their times, and that an episode is applied",
            "temporal-invalidator",
            "community-updater, projectors",
        ),
        Topic::Communities => (
            "summaries of entities, and communities",
            "community-updater",
            "projectors",
        ),
        Topic::Inferences => (
            "answers of models, so that none is paid for twice",
            "the stages that ask a model",
            "the same stages",
        ),
        Topic::DeadLetters => (
            "inputs that could not be taken",
            "stages, intake; `mneme dlq replay`",
            "`mneme dlq`",
        ),
        Topic::Parked => (
            "inputs that wait, and that they need not any longer",
            "stages; `mneme dlq replay`",
            "the same stages, `mneme dlq`",
        ),
    };
    let key = match topic {
        Topic::Inferences => "the group's id, a space, the event's id",
        _ => GROUP,
    };
    Traffic {
        what,
        key,
        written_by,
        read_by,
    }
}

pub fn kept(topic: Topic) -> &'static str {
    match topic.retention() {
        Retention::All => "for ever",
        Retention::LastOfEachKey => "the last of each key, for ever (compacted)",
        Retention::Days => "as many days as `topics.dead_letter_days` says",
    }
}
