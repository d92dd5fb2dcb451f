//! What the extractor remembers of a group: the fold of its own outputs.
//!
//! * each episode's digest, until it is erased: the same id again changes nothing;
//! * of each thread the last messages and who takes part, which is the context of the next one;
//! * the ontology.
//!
//! An erased episode leaves none of its text here.

use mneme_events::{Author, Episode};
use mneme_model::{EpisodeId, Instant, Ontology, Source, ThreadId};
use mneme_stage::{GroupRows, StageError, prefix_end, read_row, write_row};
use serde::{Deserialize, Serialize};

/// How many messages of a thread are kept: more than a reader sees, so that a message that comes
/// late still finds those before it.
const KEPT_MESSAGES: usize = 20;
/// The most bytes of a message that serve as context.
const MAX_CONTEXT_BYTES: usize = 4_096;
/// The most authors of a thread that are told apart.
const MAX_AUTHORS: usize = 16;

const ONTOLOGY_KEY: &[u8] = b"o";

/// An earlier message of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContextMessage {
    pub author: Option<Author>,
    pub text: String,
    pub reference_time: Instant,
}

/// What a reader knows besides the episode.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    /// Earlier messages of the thread, none from after the episode's reference time, oldest first.
    pub messages: Vec<ContextMessage>,
    /// Those who have written in the thread so far.
    pub authors: Vec<Author>,
    /// The group's ontology.
    pub ontology: Ontology,
}

#[derive(Debug, Serialize, Deserialize)]
struct EpisodeRow {
    digest: String,
    place: Option<ThreadPlace>,
}

/// Where a message stands in its thread.
#[derive(Debug, Serialize, Deserialize)]
struct ThreadPlace {
    thread_id: ThreadId,
    reference_time: Instant,
    seq: i64,
    author: Option<Author>,
}

#[derive(Debug, Serialize, Deserialize)]
struct AuthorCount {
    author: Author,
    messages: u64,
}

/// Whether an episode of that id has been taken and not been erased since.
pub(crate) fn is_known(rows: &dyn GroupRows, episode_id: &EpisodeId) -> bool {
    rows.get(&episode_key(episode_id)).is_some()
}

/// What a reader may know besides the episode.
pub(crate) fn context(
    rows: &dyn GroupRows,
    episode: &Episode,
    messages: usize,
) -> Result<Context, StageError> {
    let mut context = Context {
        ontology: ontology(rows)?,
        ..Context::default()
    };
    if let Some(thread_id) = &episode.thread_id {
        let from = thread_prefix(thread_id);
        let mut until = from.clone();
        until.extend_from_slice(&episode.reference_time.to_key());
        let until = prefix_end(&until);
        for (_, value) in rows.range_back(&from, &until).take(messages) {
            context.messages.push(decode(&value)?);
        }
        context.messages.reverse();
        context.authors = authors(rows, thread_id)?
            .into_iter()
            .map(|counted| counted.author)
            .collect();
    }
    Ok(context)
}

/// The group's ontology; an empty one where none was given.
fn ontology(rows: &dyn GroupRows) -> Result<Ontology, StageError> {
    match rows.get(ONTOLOGY_KEY) {
        Some(text) => serde_json::from_slice(&text)
            .map_err(|error| StageError::BrokenRow(format!("ontology: {error}"))),
        None => Ok(Ontology::default()),
    }
}

/// Remembers an ontology.
pub(crate) fn put_ontology(rows: &mut dyn GroupRows, ontology: &str) {
    rows.put(ONTOLOGY_KEY.to_vec(), ontology.as_bytes().to_vec());
}

/// Remembers an episode that was read, or could not be.
pub(crate) fn put_episode(
    rows: &mut dyn GroupRows,
    episode: &Episode,
    seq: i64,
) -> Result<(), StageError> {
    let place = match &episode.thread_id {
        Some(thread_id) if episode.source == Source::Message => Some(ThreadPlace {
            thread_id: thread_id.clone(),
            reference_time: episode.reference_time,
            seq,
            author: episode.author.clone(),
        }),
        _ => None,
    };
    if let Some(place) = &place {
        let message = ContextMessage {
            author: episode.author.clone(),
            text: shortened(&episode.body).to_owned(),
            reference_time: episode.reference_time,
        };
        write_row(rows, message_key(place), &message)?;
        let from = thread_prefix(&place.thread_id);
        let oldest = rows
            .range_back(&from, &prefix_end(&from))
            .nth(KEPT_MESSAGES)
            .map(|(key, _)| key);
        if let Some(key) = oldest {
            rows.delete(&key);
        }
        count_author(rows, place, 1)?;
    }
    let row = EpisodeRow {
        digest: episode.digest.clone(),
        place,
    };
    write_row(rows, episode_key(&episode.episode_id), &row)
}

/// Forgets an episode.
pub(crate) fn forget_episode(
    rows: &mut dyn GroupRows,
    episode_id: &EpisodeId,
) -> Result<(), StageError> {
    let key = episode_key(episode_id);
    if let Some(EpisodeRow {
        place: Some(place), ..
    }) = read_row(rows, &key)?
    {
        rows.delete(&message_key(&place));
        count_author(rows, &place, -1)?;
    }
    rows.delete(&key);
    Ok(())
}

fn count_author(
    rows: &mut dyn GroupRows,
    place: &ThreadPlace,
    change: i64,
) -> Result<(), StageError> {
    let Some(author) = &place.author else {
        return Ok(());
    };
    let mut counts = authors(rows, &place.thread_id)?;
    let known = counts
        .iter()
        .position(|counted| is_same(&counted.author, author));
    match known {
        Some(index) => {
            counts[index].messages = counts[index].messages.saturating_add_signed(change);
        }
        None if change > 0 && counts.len() < MAX_AUTHORS => counts.push(AuthorCount {
            author: author.clone(),
            messages: 1,
        }),
        None => {}
    }
    counts.retain(|counted| counted.messages > 0);
    write_row(rows, authors_key(&place.thread_id), &counts)
}

/// Whether two authors are one: by id where both have one, else by name.
pub(crate) fn is_same(a: &Author, b: &Author) -> bool {
    match (&a.external_id, &b.external_id) {
        (Some(a), Some(b)) => a == b,
        _ => a.name == b.name,
    }
}

fn authors(rows: &dyn GroupRows, thread_id: &ThreadId) -> Result<Vec<AuthorCount>, StageError> {
    Ok(read_row(rows, &authors_key(thread_id))?.unwrap_or_default())
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_CONTEXT_BYTES)]
}

fn decode(value: &[u8]) -> Result<ContextMessage, StageError> {
    postcard::from_bytes(value).map_err(|error| StageError::BrokenRow(error.to_string()))
}

fn episode_key(episode_id: &EpisodeId) -> Vec<u8> {
    [b"e", episode_id.as_str().as_bytes()].concat()
}

/// Thread ids hold no control characters, so none is the beginning of another's keys.
fn thread_prefix(thread_id: &ThreadId) -> Vec<u8> {
    [b"m", thread_id.as_str().as_bytes(), b"\0"].concat()
}

fn message_key(place: &ThreadPlace) -> Vec<u8> {
    let mut key = thread_prefix(&place.thread_id);
    key.extend_from_slice(&place.reference_time.to_key());
    key.extend_from_slice(&place.seq.to_be_bytes());
    key
}

fn authors_key(thread_id: &ThreadId) -> Vec<u8> {
    [b"t", thread_id.as_str().as_bytes()].concat()
}
