//! Reads of facts through a [`TimeView`]: the times are in the indexes, so what a view does not see
//! costs an entry, never a row.

use std::collections::BTreeMap;
use std::ops::Bound;

use mneme_model::{EntityId, EpisodeId, FactId, Instant, Interval};
use uuid::Uuid;

use super::apply_facts::IndexedFact;
use super::entries::{self, Span};
use super::keys::{Index, Key, last_id, prefix_end};
use super::view::{Entry, View, decode};
use crate::digest::RowIdentity;
use crate::{FactVersionRow, StoreError, SupportRow, TimeView};

/// A page of the group's facts, in order.
pub(super) fn page(
    view: &View<'_>,
    time: &TimeView,
    after: Option<Uuid>,
    limit: usize,
) -> Result<Vec<FactVersionRow>, StoreError> {
    let prefix = Key::index(view.group, Index::FactOrder).done();
    let end = prefix_end(&prefix);
    let from = match after {
        Some(after) => {
            let row: Option<FactVersionRow> = view.row(&RowIdentity::fact_version(after))?;
            let row = row.ok_or_else(|| {
                StoreError::Refused(
                    "the fact to go on after is there no longer; begin again".to_owned(),
                )
            })?;
            Bound::Excluded(entries::fact_order(view.group, &row))
        }
        None => Bound::Included(prefix),
    };
    rows_of(
        view,
        seen(view.range(from, Bound::Excluded(end)), *time),
        limit,
    )
}

/// The versions at an entity that the view sees, the latest start first. The open ones are read as
/// they are taken; of the others, only those that the view's instants leave.
pub(super) fn at_entity(
    view: &View<'_>,
    entity: EntityId,
    time: TimeView,
) -> Result<impl Iterator<Item = Result<Uuid, StoreError>> + use<>, StoreError> {
    at_entity_where(view, entity, time, |_| true)
}

fn at_entity_where(
    view: &View<'_>,
    entity: EntityId,
    time: TimeView,
    wanted: fn(&IndexedFact) -> bool,
) -> Result<impl Iterator<Item = Result<Uuid, StoreError>> + use<>, StoreError> {
    let span = |span| entries::fact_end(view.group, entity, span);
    let after = |key: Key, instant: Instant| {
        key.instant(Instant::from_micros(instant.as_micros() + 1))
            .done()
    };
    let all = |key: &Key| prefix_end(&key.clone().done());

    let (closed, expired) = (span(Span::Closed), span(Span::Expired));
    let ends = (all(&closed), all(&expired));
    let from = match time.include_past {
        true => closed.done(),
        false => after(closed, time.as_of),
    };
    let closed = view.range(Bound::Included(from), Bound::Excluded(ends.0));
    let from = after(expired, time.known_at);
    let expired = view.range(Bound::Included(from), Bound::Excluded(ends.1));
    let mut ended: Vec<Place> =
        places(closed.chain(expired), time, wanted).collect::<Result<_, StoreError>>()?;
    ended.sort();

    let open = span(Span::Open);
    let until = match time.include_past {
        true => all(&open),
        false => after(open.clone(), time.as_of),
    };
    let open = view.range(Bound::Included(open.done()), Bound::Excluded(until));
    let mut open = places(open.rev(), time, wanted).peekable();
    Ok(std::iter::from_fn(move || {
        let open_is_next = match (open.peek(), ended.last()) {
            (Some(Ok(open)), Some(ended)) => open > ended,
            (next, _) => next.is_some(),
        };
        let next = if open_is_next {
            open.next()
        } else {
            ended.pop().map(Ok)
        };
        next.map(|place| place.map(|(_, version)| version))
    }))
}

/// The facts of an entity.
pub(super) fn of_entity(
    view: &View<'_>,
    entity: EntityId,
    time: &TimeView,
    limit: usize,
) -> Result<Vec<FactVersionRow>, StoreError> {
    rows_of(view, at_entity(view, entity, *time)?, limit)
}

