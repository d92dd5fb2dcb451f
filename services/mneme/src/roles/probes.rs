//! Health of a role over Kafka.

use std::sync::Arc;
use std::time::Duration;

use metrics_exporter_prometheus::PrometheusHandle;
use mneme_log_kafka::KafkaLog;

use super::Base;
use crate::server::Probes;

/// A thread that has not asked the broker for this long is stuck; waiting for a model or for a
/// commit does not keep it from asking.
const STUCK: Duration = Duration::from_secs(30);

impl Base {
    /// Of a stage: live while its thread asks the broker, ready while the broker answers and the
    /// instance has partitions.
    pub(super) fn stage_probes(&self, stage: &'static str, metrics: PrometheusHandle) -> Probes {
        let Probes { ready, metrics, .. } = self.log_probes(metrics);
        let (living, working) = (self.kafka.clone(), self.kafka.clone());
        Probes {
            live: Arc::new(move || {
                let told = is_polling(&living, stage);
                Box::pin(async move { told })
            }),
            ready: Arc::new(move || {
                let (assigned, answers) = (is_assigned(&working, stage), ready());
                Box::pin(async move {
                    assigned?;
                    answers.await
                })
            }),
            metrics,
        }
    }

    /// Ready while the broker answers.
    pub(super) fn log_probes(&self, metrics: PrometheusHandle) -> Probes {
        Probes::of_log(Arc::clone(&self.log), Some(metrics))
    }
}

fn is_polling(kafka: &KafkaLog, stage: &str) -> Result<(), String> {
    match kafka.health(stage) {
        Some(health) if !health.is_polling(STUCK) => {
            Err(format!("the thread of the {stage} is stuck"))
        }
        _ => Ok(()),
    }
}

fn is_assigned(kafka: &KafkaLog, stage: &str) -> Result<(), String> {
    match kafka.health(stage) {
        Some(health) if health.assigned() > 0 => Ok(()),
        _ => Err(format!("the {stage} has no partitions")),
    }
}
