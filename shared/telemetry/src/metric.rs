//! The metrics of Mneme. Every one is listed in [`ALL`] with what it means.

/// Inputs that a stage has processed; label `stage`.
pub const INPUTS: &str = "mneme_stage_inputs_total";
/// Events that a stage has committed; label `stage`.
pub const OUTPUTS: &str = "mneme_stage_outputs_total";
/// Commits that had to be tried again; label `stage`.
pub const COMMIT_RETRIES: &str = "mneme_stage_commit_retries_total";
/// Inputs in a commit; label `stage`.
pub const BATCH_INPUTS: &str = "mneme_stage_batch_inputs";
/// Seconds from reading a batch to its commit; label `stage`.
pub const BATCH_SECONDS: &str = "mneme_stage_batch_seconds";
/// Seconds of a transaction on Kafka; label `stage`.
pub const COMMIT_SECONDS: &str = "mneme_kafka_commit_seconds";
/// Transactions committed on Kafka; label `stage`.
pub const TRANSACTIONS: &str = "mneme_kafka_transactions_total";
/// Transactions on Kafka whose work was done again; label `stage`.
pub const TRANSACTION_ABORTS: &str = "mneme_kafka_transaction_aborts_total";
/// Changes of what an instance has of a topic; label `stage`.
pub const REBALANCES: &str = "mneme_kafka_rebalances_total";
/// Offsets that a stage is behind its input; labels `stage`, `partition`. The mark that a transaction
/// leaves counts as one, so it may stay at 1 where nothing is left to do.
pub const LAG: &str = "mneme_kafka_lag_offsets";
/// Inputs written to the dead letters; labels `stage`, `kind`.
pub const DEAD_LETTERS: &str = "mneme_stage_dead_letters_total";
/// Groups that are paused now; label `stage`.
pub const PAUSED_GROUPS: &str = "mneme_stage_paused_groups";
/// Questions answered by models; label `stage`.
pub const INFERENCES: &str = "mneme_stage_inferences_total";
/// Questions answered from recorded answers; label `stage`.
pub const INFERENCES_REUSED: &str = "mneme_stage_inferences_reused_total";
/// Changes applied to a store; label `store`.
pub const CHANGES: &str = "mneme_projector_changes_total";
/// Seconds that a store took to apply a batch; label `store`.
pub const APPLY_SECONDS: &str = "mneme_projector_apply_seconds";
/// Seconds of a request; labels `route`, `status`.
pub const REQUEST_SECONDS: &str = "mneme_http_request_seconds";

/// All metrics and what they mean.
pub const ALL: [(&str, &str); 17] = [
    (INPUTS, "inputs that a stage has processed"),
    (OUTPUTS, "events that a stage has committed"),
    (COMMIT_RETRIES, "commits that had to be tried again"),
    (BATCH_INPUTS, "inputs in a commit"),
    (BATCH_SECONDS, "seconds from reading a batch to its commit"),
    (COMMIT_SECONDS, "seconds of a transaction on Kafka"),
    (TRANSACTIONS, "transactions committed on Kafka"),
    (
        TRANSACTION_ABORTS,
        "transactions on Kafka whose work was done again",
    ),
    (
        REBALANCES,
        "changes of what an instance has of a topic on Kafka",
    ),
    (LAG, "offsets that a stage is behind its input on Kafka"),
    (DEAD_LETTERS, "inputs written to the dead letters"),
    (PAUSED_GROUPS, "groups that are paused now"),
    (INFERENCES, "questions answered by models"),
    (
        INFERENCES_REUSED,
        "questions answered from recorded answers",
    ),
    (CHANGES, "changes applied to a store"),
    (APPLY_SECONDS, "seconds that a store took to apply a batch"),
    (REQUEST_SECONDS, "seconds of a request"),
];

/// Tells the recorder what the metrics mean.
pub(crate) fn describe() {
    for (name, meaning) in ALL {
        if name.ends_with("_total") {
            metrics::describe_counter!(name, meaning);
        } else if name.ends_with("_groups") || name.ends_with("_offsets") {
            metrics::describe_gauge!(name, meaning);
        } else {
            metrics::describe_histogram!(name, meaning);
        }
    }
}
