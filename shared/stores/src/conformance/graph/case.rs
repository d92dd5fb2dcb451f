//! A [`Case`] is one generation of a store, empty before and dropped after.

use mneme_events::Topic;
use mneme_model::GroupId;

use super::samples::group;
use crate::{Change, Checkpoint, Digest, FactVersionRow, Generation, GraphStore};

/// One generation of a store under test.
#[derive(Clone, Copy)]
pub(super) struct Case<'s> {
    pub(super) store: &'s dyn GraphStore,
    pub(super) generation: Generation,
}

impl Case<'_> {
    /// Applies changes of group `g`.
    pub(super) async fn apply(&self, changes: Vec<Change>) {
        self.apply_to(&group("g"), changes).await;
    }

    pub(super) async fn apply_to(&self, group: &GroupId, changes: Vec<Change>) {
        let changes: Vec<_> = changes
            .into_iter()
            .map(|change| (group.clone(), change))
            .collect();
        self.apply_all(&changes).await;
    }

    pub(super) async fn apply_all(&self, changes: &[(GroupId, Change)]) {
        self.store
            .apply(self.generation, changes, &[])
            .await
            .expect("changes are applied");
    }

    pub(super) async fn checkpoint(&self, topic: Topic, partition: u32) -> u64 {
        self.store
            .checkpoint(self.generation, topic, partition)
            .await
            .expect("a checkpoint")
    }

    pub(super) async fn set_checkpoint(&self, topic: Topic, partition: u32, next: u64) {
        let checkpoint = Checkpoint {
            topic,
            partition,
            next,
        };
        self.store
            .apply(self.generation, &[], &[checkpoint])
            .await
            .expect("a checkpoint is set");
    }

    /// The digest of a group; none when the generation holds nothing of it.
    pub(super) async fn digest(&self, group: &GroupId) -> Option<Digest> {
        let digests = self.store.digests(self.generation).await;
        digests.expect("digests").get(group).copied()
    }

    pub(super) async fn drop(&self) {
        self.store
            .drop_generation(self.generation)
            .await
            .expect("a generation is dropped");
    }
}

/// The sentences of versions, in order.
pub(super) fn sentences(rows: &[FactVersionRow]) -> Vec<&str> {
    rows.iter().map(|row| row.fact.as_str()).collect()
}
