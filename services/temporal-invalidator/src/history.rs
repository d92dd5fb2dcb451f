//! The history of facts derived anew, as if some statements had never been: the same functions run
//! over the remaining evidence in the order in which it entered and left. What comes out is compared
//! with what was recorded, and only the difference is told.

use std::collections::{BTreeMap, BTreeSet};

use mneme_events::{EventHeader, FactVersionCreated};
use mneme_model::{FactId, Instant};
use mneme_stage::{GroupRows, MemoryRows, StageError, prefix_end, read_row};
use uuid::Uuid;

use crate::evidence::{self, Placement, placements_of};
use crate::keys;
use crate::settle::settle;
use crate::versions::{self, Version, versions_of};

/// What a new history changes.
#[derive(Debug, Default)]
pub struct Rewrite {
    /// Versions that were never believed.
    pub erased: Vec<Version>,
    /// Versions in their place, with `expired_at` where they are past.
    pub created: Vec<FactVersionCreated>,
}

enum Turn {
    Enter(Box<Placement>),
    Leave(Uuid),
}

/// Derives the history of every fact that shares a slot with the forgotten statements.
pub fn without(
    rows: &dyn GroupRows,
    header: &EventHeader,
    forgotten: &BTreeSet<Uuid>,
) -> Result<Rewrite, StageError> {
    let mut touched = BTreeSet::new();
    for &statement in forgotten {
        for placement in placements_of(rows, statement)? {
            touched.extend(placement.placed.slots);
        }
    }
    let mut facts = BTreeSet::new();
    let mut slots = touched.clone();
    for &slot in &touched {
        for placement in placements_in(rows, slot)? {
            facts.insert(placement.placed.fact_id);
            slots.extend(placement.placed.slots);
        }
    }
    let mut turns: BTreeMap<(i64, Uuid), (Instant, Turn)> = BTreeMap::new();
    for &slot in &slots {
        for placement in placements_in(rows, slot)? {
            let statement = placement.placed.statement_id;
            if forgotten.contains(&statement) {
                continue;
            }
            let entered = &placement.placed.header;
            if let Some((seq, at)) = placement.left {
                turns.insert((seq, statement), (at, Turn::Leave(statement)));
            }
            let at = entered.recorded_at;
            turns.insert(
                (entered.seq, statement),
                (at, Turn::Enter(Box::new(placement))),
            );
        }
    }
    compare(rows, &replayed(header, turns)?, &facts)
}

fn placements_in(rows: &dyn GroupRows, slot: Uuid) -> Result<Vec<Placement>, StageError> {
    let prefix = keys::key(b'l', &[slot.as_bytes()]);
    let mut found = Vec::new();
    for (key, _) in rows.range(&prefix, &prefix_end(&prefix)) {
        let entered = key
            .get(17..25)
            .and_then(|bytes| <[u8; 8]>::try_from(bytes).ok());
        let (Some(entered), Some(statement)) = (entered, keys::last_id(&key)) else {
            continue;
        };
        let entered = (u64::from_be_bytes(entered) ^ (1 << 63)) as i64;
        found.extend(read_row::<Placement>(
            rows,
            &keys::placement(statement, entered),
        )?);
    }
    Ok(found)
}

/// Runs the turns, those of one instant together, and gives the rows that they leave.
fn replayed(
    header: &EventHeader,
    turns: BTreeMap<(i64, Uuid), (Instant, Turn)>,
) -> Result<MemoryRows, StageError> {
    let mut rows = MemoryRows::default();
    let mut now: Option<Instant> = None;
    for ((seq, _), (at, turn)) in turns {
        if let Some(before) = now.filter(|&before| before != at) {
            believe(&mut rows, header, before)?;
        }
        now = Some(at);
        match turn {
            Turn::Enter(placement) => evidence::enter(&mut rows, &placement.placed)?,
            Turn::Leave(statement) => evidence::leave(&mut rows, statement, seq, at)?,
        }
    }
    if let Some(last) = now {
        believe(&mut rows, header, last)?;
    }
    Ok(rows)
}

fn believe(rows: &mut MemoryRows, header: &EventHeader, at: Instant) -> Result<(), StageError> {
    let header = EventHeader {
        recorded_at: at,
        ..header.clone()
    };
    let settlement = settle(rows, &header, &evidence::unsettled(rows)?)?;
    for version in settlement.expired {
        let FactVersionCreated {
            fact_id,
            version_id,
            created_at,
            ..
        } = version.created;
        versions::expire(rows, fact_id, version_id, at.max(created_at))?;
    }
    for created in &settlement.created {
        versions::create(rows, created)?;
    }
    evidence::mark_settled(rows);
    Ok(())
}

fn compare(
    old: &dyn GroupRows,
    new: &MemoryRows,
    facts: &BTreeSet<FactId>,
) -> Result<Rewrite, StageError> {
    let mut rewrite = Rewrite::default();
    for &fact in facts {
        let old = versions_of(old, fact)?;
        let new = versions_of(new, fact)?;
        let same = |a: &Version, b: &Version| a.slots == b.slots && says_the_same(a, b);
        let gone = old
            .iter()
            .filter(|old| !new.iter().any(|new| same(old, new)));
        rewrite.erased.extend(gone.cloned());
        let come = new
            .iter()
            .filter(|new| !old.iter().any(|old| same(old, new)));
        rewrite
            .created
            .extend(come.map(|version| version.created.clone()));
    }
    Ok(rewrite)
}

/// Whether two versions say the same; their events may differ.
fn says_the_same(a: &Version, b: &Version) -> bool {
    FactVersionCreated {
        header: b.created.header.clone(),
        ..a.created.clone()
    } == b.created
}