/// The facts that give an entity a literal.
pub(super) fn attributes_of(
    view: &View<'_>,
    entity: EntityId,
    time: &TimeView,
    limit: usize,
) -> Result<Vec<FactVersionRow>, StoreError> {
    let versions = at_entity_where(view, entity, *time, |fact| fact.has_literal)?;
    rows_of(view, versions, limit)
}

/// The facts that an episode gave the sentence of, or supports.
pub(super) fn from_episode(
    view: &View<'_>,
    episode: &EpisodeId,
    time: &TimeView,
    limit: usize,
) -> Result<Vec<FactVersionRow>, StoreError> {
    let mut found = BTreeMap::new();
    let mut add = |row: FactVersionRow| found.insert(entries::fact_order(view.group, &row), row);
    let sentences = entries::facts_from(view.group, episode).done();
    for version in seen(view.scan(&sentences), *time) {
        if let Some(row) = view.fact_version(version?)? {
            add(row);
        }
    }
    for entry in view.scan(&entries::support_from(view.group, episode).done()) {
        let Some(support) = support_row(view, &entry?.0)? else {
            continue;
        };
        let history = entries::fact_history(view.group, support.fact_id);
        for version in seen(view.scan(&history), *time) {
            if let Some(row) = view.fact_version(version?)?
                && support.supports(&row)
            {
                add(row);
            }
        }
    }
    Ok(found.into_values().take(limit).collect())
}

/// All versions of a fact.
pub(super) fn history(view: &View<'_>, fact: FactId) -> Result<Vec<FactVersionRow>, StoreError> {
    let versions = view
        .scan(&entries::fact_history(view.group, fact))
        .filter_map(|entry| entry.map(|(key, _)| last_id(&key)).transpose());
    rows_of(view, versions, usize::MAX)
}

/// The statements that support a fact.
pub(super) fn support(
    view: &View<'_>,
    fact: FactId,
    limit: usize,
) -> Result<Vec<SupportRow>, StoreError> {
    let mut rows = Vec::new();
    for entry in view
        .scan(&entries::support_of(view.group, fact))
        .take(limit)
    {
        rows.extend(support_row(view, &entry?.0)?);
    }
    Ok(rows)
}

fn support_row(view: &View<'_>, key: &[u8]) -> Result<Option<SupportRow>, StoreError> {
    match last_id(key) {
        Some(statement) => view.row(&RowIdentity::support(statement)),
        None => Ok(None),
    }
}

/// The start of a version, and the version.
type Place = (Instant, Uuid);

/// The versions of entries that a view sees and that are wanted, in the order of the entries.
fn places(
    entries: impl Iterator<Item = Entry>,
    time: TimeView,
    wanted: fn(&IndexedFact) -> bool,
) -> impl Iterator<Item = Result<Place, StoreError>> {
    entries.filter_map(move |entry| {
        let seen = || {
            let (key, value) = entry?;
            let fact: IndexedFact = decode(&value)?;
            let valid = Interval::new(fact.valid_at, fact.invalid_at);
            let sees = time.sees_interval(valid, fact.created_at, fact.expired_at);
            let version = last_id(&key).filter(|_| sees && wanted(&fact));
            Ok(version.map(|version| (fact.valid_at, version)))
        };
        seen().transpose()
    })
}

fn seen(
    entries: impl Iterator<Item = Entry>,
    time: TimeView,
) -> impl Iterator<Item = Result<Uuid, StoreError>> {
    places(entries, time, |_| true).map(|place| place.map(|(_, version)| version))
}

fn rows_of(
    view: &View<'_>,
    versions: impl Iterator<Item = Result<Uuid, StoreError>>,
    limit: usize,
) -> Result<Vec<FactVersionRow>, StoreError> {
    let mut rows = Vec::new();
    for version in versions.take(limit) {
        rows.extend(view.fact_version(version?)?);
    }
    Ok(rows)
}
