//! What the failures of parts mean for who asked: what is away is asked again, all else is told to the
//! operator in the log.

use mneme_api::Problem;
use mneme_log::LogError;
use mneme_projector::ProjectorError;
use mneme_stores::StoreError;

/// Of the log.
pub fn of_log(error: LogError) -> Problem {
    match error {
        LogError::Unavailable(reason) => away(&reason),
        error => broken(&error),
    }
}

/// Of the projections.
pub fn of_projections(error: ProjectorError) -> Problem {
    match error {
        ProjectorError::Log(error) => of_log(error),
        ProjectorError::Store(StoreError::Unavailable(reason)) => away(&reason),
        error => broken(&error),
    }
}

fn away(reason: &str) -> Problem {
    tracing::warn!(reason, "an operator's request has to wait");
    Problem::unavailable(1)
}

fn broken(error: &dyn std::error::Error) -> Problem {
    tracing::error!(%error, "an operator's request failed");
    Problem::internal()
}
