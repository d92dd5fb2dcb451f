#!/usr/bin/env python3
"""Publishes records of a CRM as the CRM itself has them: plain JSON on the CRM's own topic.

- Nothing of Mneme is in here. The mapping `crm-contact` of examples/company/intake.toml tells Mneme how
  such a record becomes an episode.
- The key is the tenant, which is the group that the mapping names, so a tenant's records keep their order.
"""

import argparse
import json
import sys
from pathlib import Path

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic

from mneme_kafka import BOOTSTRAP, send

TOPIC = "crm.contacts"
CONTACTS = Path(__file__).resolve().parents[1] / "contacts.jsonl"


def make_topic(topic: str, partitions: int) -> None:
    """Makes the topic, unless it is there: it is the CRM's, so Mneme does not make it."""
    admin = AdminClient({"bootstrap.servers": BOOTSTRAP, "log_level": 2})
    try:
        admin.create_topics([NewTopic(topic, partitions)])[topic].result(10)
    except KafkaException as error:
        if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
            sys.exit(f"{topic}: {error.args[0].str()}")
    except TimeoutError:
        sys.exit(f"the broker at {BOOTSTRAP} can't be reached")


def main() -> None:
    parser = argparse.ArgumentParser(description="Publishes contacts of a CRM to its topic.")
    parser.add_argument("--tenant", help="in place of the tenant in the records")
    parser.add_argument("--topic", default=TOPIC)
    parser.add_argument("--make-topic", type=int, metavar="PARTITIONS", help="if it is not there")
    parser.add_argument("file", nargs="?", type=Path, default=CONTACTS, help="one record a line")
    arguments = parser.parse_args()
    if arguments.make_topic:
        make_topic(arguments.topic, arguments.make_topic)
    records = []
    try:
        lines = arguments.file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        sys.exit(f"{arguments.file} can't be read: {error.strerror}")
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
            if arguments.tenant:
                record["tenant"] = arguments.tenant
            tenant = record["tenant"]
        except (ValueError, KeyError, TypeError) as error:
            sys.exit(f"line {number}: {error}")
        records.append((tenant, json.dumps(record, ensure_ascii=False).encode()))
    send(arguments.topic, records)


if __name__ == "__main__":
    main()
