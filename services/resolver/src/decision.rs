//! What one input leads to, as it is being decided: each event that is written down is folded at
//! once, so the rest of the decision sees it.

use mneme_events::{
    EntityCreated, EntityUpdated, Event, EventHeader, MentionResolved, StatementResolved,
};
use mneme_model::{EntityId, EpisodeId, GroupId};
use mneme_stage::{GroupRows, OverlayRows, StageError, last_seq, placeholder};

use crate::fold;
use crate::state::{EntityRow, MentionRow};

/// The outputs of one input so far, and the rows as these leave them.
pub struct Decision<'a> {
    input: &'a Event,
    rows: OverlayRows<'a>,
    outputs: Vec<Event>,
    closing: Option<Event>,
    last_seq: i64,
}

impl<'a> Decision<'a> {
    /// Nothing decided yet.
    pub fn new(rows: &'a dyn GroupRows, input: &'a Event) -> Result<Self, StageError> {
        Ok(Self {
            input,
            last_seq: last_seq(rows)?,
            rows: OverlayRows::new(rows),
            outputs: Vec::new(),
            closing: None,
        })
    }

    /// The rows as the outputs so far leave them.
    pub fn rows(&self) -> &dyn GroupRows {
        &self.rows
    }

    /// The group.
    pub fn group(&self) -> &'a GroupId {
        self.input.group_id()
    }

    /// The input.
    pub fn input(&self) -> &'a Event {
        self.input
    }

    /// A header for an output.
    pub fn header(&self) -> EventHeader {
        placeholder(self.input)
    }

    /// The `seq` that the next output will have: mentions take their order from it.
    pub fn next_seq(&self) -> i64 {
        self.last_seq + 1 + self.outputs.len() as i64
    }

    /// Writes an output down.
    pub fn emit(&mut self, output: impl Into<Event>) -> Result<(), StageError> {
        let mut output = output.into();
        output.header_mut().seq = self.next_seq();
        fold::apply(&mut self.rows, &output)?;
        self.outputs.push(output);
        Ok(())
    }

    /// Passes the input on to the next stage.
    pub fn forward(&mut self) -> Result<(), StageError> {
        let mut output = self.input.clone();
        *output.header_mut() = self.header();
        self.emit(output)
    }

    /// Folds the input now and passes it on after all other outputs: for the next stage it is the
    /// mark that what follows from it is complete. Its fold touches no row that the outputs before
    /// it write, so the order of the two does not matter to this stage.
    pub fn forward_last(&mut self) -> Result<(), StageError> {
        let mut output = self.input.clone();
        *output.header_mut() = self.header();
        output.header_mut().seq = self.next_seq();
        fold::apply(&mut self.rows, &output)?;
        self.closing = Some(output);
        Ok(())
    }

    /// The outputs.
    pub fn into_outputs(mut self) -> Vec<Event> {
        let seq = self.next_seq();
        if let Some(mut closing) = self.closing.take() {
            closing.header_mut().seq = seq;
            self.outputs.push(closing);
        }
        self.outputs
    }

    /// Writes a new entity down.
    pub fn create(
        &mut self,
        entity_id: EntityId,
        row: EntityRow,
        episode_id: EpisodeId,
    ) -> Result<(), StageError> {
        self.emit(EntityCreated {
            header: self.header(),
            entity_id,
            name: row.name,
            entity_type: row.entity_type,
            aliases: row.aliases,
            external_ids: row.external_ids,
            possible_same_as: row.possible_same_as,
            episode_id,
        })
    }

    /// Writes down what is shown of an entity now.
    pub fn update(&mut self, entity_id: EntityId, row: EntityRow) -> Result<(), StageError> {
        self.emit(EntityUpdated {
            header: self.header(),
            entity_id,
            name: row.name,
            entity_type: row.entity_type,
            aliases: row.aliases,
            external_ids: row.external_ids,
            possible_same_as: row.possible_same_as,
        })
    }

    /// A mention that is placed anew.
    pub fn moved(&self, mention: &MentionRow, entity_id: EntityId, rule: &str) -> MentionResolved {
        MentionResolved {
            header: self.header(),
            episode_id: mention.episode_id.clone(),
            ordinal: mention.ordinal,
            entity_id,
            name: mention.name.clone(),
            entity_type: mention.entity_type.clone(),
            external_id: mention.external_id.clone(),
            aliases: mention.aliases.clone(),
            rule: rule.to_owned(),
            score: 1.0,
            thread_id: mention.thread_id.clone(),
        }
    }

    /// A statement that is said again.
    pub fn said_again(&self, statement: &StatementResolved) -> StatementResolved {
        StatementResolved {
            header: self.header(),
            ..statement.clone()
        }
    }
}
