//! Evidence enters a slot and may leave it; both are remembered, so that the history can be derived
//! anew. What is not settled yet is remembered too, until the episode that brought it is done.

use mneme_events::StatementPlaced;
use mneme_model::{FactId, Instant, Polarity, TimePoint};
use mneme_stage::{GroupRows, StageError, decode_row, prefix_end, read_row, write_row};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::keys;

/// A statement's time in its slots: evidence, from when the system had it until when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// The evidence; the `seq` and `recorded_at` of its header say when it entered.
    pub placed: StatementPlaced,
    /// The `seq` and the instant at which it left.
    pub left: Option<(i64, Instant)>,
}

/// What a timeline needs of a piece of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The statement.
    pub statement_id: Uuid,
    /// The `seq` of its placement.
    pub entered: i64,
    /// The fact that it speaks of.
    pub fact_id: FactId,
    /// Its start; for an end, the instant of the end.
    pub start: TimePoint,
    /// Its stated end.
    pub end: Option<TimePoint>,
    /// Its place among all evidence, which decides between equal starts.
    pub order: i64,
}

impl Evidence {
    /// The order of evidence in a slot: by start, then by place in the log.
    pub fn rank(&self) -> (Instant, i64) {
        (self.start.at, self.order)
    }
}

/// Whether evidence is open, closed, or an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// It holds, without a stated end.
    Open,
    /// It holds until a stated end.
    Closed,
    /// It says that its fact has ended.
    End,
}

/// A change of evidence that is not settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The slots concerned, at most two.
    pub slots: [Option<Uuid>; 2],
    /// What came or went.
    pub evidence: Evidence,
    /// Its form.
    pub form: Form,
}

/// The form of evidence and what a timeline needs of it.
pub fn evidence_of(placed: &StatementPlaced) -> (Form, Evidence) {
    let form = match (placed.polarity, placed.invalid_at) {
        (Polarity::Ended, _) => Form::End,
        (Polarity::Holds, Some(_)) => Form::Closed,
        (Polarity::Holds, None) => Form::Open,
    };
    let evidence = Evidence {
        statement_id: placed.statement_id,
        entered: placed.header.seq,
        fact_id: placed.fact_id,
        start: placed.valid_at,
        end: if form == Form::Closed {
            placed.invalid_at
        } else {
            None
        },
        order: placed.order,
    };
    (form, evidence)
}

fn change_of(placed: &StatementPlaced) -> Change {
    let (form, evidence) = evidence_of(placed);
    let slots = [placed.slots.first().copied(), placed.slots.get(1).copied()];
    Change {
        slots,
        evidence,
        form,
    }
}

fn evidence_key(slot: Uuid, form: Form, evidence: &Evidence) -> Vec<u8> {
    let Evidence {
        statement_id,
        order,
        fact_id,
        start,
        ..
    } = *evidence;
    match form {
        Form::Open => keys::open(slot, start.at, order, statement_id),
        Form::Closed => keys::closed(slot, start.at, order, statement_id),
        Form::End => keys::end(slot, fact_id, start.at, order, statement_id),
    }
}

/// The placement that a statement has now.
pub fn placement_of(
    rows: &dyn GroupRows,
    statement: Uuid,
) -> Result<Option<Placement>, StageError> {
    let prefix = keys::placements(statement);
    let Some((_, value)) = rows.range_back(&prefix, &prefix_end(&prefix)).next() else {
        return Ok(None);
    };
    let placement: Placement = decode_row(&value)?;
    Ok(placement.left.is_none().then_some(placement))
}

