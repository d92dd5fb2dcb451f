//! A merge moves the mentions of one entity to another, and each mention keeps where it came from:
//! a split of the same episodes goes back. Names that stand for no entity, or for several, change
//! nothing.

use mneme_events::{EntitiesMergeRequested, EntitiesMerged};
use mneme_stage::StageError;

use crate::decision::Decision;
use crate::rule::Rule;
use crate::settle::settle;
use crate::support::mentions_of;
use crate::{candidates, links, state};

/// Merges one entity into another.
pub fn merge(
    decision: &mut Decision<'_>,
    request: &EntitiesMergeRequested,
) -> Result<(), StageError> {
    let from = candidates::by_text(decision.rows(), &request.from)?;
    let into = candidates::by_text(decision.rows(), &request.into)?;
    if let ([from], [into]) = (from.as_slice(), into.as_slice())
        && from != into
        && let Some(gone) = state::entity(decision.rows(), *from)?
    {
        let moves = mentions_of(decision.rows(), *from)?
            .iter()
            .map(|mention| decision.moved(mention, *into, Rule::Merge.as_str()))
            .collect();
        decision.emit(EntitiesMerged {
            header: decision.header(),
            from: *from,
            into: *into,
        })?;
        links::unlink(decision, *from, &gone.possible_same_as)?;
        settle(decision, moves, &[*into], Vec::new())?;
        links::link(decision, *into, &gone.possible_same_as)?;
    }
    decision.forward()
}
