//! The headers of outputs: ids follow from the cause, `seq` counts without gaps per group, and the
//! system time is that of the input, so that a second run gives the same bytes.

use mneme_events::{Event, EventHeader, follow_up_id};
use uuid::Uuid;

use crate::{GroupRows, StageError, read_row, write_row};

/// The row that holds the `seq` of the group's last output. Stages keep their own keys apart from
/// it: none begins with a zero byte.
const SEQ_KEY: &[u8] = b"\0seq";

/// The `seq` of the group's last output; 0 before the first.
pub fn last_seq(rows: &dyn GroupRows) -> Result<i64, StageError> {
    Ok(read_row(rows, SEQ_KEY)?.unwrap_or(0))
}

/// Remembers the `seq` of an output. Part of the fold of every stage.
pub fn note_seq(rows: &mut dyn GroupRows, output: &Event) -> Result<(), StageError> {
    write_row(rows, SEQ_KEY.to_vec(), &output.header().seq)
}

/// A header to be replaced by [`seal`].
pub fn placeholder(input: &Event) -> EventHeader {
    EventHeader {
        event_id: Uuid::nil(),
        cause: Some(input.header().event_id),
        seq: 0,
        ..input.header().clone()
    }
}

/// Sets the headers of the outputs that follow from an input, the first with `last_seq + 1`.
pub fn seal(stage: &str, input: &Event, last_seq: i64, outputs: &mut [Event]) {
    let cause = input.header().event_id;
    for (ordinal, output) in outputs.iter_mut().enumerate() {
        *output.header_mut() = EventHeader {
            event_id: follow_up_id(cause, stage, ordinal),
            group_id: input.header().group_id.clone(),
            seq: last_seq + 1 + ordinal as i64,
            cause: Some(cause),
            recorded_at: input.header().recorded_at,
        };
    }
}
