//! The temporal-invalidator: what holds when, as a pure function of the evidence.
//!
//! - A fact's timeline follows from the statements about its slot alone, whatever the order in which
//!   they came: late, repeated, corrected, erased, merged and split evidence need no special case.
//! - Its history in system time is the one that the remaining evidence gives in log order: after an
//!   erasure it is that of a run that never had the erased episode.
//! - Work per change is that of the neighbourhood in time, not of the slot's length; only an erasure
//!   derives the slots that it touches anew.
//!
//! The pieces: [`timeline`] says who holds when in a window of a slot, [`window`] which part of time
//! a change can touch, [`settle`] what differs from what was believed, [`history`] derives it all
//! anew, [`place`] finds the slot of a statement, and [`TemporalInvalidator`] is the stage.

mod correct;
mod evidence;
mod history;
mod keys;
mod place;
mod settle;
mod span;
mod stage;
mod timeline;
mod versions;
mod window;
mod work;

pub use stage::TemporalInvalidator;

#[cfg(test)]
mod tests;
