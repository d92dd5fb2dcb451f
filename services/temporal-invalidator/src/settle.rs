//! What the changes of evidence make of the versions: the timeline of each fact in the windows that
//! the changes can touch, and the difference to what was believed. Versions whose interval stays are
//! left alone, so nothing is expired and created again for nothing.

use std::collections::BTreeMap;

use mneme_events::{EventHeader, FactVersionCreated};
use mneme_model::{FactId, Instant, Interval};
use mneme_stage::{GroupRows, StageError, decode_row, read_row};
use uuid::Uuid;

use crate::evidence::{Change, Evidence, Placement};
use crate::keys;
use crate::span::{Origin, Span, join, outside, spans_in};
use crate::timeline::{Neighbourhood, Neighbourhoods};
use crate::versions::{Version, current_near, facts_near, version_id};
use crate::window::{disjoint, window_of};

/// How far back the evidence of a resumed version is looked for. Restatements older than the last
/// this many are not listed as its support.
const SUPPORT_REACH: usize = 256;

/// What follows from changes of evidence.
#[derive(Debug, Default)]
pub struct Settlement {
    /// Versions believed no longer.
    pub expired: Vec<Version>,
    /// Versions believed from now on; their headers are to be set.
    pub created: Vec<FactVersionCreated>,
}

/// Compares the timelines that the evidence gives with the versions believed.
pub fn settle(
    rows: &dyn GroupRows,
    header: &EventHeader,
    changes: &[Change],
) -> Result<Settlement, StageError> {
    let mut windows: BTreeMap<Uuid, Vec<Interval>> = BTreeMap::new();
    for change in changes {
        for slot in change.slots.into_iter().flatten() {
            if let Some(window) = window_of(rows, slot, change)? {
                windows.entry(slot).or_default().push(window);
            }
        }
    }
    let neighbourhoods = Neighbourhoods::new(rows);
    let mut of_facts: BTreeMap<FactId, Vec<Interval>> = BTreeMap::new();
    for (&slot, slot_windows) in &windows {
        for window in disjoint(slot_windows.clone()) {
            let pieces = neighbourhoods.get(slot, &window)?.pieces(&window);
            let near = facts_near(rows, slot, &window)?;
            for fact in Neighbourhood::facts(&pieces).chain(near) {
                of_facts.entry(fact).or_default().push(window);
            }
        }
    }
    let mut settlement = Settlement::default();
    for (fact, windows) in of_facts {
        let windows = disjoint(windows);
        settle_fact(
            rows,
            &neighbourhoods,
            header,
            fact,
            windows,
            &mut settlement,
        )?;
    }
    Ok(settlement)
}

fn settle_fact(
    rows: &dyn GroupRows,
    neighbourhoods: &Neighbourhoods<'_>,
    header: &EventHeader,
    fact: FactId,
    windows: Vec<Interval>,
    settlement: &mut Settlement,
) -> Result<(), StageError> {
    let slots: Vec<Uuid> = read_row(rows, &keys::fact_slots(fact))?.unwrap_or_default();
    let mut old: BTreeMap<Uuid, Version> = BTreeMap::new();
    let mut spans: Vec<Span> = Vec::new();
    for window in &windows {
        for version in current_near(rows, fact, window)? {
            old.insert(version.created.version_id, version);
        }
        spans.extend(spans_in(neighbourhoods, fact, &slots, window)?);
    }
    for version in old.values() {
        spans.extend(outside(neighbourhoods, &slots, version, &windows)?);
    }
    spans.sort_by_key(|span| span.start.at);
    let spans = join(spans);

    let unchanged = |version: &Version| {
        version.slots == slots
            && spans
                .iter()
                .any(|span| span.interval() == version.interval())
    };
    for span in &spans {
        let kept = old
            .values()
            .any(|version| version.interval() == span.interval() && version.slots == slots);
        if !kept {
            settlement
                .created
                .push(version_of(rows, header, fact, &slots, span)?);
        }
    }
    settlement
        .expired
        .extend(old.values().filter(|version| !unchanged(version)).cloned());
    Ok(())
}

fn version_of(
    rows: &dyn GroupRows,
    header: &EventHeader,
    fact: FactId,
    slots: &[Uuid],
    span: &Span,
) -> Result<FactVersionCreated, StageError> {
    let interval = span.interval();
    let created_at = header.recorded_at;
    let common = match &span.origin {
        Origin::Version(version) => FactVersionCreated {
            ..version.created.clone()
        },
        Origin::Evidence(evidence) => from_evidence(rows, header, evidence)?,
    };
    Ok(FactVersionCreated {
        header: header.clone(),
        version_id: version_id(fact, &interval, created_at),
        valid_at: span.start,
        invalid_at: span.end,
        created_at,
        expired_at: None,
        support_since: support_since(rows, fact, slots, interval.start)?,
        ..common
    })
}

fn from_evidence(
    rows: &dyn GroupRows,
    header: &EventHeader,
    evidence: &Evidence,
) -> Result<FactVersionCreated, StageError> {
    let key = keys::placement(evidence.statement_id, evidence.entered);
    let Placement { placed, .. } = read_row(rows, &key)?
        .ok_or_else(|| StageError::BrokenRow("evidence without its placement".to_owned()))?;
    Ok(FactVersionCreated {
        header: header.clone(),
        version_id: Uuid::nil(),
        fact_id: placed.fact_id,
        subject: placed.subject,
        relation: placed.relation,
        object: placed.object,
        value: placed.value,
        fact: placed.fact,
        valid_at: placed.valid_at,
        invalid_at: placed.invalid_at,
        created_at: header.recorded_at,
        expired_at: None,
        support_since: None,
        statement_id: placed.statement_id,
        episode_id: placed.episode_id,
        reference_time: placed.reference_time,
    })
}

/// The last instant, at or before the start of a version, at which earlier evidence for its fact was
/// cut off: an end of the fact, or open evidence for another.
fn support_since(
    rows: &dyn GroupRows,
    fact: FactId,
    slots: &[Uuid],
    start: Instant,
) -> Result<Option<Instant>, StageError> {
    let mut since: Option<Instant> = None;
    for &slot in slots {
        let ends = keys::key(b'm', &[slot.as_bytes(), fact.as_bytes()]);
        let until = keys::end(slot, fact, start, i64::MAX, Uuid::max());
        if let Some((_, value)) = rows.range_back(&ends, &until).next() {
            let end: Evidence = decode_row(&value)?;
            since = since.max(Some(end.start.at));
        }
        let opens = keys::key(b'o', &[slot.as_bytes()]);
        let until = keys::open(slot, start, i64::MAX, Uuid::max());
        for (_, value) in rows.range_back(&opens, &until).take(SUPPORT_REACH) {
            let open: Evidence = decode_row(&value)?;
            if open.fact_id != fact {
                since = since.max(Some(open.start.at));
                break;
            }
        }
    }
    Ok(since)
}