/// Evidence enters its slots.
pub fn enter(rows: &mut dyn GroupRows, placed: &StatementPlaced) -> Result<(), StageError> {
    let (form, evidence) = evidence_of(placed);
    let statement = placed.statement_id;
    let entered = placed.header.seq;
    for &slot in &placed.slots {
        write_row(rows, evidence_key(slot, form, &evidence), &evidence)?;
        rows.put(keys::slot_log(slot, entered, statement), Vec::new());
        if let Some(end) = evidence.end {
            let length = end
                .at
                .as_micros()
                .saturating_sub(evidence.start.at.as_micros());
            let longest: Option<i64> = read_row(rows, &keys::longest_closed(slot))?;
            if longest.is_none_or(|longest| longest < length) {
                write_row(rows, keys::longest_closed(slot), &length)?;
            }
        }
    }
    write_row(rows, keys::fact_slots(placed.fact_id), &placed.slots)?;
    note_change(rows, change_of(placed))?;
    let mut of_episode = keys::of_episode(&placed.episode_id);
    of_episode.extend_from_slice(statement.as_bytes());
    rows.put(of_episode, Vec::new());
    let mut of_relation = keys::of_relation(&placed.stated_relation);
    of_relation.extend_from_slice(statement.as_bytes());
    rows.put(of_relation, Vec::new());
    let placement = Placement {
        placed: placed.clone(),
        left: None,
    };
    write_row(rows, keys::placement(statement, entered), &placement)
}

/// The evidence of a statement leaves its slots, if it is in any.
pub fn leave(
    rows: &mut dyn GroupRows,
    statement: Uuid,
    seq: i64,
    at: Instant,
) -> Result<(), StageError> {
    let Some(mut placement) = placement_of(rows, statement)? else {
        return Ok(());
    };
    let (form, evidence) = evidence_of(&placement.placed);
    for &slot in &placement.placed.slots {
        rows.delete(&evidence_key(slot, form, &evidence));
    }
    note_change(rows, change_of(&placement.placed))?;
    placement.left = Some((seq, at));
    write_row(
        rows,
        keys::placement(statement, placement.placed.header.seq),
        &placement,
    )
}

/// Forgets a statement as if it had never been.
pub fn forget(rows: &mut dyn GroupRows, statement: Uuid) -> Result<(), StageError> {
    for placement in placements_of(rows, statement)? {
        let placed = &placement.placed;
        let (form, evidence) = evidence_of(placed);
        for &slot in &placed.slots {
            if placement.left.is_none() {
                rows.delete(&evidence_key(slot, form, &evidence));
            }
            rows.delete(&keys::slot_log(slot, placed.header.seq, statement));
        }
        for mut index in [
            keys::of_episode(&placed.episode_id),
            keys::of_relation(&placed.stated_relation),
        ] {
            index.extend_from_slice(statement.as_bytes());
            rows.delete(&index);
        }
        rows.delete(&keys::placement(statement, placed.header.seq));
    }
    Ok(())
}

/// All placements that a statement has had, oldest first.
pub fn placements_of(rows: &dyn GroupRows, statement: Uuid) -> Result<Vec<Placement>, StageError> {
    let prefix = keys::placements(statement);
    rows.range(&prefix, &prefix_end(&prefix))
        .map(|(_, value)| decode_row(&value))
        .collect()
}

/// The statements listed under a prefix (of an episode, of a relation).
pub fn statements_under(rows: &dyn GroupRows, prefix: &[u8]) -> Vec<Uuid> {
    rows.range(prefix, &prefix_end(prefix))
        .filter_map(|(key, _)| keys::last_id(&key))
        .collect()
}

/// Remembers a change until it is settled. All are in one row, since rows that come and go in a range
/// leave marks behind in the store that every later look at the range must pass.
fn note_change(rows: &mut dyn GroupRows, change: Change) -> Result<(), StageError> {
    let mut changes = unsettled(rows)?;
    changes.push(change);
    write_row(rows, keys::UNSETTLED.to_vec(), &changes)
}

/// The changes that are not settled, oldest first.
pub fn unsettled(rows: &dyn GroupRows) -> Result<Vec<Change>, StageError> {
    Ok(read_row(rows, keys::UNSETTLED)?.unwrap_or_default())
}

/// All changes are settled.
pub fn mark_settled(rows: &mut dyn GroupRows) {
    if rows.get(keys::UNSETTLED).is_some() {
        rows.delete(keys::UNSETTLED);
    }
}
