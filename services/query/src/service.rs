//! [`QueryService`]: a cheap handle on the stores with the settings and the clock.

use std::future::Future;
use std::sync::Arc;

use mneme_api::TimeText;
use mneme_model::Clock;
use mneme_stores::{StoreError, TimeView};

use crate::stores::{GRAPH, ask};
use crate::{QueryError, QuerySettings, QueryStores};

/// Answers reads (see the crate). A clone shares the stores.
#[derive(Clone)]
pub struct QueryService {
    pub(crate) stores: QueryStores,
    pub(crate) settings: Arc<QuerySettings>,
    clock: Arc<dyn Clock>,
}

impl QueryService {
    /// Builds the service; nothing is asked of the stores yet.
    pub fn new(stores: QueryStores, settings: QuerySettings, clock: Arc<dyn Clock>) -> Self {
        Self {
            stores,
            settings: Arc::new(settings),
            clock,
        }
    }

    /// The view of a read: what is valid now as known now, where it does not say otherwise.
    pub(crate) fn time_view(
        &self,
        as_of: Option<TimeText>,
        known_at: Option<TimeText>,
        include_past: bool,
    ) -> TimeView {
        let now = self.clock.now();
        TimeView {
            as_of: as_of.map_or(now, |time| time.0.at),
            known_at: known_at.map_or(now, |time| time.0.at),
            include_past,
        }
    }

    /// A call on the graph, within the time given.
    pub(crate) async fn ask_graph<T: Send + 'static>(
        &self,
        call: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, QueryError> {
        ask(GRAPH, self.settings.store_timeout(), call).await
    }
}
