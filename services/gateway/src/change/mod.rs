//! Changes that an operator asks for: they are checked against the graph, so that an unknown or an
//! ambiguous name is refused at once and not lost later. The stages have the last word.

mod correction;
mod merge;
mod names;
mod ontology;
mod split;

use mneme_api::{Problem, ProblemCode};

/// Whether a check may turn out otherwise once the graph has caught up with the log.
fn may_be_lag<T>(checked: &Result<T, Problem>) -> bool {
    checked.as_ref().is_err_and(|problem| {
        matches!(
            problem.code,
            ProblemCode::NotFound | ProblemCode::Ambiguous | ProblemCode::Conflict
        )
    })
}
