//! The codes of refusals. They are stable; `docs/problems.md` has a line for each (a test holds the
//! two together).

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $status:ident, $title:literal;)*) => {
        /// What went wrong. Codes are stable; more may be added.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
        pub enum ProblemCode {
            $($(#[$doc])* #[serde(rename = $code)] $name,)*
        }

        impl ProblemCode {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The code as text.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code),* }
            }

            /// The status that goes with it.
            pub fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status),* }
            }

            /// Its title.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title),* }
            }
        }
    };
}

codes! {
    /// The body is no JSON, or not of the shape asked for as a whole.
    Malformed = "malformed", BAD_REQUEST, "The request can't be read";
    /// A field is unknown, missing, of the wrong type or breaks a rule; `field` names it.
    InvalidField = "invalid_field", BAD_REQUEST, "A field is not right";
    /// What the path or the request names does not exist.
    NotFound = "not_found", NOT_FOUND, "There is no such thing";
    /// The path has no such method; `Allow` tells which it has.
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "The path has no such method";
    /// It contradicts what is known, such as an episode id with another body.
    Conflict = "conflict", CONFLICT, "It contradicts what is known";
    /// A name stands for several entities; `entity_ids` lists them.
    Ambiguous = "ambiguous", CONFLICT, "The name stands for several entities";
    /// It is larger than the limit that the detail names.
    TooLarge = "too_large", PAYLOAD_TOO_LARGE, "It is too large";
    /// The body is of another media type than JSON.
    NotJson = "not_json", UNSUPPORTED_MEDIA_TYPE, "The body must be JSON";
    /// Something that is needed is away; `Retry-After` says when to try again.
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, "Try again later";
    /// It was accepted but not applied within the time that `timeout_ms` gave.
    Timeout = "timeout", GATEWAY_TIMEOUT, "It takes longer than the time given";
    /// A fault of the server, written to its log.
    Internal = "internal", INTERNAL_SERVER_ERROR, "A fault of the server";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_line_in_the_docs() {
        let docs = include_str!("../../../docs/problems.md");
        for code in ProblemCode::ALL {
            let line = format!("| `{}` | {} |", code.as_str(), code.status().as_u16());
            assert!(docs.contains(&line), "docs/problems.md lacks {line}");
        }
        let lines = docs.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(lines, ProblemCode::ALL.len());
    }
}
