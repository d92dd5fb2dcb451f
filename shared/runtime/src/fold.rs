//! The fold of what a stage has written into its rows: the same when it was just decided and when it
//! is read back from the log.

use mneme_events::{Event, InferenceRecorded};
use mneme_stage::{GroupRows, OverlayRows, RowChanges, Stage, StageError, note_seq, prefix_end};

use crate::answers::{ANSWERS, answer_key, is_own};

/// Folds an output.
pub(crate) fn fold_output(
    stage: &dyn Stage,
    rows: &mut OverlayRows<'_>,
    output: &Event,
) -> Result<(), StageError> {
    if matches!(output, Event::GroupErased(_)) {
        rows.erase_all();
    }
    stage.apply(rows, output)?;
    note_seq(rows, output)
}

/// Folds a record of the `inferences` topic. What other stages recorded is not this one's.
pub(crate) fn fold_inference(stage: &str, rows: &mut OverlayRows<'_>, record: &Event) {
    match record {
        Event::InferenceRecorded(recorded) if is_own(stage, record) => note_answer(rows, recorded),
        Event::GroupErased(_) if is_own(stage, record) => {
            let keys: Vec<_> = rows
                .range(ANSWERS, &prefix_end(ANSWERS))
                .map(|(key, _)| key)
                .collect();
            for key in keys {
                rows.delete(&key);
            }
        }
        _ => {}
    }
}

/// Remembers a recorded answer.
pub(crate) fn note_answer(rows: &mut dyn GroupRows, recorded: &InferenceRecorded) {
    rows.put(
        answer_key(&recorded.request_digest),
        recorded.answer.clone(),
    );
}

/// Adds changes that were made on top of `rows`.
pub(crate) fn absorb(rows: &mut OverlayRows<'_>, changes: RowChanges) {
    if changes.erased_before {
        rows.erase_all();
    }
    for (key, value) in changes.rows {
        match value {
            Some(value) => rows.put(key, value),
            None => rows.delete(&key),
        }
    }
}
