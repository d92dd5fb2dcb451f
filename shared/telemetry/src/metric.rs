//! The metrics of Mneme: each has its name, its kind and its meaning here and nowhere else.

/// What a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It only grows.
    Counter,
    /// It goes up and down.
    Gauge,
    /// A summary of many values.
    Histogram,
}

/// A metric.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// What it means, and its labels.
    pub meaning: &'static str,
}

macro_rules! metrics {
    ($(#[doc = $meaning:literal] $kind:ident $constant:ident = $name:literal;)*) => {
        $(#[doc = $meaning] pub const $constant: &str = $name;)*

        /// All metrics.
        pub const ALL: &[Metric] = &[$(Metric {
            name: $name,
            kind: Kind::$kind,
            // A doc comment begins with a space.
            meaning: $meaning.trim_ascii(),
        }),*];
    };
}

metrics! {
    /// Episodes that the gateway accepted; label `source`.
    Counter EPISODES_ACCEPTED = "mneme_gateway_episodes_accepted_total";
    /// Episodes that were accepted before.
    Counter EPISODES_REPEATED = "mneme_gateway_episodes_repeated_total";
    /// Requests that the gateway refused; label `status`.
    Counter REFUSALS = "mneme_gateway_refusals_total";
    /// Records in one append.
    Histogram APPEND_RECORDS = "mneme_gateway_append_records";
    /// Seconds of an append until it is durable.
    Histogram APPEND_SECONDS = "mneme_gateway_append_seconds";
    /// Accepted episodes that the graph does not have yet, as last counted.
    Gauge UNPROJECTED = "mneme_gateway_unprojected_episodes";
    /// Inputs that a stage, or the intake, has processed; label `stage`.
    Counter INPUTS = "mneme_stage_inputs_total";
    /// Events that a stage has committed; label `stage`.
    Counter OUTPUTS = "mneme_stage_outputs_total";
    /// Commits that had to be tried again; label `stage`.
    Counter COMMIT_RETRIES = "mneme_stage_commit_retries_total";
    /// Inputs in a commit; label `stage`.
    Histogram BATCH_INPUTS = "mneme_stage_batch_inputs";
    /// Seconds from reading a batch to its commit; label `stage`.
    Histogram BATCH_SECONDS = "mneme_stage_batch_seconds";
    /// Inputs written to the dead letters; labels `stage`, `kind`.
    Counter DEAD_LETTERS = "mneme_stage_dead_letters_total";
    /// Groups that are paused now, waiting or parked; label `stage`.
    Gauge PAUSED_GROUPS = "mneme_stage_paused_groups";
    /// Questions sent to models; label `stage`.
    Counter INFERENCES = "mneme_stage_inferences_total";
    /// Questions sent to a model again after it failed for a while; label `stage`.
    Counter INFERENCE_RETRIES = "mneme_stage_inference_retries_total";
    /// Questions answered from recorded answers; label `stage`.
    Counter INFERENCES_REUSED = "mneme_stage_inferences_reused_total";
    /// Seconds of a transaction on Kafka; label `stage`.
    Histogram COMMIT_SECONDS = "mneme_kafka_commit_seconds";
    /// Transactions committed on Kafka; label `stage`.
    Counter TRANSACTIONS = "mneme_kafka_transactions_total";
    /// Transactions on Kafka whose work was done again; label `stage`.
    Counter TRANSACTION_ABORTS = "mneme_kafka_transaction_aborts_total";
    /// Changes of what an instance of a stage, or of the intake, has of a topic; label `stage`.
    Counter REBALANCES = "mneme_kafka_rebalances_total";
    #[doc = "Offsets that a stage, or the intake, is behind its input on Kafka; labels `stage`, `topic`, `partition`. The mark that a transaction leaves counts as one, so it may stay at 1 where nothing is left to do."]
    Gauge LAG = "mneme_kafka_lag_offsets";
    /// Changes applied to a store; label `store`.
    Counter CHANGES = "mneme_projector_changes_total";
    /// Seconds that a store took to apply a batch; label `store`.
    Histogram APPLY_SECONDS = "mneme_projector_apply_seconds";
    /// Times that a store or the log was away and asked again; label `store`.
    Counter APPLY_RETRIES = "mneme_projector_retries_total";
    /// Seconds from the reception of an episode until a store has applied it; label `store`.
    Histogram EPISODE_SECONDS = "mneme_projector_episode_seconds";
    #[doc = "When the newest episode that a store has applied was received, in seconds since 1970; label `store`. `time()` minus this is its age."]
    Gauge NEWEST_EPISODE = "mneme_projector_newest_episode_timestamp_seconds";
    /// Dead letters that were not replayed, of all groups; served by gateways.
    Gauge DEAD_LETTERS_OPEN = "mneme_dead_letters_open";
    /// Seconds of a request; labels `route`, `status`.
    Histogram REQUEST_SECONDS = "mneme_http_request_seconds";
}

/// Tells the recorder what the metrics mean.
pub(crate) fn describe() {
    for metric in ALL {
        match metric.kind {
            Kind::Counter => metrics::describe_counter!(metric.name, metric.meaning),
            Kind::Gauge => metrics::describe_gauge!(metric.name, metric.meaning),
            Kind::Histogram => metrics::describe_histogram!(metric.name, metric.meaning),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prometheus' names: counters end in `_total`, and nothing else does.
    #[test]
    fn names_fit_their_kinds() {
        for metric in ALL {
            let is_counter = metric.kind == Kind::Counter;
            assert_eq!(
                metric.name.ends_with("_total"),
                is_counter,
                "{}",
                metric.name
            );
            assert!(metric.name.starts_with("mneme_"), "{}", metric.name);
        }
    }
}
