//! From when until when something that was said holds, by the tense of the verb and the times of the
//! clause. The past of a state says nothing without an end: who "worked at Acme" may or may not
//! have left it long ago.

use mneme_model::{Instant, Polarity, Precision, TimePoint};

use super::frame::Effect;
use super::group::{Group, Tense, Voice};
use super::predicate::Said;
use super::when::When;

/// The times of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times {
    pub valid_at: Option<TimePoint>,
    pub invalid_at: Option<TimePoint>,
    pub polarity: Polarity,
}

impl Said {
    /// From when until when it holds; `None` where the clause states nothing that holds or ended.
    pub fn times(&self, group: &Group, when: &When, reference: Instant) -> Option<Times> {
        let times = match self.effect {
            Effect::State => state(group, when)?,
            Effect::Begins | Effect::Ends | Effect::Event => self.change(group, when)?,
        };
        // What is yet to begin is a plan.
        let is_future = times.valid_at.is_some_and(|point| point.at > reference);
        (!is_future).then_some(times)
    }

    fn change(&self, group: &Group, when: &When) -> Option<Times> {
        let is_past = matches!(group.tense, Tense::Past | Tense::Perfect)
            // "is hired by".
            || (group.tense == Tense::Present && group.voice == Voice::Passive);
        if group.denied || !is_past || group.voice == Voice::Progressive {
            return None;
        }
        match self.effect {
            Effect::Ends => {
                // "I left Acme at five" is no notice.
                let is_of_the_day = when.at.is_some_and(|at| at.precision == Precision::Instant);
                (!is_of_the_day).then(|| ended(when.at))
            }
            Effect::Begins => Some(holds(when.at.or(when.since), when.until)),
            _ => Some(holds(when.at, None)),
        }
    }
}

/// "works", "has worked since", "used to work", "no longer works".
fn state(group: &Group, when: &When) -> Option<Times> {
    if group.ended {
        return Some(ended(when.since.or(when.at)));
    }
    match (group.tense, when.since, when.until) {
        (Tense::UsedTo, _, until) => Some(ended(until)),
        (Tense::Present, since, until) => Some(holds(since, until)),
        // "has not used it since May".
        (Tense::Perfect, Some(since), _) if group.denied => Some(ended(Some(since))),
        (Tense::Perfect, Some(since), until) => Some(holds(Some(since), until)),
        (Tense::Past, _, _) if group.denied => None,
        (Tense::Past, Some(since), Some(until)) => Some(holds(Some(since), Some(until))),
        (Tense::Past, None, Some(until)) => Some(ended(Some(until))),
        (Tense::Past | Tense::Perfect, _, _) => None,
    }
}

fn holds(valid_at: Option<TimePoint>, invalid_at: Option<TimePoint>) -> Times {
    Times {
        valid_at,
        invalid_at,
        polarity: Polarity::Holds,
    }
}

fn ended(invalid_at: Option<TimePoint>) -> Times {
    Times {
        valid_at: None,
        invalid_at,
        polarity: Polarity::Ended,
    }
}
