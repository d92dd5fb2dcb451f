//! An instance and its place in the group, against a broker that is told what to answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mneme_events::Topic;
use mneme_log::LogError;
use rdkafka::consumer::Consumer;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::heard::{Heard, What};
use super::input::{Ears, Input};
use crate::config::KafkaConfig;
use crate::health::Health;
use crate::window::Window;

/// A group of this broker takes 3 s to begin, which its members must outlive.
const SESSION: Duration = Duration::from_secs(5);
const PATIENCE: Duration = Duration::from_secs(60);

struct World {
    cluster: MockCluster<'static, DefaultProducerContext>,
    input: Input,
    heard: UnboundedReceiver<Heard>,
}

impl World {
    /// An instance that has joined and has partitions.
    fn new() -> Self {
        let cluster = MockCluster::new(1).unwrap();
        let config = KafkaConfig {
            bootstrap: cluster.bootstrap_servers(),
            session_timeout_ms: SESSION.as_millis() as u64,
            ..KafkaConfig::default()
        };
        let names = config.names().unwrap();
        let topic = Topic::Episodes;
        cluster.create_topic(names.topic(topic), 2, 1).unwrap();
        let (say, heard) = unbounded_channel();
        let ears = Ears {
            heard: say,
            window: Arc::new(Window::new(10, 10)),
            health: Health::default(),
        };
        let input = Input::join(&config, &names, ("extractor", topic), ears).unwrap();
        let mut world = Self {
            cluster,
            input,
            heard,
        };
        world.until(|what| matches!(what, What::Assigned(_)));
        world
    }

    /// The next question whether the instance lives is answered: another has its name.
    fn fence(&self) {
        let fenced = [RDKafkaRespErr::RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID];
        self.cluster
            .request_errors(RDKafkaApiKey::Heartbeat, &fenced);
    }

    /// Asks the broker until this is heard.
    fn until(&mut self, is_it: impl Fn(&What) -> bool) -> What {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            self.input.serve(Duration::from_millis(10));
            while let Ok(Heard { what, .. }) = self.heard.try_recv() {
                if is_it(&what) {
                    return what;
                }
            }
        }
        panic!("nothing of that kind was heard");
    }

    fn is_over(&mut self) {
        let over = self.until(|what| matches!(what, What::Over(_)));
        assert!(matches!(over, What::Over(LogError::Locked(_))), "{over:?}");
        assert_eq!(self.input.owned.len(), 0);
    }
}

#[test]
fn an_instance_whose_name_is_taken_is_over() {
    let mut world = World::new();
    world.fence();
    world.is_over();
}

#[test]
fn one_that_takes_its_own_lost_session_for_another_joins_once_more() {
    let mut world = World::new();
    world.cluster.broker_down(1).unwrap();
    // Longer than the session, and the thread does not ask meanwhile: it is stuck in a commit.
    std::thread::sleep(SESSION * 2);
    world.fence();
    world.cluster.broker_up(1).unwrap();
    let begun = Instant::now();
    while world.input.consumer.client().fatal_error().is_none() {
        assert!(begun.elapsed() < PATIENCE, "it never asked");
        std::thread::sleep(Duration::from_millis(50));
    }
    world.until(|what| matches!(what, What::Revoked(_)));
    world.until(|what| matches!(what, What::Assigned(_)));
    assert_eq!(world.input.owned.len(), 2);
    // Now it knows who it is.
    world.fence();
    world.is_over();
}
