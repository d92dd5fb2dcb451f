//! Evidence for facts: by statement, and in order of fact and of episode.

use mneme_model::{EpisodeId, FactId};
use uuid::Uuid;

use super::Fold;
use crate::StoreError;
use crate::digest::{RowIdentity, encode_row};
use crate::embedded::documents::key;
use crate::embedded::documents::row::Evidence;
use crate::embedded::documents::stored::GroupRow;
use crate::embedded::documents::wording::Wording;

impl<W: Wording> Fold<'_, W> {
    pub(super) fn put_evidence(
        &mut self,
        group: &mut GroupRow,
        statement: Uuid,
        evidence: &Evidence,
    ) -> Result<(), StoreError> {
        self.remove_evidence(group, statement, None)?;
        let identity = RowIdentity::support(statement);
        group.sum.add(identity.as_bytes(), &encode_row(evidence)?);
        let entries = key::evidence_entries(
            group.number,
            evidence.fact_id,
            &evidence.episode_id,
            statement,
        );
        for entry in entries {
            self.folded.rows.put(entry, &())?;
        }
        self.folded
            .rows
            .put(key::row(group.number, &identity), evidence)
    }

    /// Removes the evidence that a statement is, if it is for the fact, or whatever it is for.
    pub(super) fn remove_evidence(
        &mut self,
        group: &mut GroupRow,
        statement: Uuid,
        only_for: Option<FactId>,
    ) -> Result<(), StoreError> {
        let identity = RowIdentity::support(statement);
        let key = key::row(group.number, &identity);
        let Some(stored) = self.folded.rows.get::<Evidence>(&key)? else {
            return Ok(());
        };
        if only_for.is_some_and(|fact| fact != stored.fact_id) {
            return Ok(());
        }
        group.sum.remove(identity.as_bytes(), &encode_row(&stored)?);
        self.folded.rows.remove(key);
        let entries =
            key::evidence_entries(group.number, stored.fact_id, &stored.episode_id, statement);
        for entry in entries {
            self.folded.rows.remove(entry);
        }
        Ok(())
    }

    pub(super) fn remove_evidence_from(
        &mut self,
        group: &mut GroupRow,
        episode: &EpisodeId,
    ) -> Result<(), StoreError> {
        let prefix = key::evidence_from(group.number, episode);
        for (entry, _) in self.folded.rows.with_prefix(&prefix)? {
            if let Some(statement) = key::statement_of(&entry) {
                self.remove_evidence(group, statement, None)?;
            }
        }
        Ok(())
    }
}
