//! Reads of episodes, in the order of time or of their thread.

use std::ops::Bound;

use mneme_model::{EpisodeId, Instant, ThreadId};

use super::entries::{EPISODE_PLACE, by_thread};
use super::keys::{Index, Key, prefix_end};
use super::view::{Entry, View};
use crate::digest::RowIdentity;
use crate::{EpisodeRow, StoreError};

/// The latest episodes, newest first.
pub(super) fn latest(
    view: &View<'_>,
    thread: Option<&ThreadId>,
    before: Option<Instant>,
    limit: usize,
) -> Result<Vec<EpisodeRow>, StoreError> {
    let prefix = match thread {
        Some(thread) => Key::index(view.group, Index::ByThread).text(thread.as_str()),
        None => Key::index(view.group, Index::ByTime),
    };
    let until = match before {
        Some(before) => prefix.clone().instant(before).done(),
        None => prefix_end(&prefix.clone().done()),
    };
    let prefix = prefix.done();
    let place = prefix.len();
    let entries = view.range(Bound::Included(prefix), Bound::Excluded(until));
    take(view, entries.rev(), place, limit)
}

/// The episodes around one in its thread, oldest first.
pub(super) fn neighbours(
    view: &View<'_>,
    episode: &EpisodeId,
    each_side: usize,
) -> Result<Vec<EpisodeRow>, StoreError> {
    let row: Option<EpisodeRow> = view.row(&RowIdentity::episode(episode))?;
    let Some((row, thread)) = row
        .as_ref()
        .and_then(|row| Some((row, row.episode.thread_id.as_ref()?)))
    else {
        return Ok(Vec::new());
    };
    let prefix = Key::index(view.group, Index::ByThread)
        .text(thread.as_str())
        .done();
    let place = prefix.len();
    let own = by_thread(view.group, thread, row);
    let end = prefix_end(&prefix);
    let before = view.range(Bound::Included(prefix), Bound::Excluded(own.clone()));
    let after = view.range(Bound::Excluded(own), Bound::Excluded(end));
    let mut rows = take(view, before.rev(), place, each_side)?;
    rows.reverse();
    rows.extend(take(view, after, place, each_side)?);
    Ok(rows)
}

/// The first episodes that entries name; `place` is where their time begins in the key.
fn take(
    view: &View<'_>,
    entries: impl Iterator<Item = Entry>,
    place: usize,
    limit: usize,
) -> Result<Vec<EpisodeRow>, StoreError> {
    let mut rows = Vec::new();
    for entry in entries.take(limit) {
        let (key, _) = entry?;
        let id = key.get(place + EPISODE_PLACE..).unwrap_or_default();
        rows.extend(view.episode_of_entry(id)?);
    }
    Ok(rows)
}
