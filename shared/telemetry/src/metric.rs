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
pub const ALL: [(&str, &str); 12] = [
    (INPUTS, "inputs that a stage has processed"),
    (OUTPUTS, "events that a stage has committed"),
    (COMMIT_RETRIES, "commits that had to be tried again"),
    (BATCH_INPUTS, "inputs in a commit"),
    (BATCH_SECONDS, "seconds from reading a batch to its commit"),
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
        } else if name.ends_with("_groups") {
            metrics::describe_gauge!(name, meaning);
        } else {
            metrics::describe_histogram!(name, meaning);
        }
    }
}
