//! What a topic of the memory holds of contacts, read from Kafka itself.

use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::Message;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::PATIENCE;

/// The group and the id of each contact on a topic, each partition in its order.
pub fn read_all(client: &ClientConfig, topic: &str, partitions: i32) -> Vec<(String, String)> {
    let consumer: BaseConsumer = client.create().unwrap();
    let mut list = TopicPartitionList::new();
    for partition in 0..partitions {
        list.add_partition_offset(topic, partition, Offset::Beginning)
            .unwrap();
    }
    consumer.assign(&list).unwrap();
    let (mut found, mut ended) = (Vec::new(), 0);
    while ended < partitions {
        match consumer.poll(PATIENCE) {
            Some(Ok(record)) => {
                let key = String::from_utf8(record.key().unwrap().to_vec()).unwrap();
                found.extend(contact_id(record.payload().unwrap()).map(|id| (key, id)));
            }
            Some(Err(KafkaError::PartitionEOF(_))) => ended += 1,
            Some(Err(error)) => eprintln!("{error}"),
            None => panic!("{topic} can't be read"),
        }
    }
    found
}

/// The id of a contact's episode in the bytes of its event.
fn contact_id(value: &[u8]) -> Option<String> {
    const BEGIN: &[u8] = b"crm-contact-";
    let start = value.windows(BEGIN.len()).position(|part| part == BEGIN)?;
    // Avro writes the length of a text before it, in zigzag.
    let length = usize::from(value[start - 1] / 2);
    Some(String::from_utf8_lossy(&value[start..start + length]).into_owned())
}
