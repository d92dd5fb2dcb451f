//! What is accepted and not yet in the graph, and which ids are being decided on.
//!
//! 1. An id is claimed by one request at a time; a claim ends when it is dropped.
//! 2. Between the append of an episode and its row in the graph, its id is known here.
//! 3. An erasure that the graph has not seen hides the graph's rows from before it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mneme_events::Event;
use mneme_model::{EpisodeId, GroupId};
use tokio::sync::watch;

/// The least size at which forgetting is worth while.
const FORGET_FROM: usize = 4_096;

type Key = (GroupId, EpisodeId);

/// What is remembered of an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Memory {
    /// It was accepted with this digest, at this position.
    Accepted { digest: Box<str>, position: u64 },
    /// It was erased at this position.
    Erased { position: u64 },
}

impl Memory {
    fn position(&self) -> u64 {
        match self {
            Self::Accepted { position, .. } | Self::Erased { position } => *position,
        }
    }
}

#[derive(Default)]
struct Entry {
    claimed: Option<watch::Receiver<()>>,
    memory: Option<Memory>,
}

#[derive(Default)]
struct State {
    entries: HashMap<Key, Entry>,
    /// The positions of erasures of whole groups.
    erased_groups: HashMap<GroupId, u64>,
    forget_at: usize,
}

/// The memory of the gateway.
pub struct Known {
    state: Mutex<State>,
    max: usize,
}

/// Ids that this request decides on. Dropping it frees them.
pub struct Claim {
    known: Arc<Known>,
    keys: Vec<Key>,
    /// Closed when the claim ends, which wakes those that wait for it.
    _ends: watch::Sender<()>,
}

/// Another request decides on one of the ids.
pub struct Busy(watch::Receiver<()>);

impl Busy {
    /// Returns when that request is done.
    pub async fn ended(mut self) {
        // The channel never carries a value: an error says that the claim was dropped.
        while self.0.changed().await.is_ok() {}
    }
}

impl Known {
    pub fn new(max: usize) -> Self {
        Self {
            state: Mutex::default(),
            max,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims ids, all or none.
    pub fn claim(
        self: &Arc<Self>,
        group: &GroupId,
        episodes: impl IntoIterator<Item = EpisodeId>,
    ) -> Result<Claim, Busy> {
        let keys: Vec<Key> = episodes
            .into_iter()
            .map(|episode| (group.clone(), episode))
            .collect();
        let mut state = self.state();
        let busy = keys
            .iter()
            .find_map(|key| state.entries.get(key)?.claimed.clone());
        if let Some(receiver) = busy {
            return Err(Busy(receiver));
        }
        let (ends, receiver) = watch::channel(());
        for key in &keys {
            let entry = state.entries.entry(key.clone()).or_default();
            entry.claimed = Some(receiver.clone());
        }
        drop(state);
        Ok(Claim {
            known: self.clone(),
            keys,
            _ends: ends,
        })
    }

    /// What is remembered of an id.
    pub fn recall(&self, group: &GroupId, episode: &EpisodeId) -> Option<Memory> {
        let state = self.state();
        let entry = state.entries.get(&(group.clone(), episode.clone()));
        let erased = state.erased_groups.get(group);
        entry
            .and_then(|entry| entry.memory.clone())
            .or_else(|| erased.map(|&position| Memory::Erased { position }))
    }

    /// Remembers what follows from an event of the `episodes` topic. Events come in order.
    pub fn note(&self, event: &Event, position: u64) {
        let group = event.group_id();
        let mut state = self.state();
        let (episode, memory) = match event {
            Event::EpisodeReceived(received) => {
                let digest = received.episode.digest.as_str().into();
                let memory = Memory::Accepted { digest, position };
                (&received.episode.episode_id, memory)
            }
            Event::EpisodeErased(erased) => (&erased.episode_id, Memory::Erased { position }),
            Event::GroupErased(_) => {
                for ((of, _), entry) in &mut state.entries {
                    if of == group {
                        entry.memory = None;
                    }
                }
                state.entries.retain(|_, entry| !entry.is_idle());
                state.erased_groups.insert(group.clone(), position);
                return;
            }
            _ => return,
        };
        let entry = state.entries.entry((group.clone(), episode.clone()));
        let entry = entry.or_default();
        // The first of an id stands until it is erased, as it does for the extractor.
        let stands = matches!(entry.memory, Some(Memory::Accepted { .. }));
        if !(stands && matches!(memory, Memory::Accepted { .. })) {
            entry.memory = Some(memory);
        }
    }

    /// Forgets what stands before the position that the graph has reached for a group's partition;
    /// returns how many are left.
    pub fn forget(&self, reached: impl Fn(&GroupId) -> u64) -> usize {
        let mut state = self.state();
        for ((group, _), entry) in &mut state.entries {
            let passed = |memory: &mut Memory| memory.position() < reached(group);
            entry.memory.take_if(passed);
        }
        state.entries.retain(|_, entry| !entry.is_idle());
        state
            .erased_groups
            .retain(|group, position| *position >= reached(group));
        let left = state.entries.len();
        state.forget_at = FORGET_FROM.max(left * 2);
        left
    }

    /// Whether enough has come since the last time to look at what can be forgotten.
    pub fn wants_forgetting(&self) -> bool {
        let state = self.state();
        let size = state.entries.len();
        size >= state.forget_at.max(FORGET_FROM) || size >= self.max
    }

    /// Whether no more can be remembered.
    pub fn is_full(&self) -> bool {
        self.state().entries.len() >= self.max
    }
}

impl Entry {
    fn is_idle(&self) -> bool {
        self.claimed.is_none() && self.memory.is_none()
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut state = self.known.state();
        for key in &self.keys {
            if let Some(entry) = state.entries.get_mut(key) {
                entry.claimed = None;
                if entry.is_idle() {
                    state.entries.remove(key);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use mneme_model::Instant;

    use super::*;
    use crate::accept::Draft;

    fn group() -> GroupId {
        GroupId::new("g").unwrap()
    }

    fn id(text: &str) -> EpisodeId {
        EpisodeId::new(text).unwrap()
    }

    fn note(known: &Known, draft: Draft, position: u64) {
        known.note(&draft.seal(group(), Instant::from_micros(0)), position);
    }

    #[tokio::test]
    async fn a_claim_is_waited_for_and_ends_when_dropped() {
        let known = Arc::new(Known::new(10));
        let claim = known.claim(&group(), [id("a"), id("b")]).ok().unwrap();
        let busy = known.claim(&group(), [id("b"), id("c")]).err().unwrap();
        // Nothing was claimed of a request that found one of its ids busy.
        assert!(known.claim(&group(), [id("c")]).is_ok());
        drop(claim);
        busy.ended().await;
        assert!(known.claim(&group(), [id("b")]).is_ok());
        assert_eq!(known.state().entries.len(), 0);
    }

    #[test]
    fn an_erasure_hides_what_was_before_it_until_the_graph_has_it() {
        let known = Known::new(10);
        note(&known, Draft::EraseEpisode(id("a")), 3);
        assert_eq!(
            known.recall(&group(), &id("a")),
            Some(Memory::Erased { position: 3 })
        );
        assert_eq!(known.recall(&group(), &id("b")), None);
        note(&known, Draft::EraseGroup, 7);
        assert_eq!(
            known.recall(&group(), &id("b")),
            Some(Memory::Erased { position: 7 })
        );
        known.forget(|_| 7);
        assert!(known.recall(&group(), &id("b")).is_some());
        known.forget(|_| 8);
        assert_eq!(known.recall(&group(), &id("b")), None);
    }
}
