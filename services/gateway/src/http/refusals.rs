//! The refusals that every write may answer with, for the OpenAPI description.

use mneme_api::Problem;
use utoipa::IntoResponses;

#[derive(IntoResponses)]
#[allow(dead_code, reason = "only its description is used")]
pub enum Refusals {
    /// The request is not right; `field` names what.
    #[response(status = 400, content_type = "application/problem+json")]
    Invalid(Problem),
    /// What it names does not exist.
    #[response(status = 404, content_type = "application/problem+json")]
    NotFound(Problem),
    /// It contradicts what is known, or a name is ambiguous.
    #[response(status = 409, content_type = "application/problem+json")]
    Conflict(Problem),
    /// It is too large.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(Problem),
    /// Try again after `Retry-After` seconds.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
    /// Accepted, but not applied within the time given.
    #[response(status = 504, content_type = "application/problem+json")]
    Timeout(Problem),
}
