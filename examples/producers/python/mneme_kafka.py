"""What both producers share: where the servers are, and how records are sent.

- A record is sent once, in order, and acknowledged by all replicas, or the program ends with an error.
- A record's key decides its partition as everywhere in Mneme (murmur2), so a group's records keep
  their order.
"""

import os
import sys

from confluent_kafka import KafkaException, Producer

BOOTSTRAP = os.environ.get("MNEME_KAFKA__BOOTSTRAP", "127.0.0.1:19092")
REGISTRY = os.environ.get("MNEME_KAFKA__REGISTRY", "http://127.0.0.1:18081/apis/ccompat/v7")
# What the names of Mneme's own topics begin with.
NAMESPACE = os.environ.get("MNEME_KAFKA__NAMESPACE", "mneme")


def send(topic: str, records: list[tuple[str, bytes]]) -> None:
    """Sends records, each a key and a value, and waits until all are acknowledged."""
    producer = Producer({
        "bootstrap.servers": BOOTSTRAP,
        "enable.idempotence": True,
        "acks": "all",
        "partitioner": "murmur2_random",
        "compression.type": "zstd",
        "message.timeout.ms": 30_000,
        "log_level": 2,  # what goes wrong is told below, once
    })
    try:
        unknown = producer.list_topics(topic, timeout=10).topics[topic].error
    except KafkaException as error:
        sys.exit(f"the broker at {BOOTSTRAP} can't be reached: {error.args[0].str()}")
    if unknown is not None:
        sys.exit(f"{topic}: {unknown.str()}")
    failures = []

    def delivered(error, message):
        if error is not None:
            failures.append(f"{topic}: {error.str()}")
        else:
            print(f"{topic} partition {message.partition()} offset {message.offset()}")

    try:
        for key, value in records:
            producer.produce(topic, key=key.encode(), value=value, on_delivery=delivered)
            producer.poll(0)
    except KafkaException as error:
        failures.append(f"{topic}: {error.args[0].str()}")
    left = producer.flush(35)
    if left:
        failures.append(f"{topic}: {left} records were not acknowledged")
    if failures:
        sys.exit("\n".join(failures))
