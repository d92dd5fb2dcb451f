//! A correction amends the evidence of one version of a fact, so that the timeline follows from
//! corrected evidence like from any other; the old version stays in system time.

use mneme_events::{FactCorrected, StatementPlaced};
use mneme_model::{FactId, Instant, Ontology};
use mneme_stage::{GroupRows, StageError, prefix_end, read_row};
use uuid::Uuid;

use crate::evidence::{Evidence, placement_of};
use crate::keys;
use crate::place::{Stated, facts_named};
use crate::versions::{Version, versions_of};

/// What a correction makes of one statement.
pub struct Amendment {
    /// The statement.
    pub statement_id: Uuid,
    /// The statement as corrected; `None` when it is withdrawn.
    pub amended: Option<Stated>,
}

/// The amendments that a correction asks for; none when it names no known fact.
pub fn amendments(
    rows: &dyn GroupRows,
    ontology: &Ontology,
    correction: &FactCorrected,
) -> Result<Vec<Amendment>, StageError> {
    let Some(subject) = correction.subject_id else {
        return Ok(Vec::new());
    };
    let group = &correction.header.group_id;
    let named = facts_named(
        group,
        ontology,
        subject,
        &correction.relation,
        correction.object_id,
        &correction.object,
    );
    let Some(version) = version_meant(rows, &named, correction.header.recorded_at)? else {
        return Ok(Vec::new());
    };
    let mut amendments = Vec::new();
    for placed in evidence_for(rows, &version)? {
        let statement_id = placed.statement_id;
        let amended = (!correction.set.retract).then(|| {
            Stated::of(&placed).corrected(&correction.set, correction.new_object.as_ref())
        });
        amendments.push(Amendment {
            statement_id,
            amended,
        });
    }
    Ok(amendments)
}

/// The version that holds at the instant of the correction, else the last to begin.
fn version_meant(
    rows: &dyn GroupRows,
    facts: &[FactId],
    at: Instant,
) -> Result<Option<Version>, StageError> {
    let mut found: Option<Version> = None;
    for &fact in facts {
        for version in versions_of(rows, fact)? {
            if version.created.expired_at.is_some() {
                continue;
            }
            let rank =
                |version: &Version| (version.interval().contains(at), version.created.valid_at.at);
            if found
                .as_ref()
                .is_none_or(|best| rank(best) < rank(&version))
            {
                found = Some(version);
            }
        }
    }
    Ok(found)
}

/// The evidence that a version rests on, and the end that closed it.
fn evidence_for(
    rows: &dyn GroupRows,
    version: &Version,
) -> Result<Vec<StatementPlaced>, StageError> {
    let interval = version.interval();
    let since = version.created.support_since.unwrap_or(Instant::MIN);
    let fact = version.created.fact_id;
    let mut statements: Vec<(Instant, i64, Uuid)> = Vec::new();
    for &slot in &version.slots {
        for (first, form) in [
            (b'o', keys::open as fn(_, _, _, _) -> _),
            (b'k', keys::closed),
        ] {
            let from: Vec<u8> = form(slot, since, i64::MIN, Uuid::nil());
            let until = match interval.end {
                Some(end) => form(slot, end, i64::MIN, Uuid::nil()),
                None => prefix_end(&keys::key(first, &[slot.as_bytes()])),
            };
            for (key, _) in rows.range(&from, &until) {
                let found: Option<Evidence> = read_row(rows, &key)?;
                let fits = |evidence: &Evidence| {
                    evidence.fact_id == fact
                        && evidence.end.is_none_or(|end| end.at > interval.start)
                };
                statements.extend(found.filter(fits).map(ranked));
            }
        }
        if let Some(end) = interval.end {
            let from = keys::end(slot, fact, end, i64::MIN, Uuid::nil());
            let until = keys::end(slot, fact, end, i64::MAX, Uuid::max());
            for (key, _) in rows.range(&from, &until) {
                statements.extend(read_row(rows, &key)?.map(|end: Evidence| ranked(end)));
            }
        }
    }
    statements.sort();
    statements.dedup();
    let placements = statements
        .iter()
        .map(|&(_, _, statement)| placement_of(rows, statement));
    placements
        .filter_map(|found| found.transpose())
        .map(|found| found.map(|placement| placement.placed))
        .collect()
}

fn ranked(evidence: Evidence) -> (Instant, i64, Uuid) {
    (evidence.start.at, evidence.order, evidence.statement_id)
}
