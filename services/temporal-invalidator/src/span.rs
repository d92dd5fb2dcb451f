//! The spans in which a fact holds: what the evidence says inside of windows, what was believed
//! outside of them, joined where they touch.

use mneme_model::{FactId, Instant, Interval, Precision, TimePoint};
use mneme_stage::StageError;
use uuid::Uuid;

use crate::evidence::Evidence;
use crate::timeline::{Neighbourhood, Neighbourhoods, Piece};
use crate::versions::Version;

/// An interval in which a fact holds, with what gave it.
#[derive(Debug, Clone)]
pub struct Span {
    pub start: TimePoint,
    pub end: Option<TimePoint>,
    /// What it was made of: a version that was believed, or evidence.
    pub origin: Origin,
}

#[derive(Debug, Clone)]
pub enum Origin {
    Version(Box<Version>),
    Evidence(Evidence),
}

impl Span {
    /// When.
    pub fn interval(&self) -> Interval {
        Interval::new(self.start.at, self.end.map(|end| end.at))
    }
}

/// Where the fact holds in a window: in each of its slots.
pub fn spans_in(
    neighbourhoods: &Neighbourhoods<'_>,
    fact: FactId,
    slots: &[Uuid],
    window: &Interval,
) -> Result<Vec<Span>, StageError> {
    let mut found: Option<Vec<Span>> = None;
    for &slot in slots {
        let neighbourhood = neighbourhoods.get(slot, window)?;
        let spans = neighbourhood
            .pieces(window)
            .into_iter()
            .filter(|piece| piece.evidence.fact_id == fact)
            .map(|piece| span_of(&neighbourhood, &piece))
            .collect();
        found = Some(match found {
            None => spans,
            Some(other) => both(&other, &spans),
        });
    }
    Ok(found.unwrap_or_default())
}

fn span_of(neighbourhood: &Neighbourhood, piece: &Piece) -> Span {
    let point = |at: Instant| {
        let precision = neighbourhood.precision_at(at).unwrap_or(Precision::Instant);
        TimePoint { at, precision }
    };
    let evidence = piece.evidence;
    let start = if evidence.start.at == piece.interval.start {
        evidence.start
    } else {
        point(piece.interval.start)
    };
    Span {
        start,
        end: piece.interval.end.map(point),
        origin: Origin::Evidence(evidence),
    }
}

/// What two lists of spans of one fact have in common.
fn both(one: &[Span], other: &[Span]) -> Vec<Span> {
    let mut common = Vec::new();
    for a in one {
        for b in other {
            if a.interval().intersection(&b.interval()).is_some() {
                let later = if a.start.at >= b.start.at { a } else { b };
                let end = [a.end, b.end]
                    .into_iter()
                    .flatten()
                    .min_by_key(|end| end.at);
                common.push(Span {
                    end,
                    ..later.clone()
                });
            }
        }
    }
    common
}

/// What is left of a version outside of the windows.
pub fn outside(
    neighbourhoods: &Neighbourhoods<'_>,
    slots: &[Uuid],
    version: &Version,
    windows: &[Interval],
) -> Result<Vec<Span>, StageError> {
    let whole = Span {
        start: version.created.valid_at,
        end: version.created.invalid_at,
        origin: Origin::Version(Box::new(version.clone())),
    };
    let mut left = vec![whole];
    for window in windows {
        let mut next = Vec::with_capacity(left.len() + 1);
        for span in left {
            if span.interval().intersection(window).is_none() {
                next.push(span);
                continue;
            }
            let at = |instant: Instant| -> Result<TimePoint, StageError> {
                for &slot in slots {
                    let here = Interval::new(instant, Some(instant));
                    let near = neighbourhoods.get(slot, &here)?;
                    if let Some(precision) = near.precision_at(instant) {
                        return Ok(TimePoint {
                            at: instant,
                            precision,
                        });
                    }
                }
                Ok(TimePoint::instant(instant))
            };
            if span.start.at < window.start {
                next.push(Span {
                    end: Some(at(window.start)?),
                    ..span.clone()
                });
            }
            if let Some(end) = window.end
                && span.end.is_none_or(|span_end| end < span_end.at)
            {
                next.push(Span {
                    start: at(end)?,
                    ..span
                });
            }
        }
        left = next;
    }
    Ok(left)
}

/// Joins spans that touch: periods that touch are one.
pub fn join(spans: Vec<Span>) -> Vec<Span> {
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if last.interval().touches(&span.interval()) => {
                let reaches_further = last
                    .end
                    .is_some_and(|end| span.end.is_none_or(|next| next.at > end.at));
                if reaches_further {
                    last.end = span.end;
                }
            }
            _ => joined.push(span),
        }
    }
    joined
}
