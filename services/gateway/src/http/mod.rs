//! The routes. A handler reads the request, calls one operation and writes the answer; rules are
//! elsewhere.

mod batch;
mod changes;
mod episodes;
mod intake;
mod refusals;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::{Gateway, measures};

impl Gateway {
    /// The routes of writes, with their OpenAPI description.
    pub fn router(&self) -> OpenApiRouter {
        OpenApiRouter::new()
            .routes(routes!(episodes::add))
            .routes(routes!(batch::add_batch))
            .routes(routes!(episodes::erase))
            .routes(routes!(changes::erase_group))
            .routes(routes!(changes::get_ontology, changes::put_ontology))
            .routes(routes!(changes::merge))
            .routes(routes!(changes::split))
            .routes(routes!(changes::correct))
            .routes(routes!(intake::take))
            .layer(from_fn(count_refusals))
            .with_state(self.clone())
    }
}

async fn count_refusals(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        measures::refused(status.as_u16());
    }
    response
}
