//! Every refusal is a problem document (RFC 9457): one code, one detail that says how to mend it,
//! and the field where there is one.

use axum::http::{HeaderValue, Method, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;

use crate::ProblemCode;

/// A refusal. As JSON it is a problem document (RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(from = "Document", into = "Document")]
#[error("{}: {detail}", .code.as_str())]
pub struct Problem {
    /// The stable code.
    pub code: ProblemCode,
    /// What is wrong here, and how to mend it.
    pub detail: String,
    /// The field that is wrong, as a path: `facts[0].valid_at`.
    pub field: Option<String>,
    /// The entities that an ambiguous name stands for.
    pub entity_ids: Vec<Uuid>,
    /// Seconds after which to try again.
    pub retry_after: Option<u64>,
}

/// A problem document (RFC 9457).
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(as = Problem)]
struct Document {
    /// `/problems/<code>`.
    #[serde(rename = "type", default)]
    kind: String,
    /// The same for every problem of a code.
    #[serde(default)]
    title: String,
    /// The HTTP status.
    #[serde(default)]
    status: u16,
    /// What is wrong here, and how to mend it.
    detail: String,
    /// The stable code.
    code: ProblemCode,
    /// The field that is wrong, as a path: `facts[0].valid_at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// The entities that an ambiguous name stands for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    entity_ids: Vec<Uuid>,
    /// Seconds after which to try again; also sent as `Retry-After`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

impl From<Problem> for Document {
    fn from(problem: Problem) -> Self {
        Self {
            kind: format!("/problems/{}", problem.code.as_str()),
            title: problem.code.title().to_owned(),
            status: problem.code.status().as_u16(),
            detail: problem.detail,
            code: problem.code,
            field: problem.field,
            entity_ids: problem.entity_ids,
            retry_after: problem.retry_after,
        }
    }
}

impl From<Document> for Problem {
    fn from(document: Document) -> Self {
        Self {
            code: document.code,
            detail: document.detail,
            field: document.field,
            entity_ids: document.entity_ids,
            retry_after: document.retry_after,
        }
    }
}

impl PartialSchema for Problem {
    fn schema() -> RefOr<Schema> {
        Document::schema()
    }
}

impl ToSchema for Problem {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Document::schemas(schemas);
    }
}

impl Problem {
    /// A problem of a code.
    pub fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            field: None,
            entity_ids: Vec::new(),
            retry_after: None,
        }
    }

    /// The request can't be read as a whole.
    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(ProblemCode::Malformed, detail)
    }

    /// A field is not right; the detail is `<field>: <text>`.
    pub fn invalid_field(field: impl Into<String>, text: impl AsRef<str>) -> Self {
        let field = field.into();
        let detail = format!("{field}: {}", text.as_ref());
        Self::new(ProblemCode::InvalidField, detail).about(field)
    }

    /// There is no such thing.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(ProblemCode::NotFound, detail)
    }

    /// It contradicts what is known.
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::new(ProblemCode::Conflict, detail)
    }

    /// A name stands for several entities.
    pub fn ambiguous(field: impl Into<String>, entity_ids: Vec<Uuid>) -> Self {
        let field = field.into();
        let detail = format!("{field}: several entities have this name; give one of their ids");
        Self {
            entity_ids,
            ..Self::new(ProblemCode::Ambiguous, detail).about(field)
        }
    }

    /// It is larger than a limit.
    pub fn too_large(detail: impl Into<String>) -> Self {
        Self::new(ProblemCode::TooLarge, detail)
    }

    /// Something that is needed is away; try again after some seconds.
    pub fn unavailable(retry_after: u64) -> Self {
        let detail =
            format!("something that the request needs is away; try again in {retry_after} s");
        Self {
            retry_after: Some(retry_after),
            ..Self::new(ProblemCode::Unavailable, detail)
        }
    }

    /// It was accepted but is not applied yet.
    pub fn timeout(detail: impl Into<String>) -> Self {
        Self::new(ProblemCode::Timeout, detail)
    }

    /// A fault of the server; what it is goes to the log, never into an answer.
    pub fn internal() -> Self {
        Self::new(ProblemCode::Internal, "the server failed; its log says why")
    }

    /// Whether the same request may be answered otherwise later: it is not at fault.
    pub fn is_passing(&self) -> bool {
        self.code.status().is_server_error()
    }

    /// The same with the field named.
    pub fn about(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// The same inside another field: `valid_at` becomes `facts[0].valid_at`.
    pub fn within(self, outer: &str) -> Self {
        let Some(field) = self.field else {
            return self.about(outer);
        };
        let inner = format!("{outer}.{field}");
        let detail = match self.detail.strip_prefix(&field) {
            Some(rest) => format!("{inner}{rest}"),
            None => self.detail,
        };
        Self {
            detail,
            field: Some(inner),
            ..self
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.code.status();
        let retry_after = self.retry_after;
        let mut response = (status, axum::Json(self)).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(seconds) = retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// The answer to a path that does not exist: the fallback of the router.
pub async fn no_such_route(uri: Uri) -> Problem {
    Problem::not_found(format!(
        "there is no '{}'; /openapi.json lists what there is",
        uri.path()
    ))
}

/// The answer to a method that a path does not have.
pub async fn no_such_method(method: Method, uri: Uri) -> Problem {
    let detail = format!("'{}' does not take {method}", uri.path());
    Problem::new(ProblemCode::MethodNotAllowed, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_inside_another_field_names_the_whole_path() {
        let problem = Problem::invalid_field("fact", "must not be blank").within("facts[2]");
        assert_eq!(problem.field.as_deref(), Some("facts[2].fact"));
        assert_eq!(problem.detail, "facts[2].fact: must not be blank");
    }

    #[test]
    fn the_answer_is_a_problem_document() {
        let response = Problem::unavailable(3).into_response();
        assert_eq!(response.status(), 503);
        assert_eq!(
            response.headers()["content-type"],
            "application/problem+json"
        );
        assert_eq!(response.headers()["retry-after"], "3");
    }
}
