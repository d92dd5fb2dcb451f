//! The committed positions of stages, read by consumers that are no members of their groups. A
//! position whose transaction is still under way is waited for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mneme_events::Topic;
use mneme_log::{LogError, Partition};
use rdkafka::consumer::Consumer;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::client::{Reader, away, reader};
use crate::config::{KafkaConfig, PATIENCE};
use crate::latest::Latest;
use crate::names::Names;

type Input = (&'static str, Topic);

/// The positions of one stage in one topic, by partition.
struct OfStage {
    reader: Arc<Reader>,
    latest: Latest<Arc<[u64]>>,
}

/// Asks for positions.
pub(crate) struct Positions {
    config: KafkaConfig,
    names: Names,
    partitions: Partition,
    stages: Mutex<HashMap<Input, Arc<OfStage>>>,
}

impl Positions {
    pub fn new(config: KafkaConfig, names: Names, partitions: Partition) -> Self {
        Self {
            config,
            names,
            partitions,
            stages: Mutex::default(),
        }
    }

    /// The next offset that a stage has not processed.
    pub async fn get(
        &self,
        stage: &'static str,
        input: Topic,
        partition: Partition,
    ) -> Result<u64, LogError> {
        let of_stage = self.of_stage((stage, input))?;
        let (topic, partitions) = (self.names.topic(input).to_owned(), self.partitions);
        let reader = Arc::clone(&of_stage.reader);
        let ask = || async move {
            let asked = tokio::task::spawn_blocking(move || committed(&reader, &topic, partitions));
            let ended = |error: tokio::task::JoinError| LogError::Unavailable(error.to_string());
            asked.await.map_err(ended)?
        };
        let positions = of_stage.latest.get(ask).await?;
        let position = positions.get(partition as usize).copied();
        position.ok_or_else(|| LogError::Broken(format!("there is no partition {partition}")))
    }

    fn of_stage(&self, input: Input) -> Result<Arc<OfStage>, LogError> {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_stage) = stages.get(&input) {
            return Ok(Arc::clone(of_stage));
        }
        let reader = reader(&self.config.consumer(&self.names.group(input.0)))?;
        let of_stage = Arc::new(OfStage {
            reader: Arc::new(reader),
            latest: Latest::default(),
        });
        stages.insert(input, Arc::clone(&of_stage));
        Ok(of_stage)
    }
}

fn committed(reader: &Reader, topic: &str, partitions: Partition) -> Result<Arc<[u64]>, LogError> {
    let mut question = TopicPartitionList::new();
    for partition in 0..partitions {
        question.add_partition(topic, partition as i32);
    }
    positions_of(reader, question, PATIENCE).map(|found| {
        let mut positions = vec![0; partitions as usize];
        for (partition, next) in found {
            if let Some(position) = positions.get_mut(partition as usize) {
                *position = next;
            }
        }
        positions.into()
    })
}

/// The committed positions of partitions of one topic; 0 where there is none.
pub(crate) fn positions_of<C: rdkafka::consumer::ConsumerContext>(
    consumer: &rdkafka::consumer::BaseConsumer<C>,
    question: TopicPartitionList,
    patience: Duration,
) -> Result<Vec<(Partition, u64)>, LogError> {
    let answer = consumer
        .committed_offsets(question, patience)
        .map_err(away)?;
    let mut positions = Vec::with_capacity(answer.count());
    for found in answer.elements() {
        found.error().map_err(away)?;
        let next = match found.offset() {
            Offset::Offset(next) => next.unsigned_abs(),
            _ => 0,
        };
        positions.push((found.partition().unsigned_abs(), next));
    }
    Ok(positions)
}
