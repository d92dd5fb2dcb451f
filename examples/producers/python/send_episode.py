#!/usr/bin/env python3
"""Publishes one episode straight to Mneme's own topic, in Avro.

- The value is in the Confluent wire format: a zero byte, the schema's id in the registry in four bytes
  (the greatest first), the record in Avro.
- The schema is the file of the repository. The registry is only asked for its id, never changed.
- The key is the group, as UTF-8.
"""

import argparse
import hashlib
import json
import struct
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timezone
from io import BytesIO
from pathlib import Path

from fastavro import parse_schema, schemaless_writer
from fastavro.schema import to_parsing_canonical_form

from mneme_kafka import NAMESPACE, REGISTRY, send

TOPIC = f"{NAMESPACE}.episodes.v1"
SCHEMA = json.loads(
    (Path(__file__).resolve().parents[3] / "schemas" / "episode_received.avsc").read_text()
)
# A namespace of this producer: the ids of its events never meet those of another.
EVENTS = uuid.uuid5(uuid.NAMESPACE_DNS, "support-chat.tidelamp.example")


def episode(arguments: argparse.Namespace) -> dict:
    """The episode. Fields that have a default in the schema may be left out."""
    said = {
        "episode_id": arguments.episode_id,
        "thread_id": arguments.thread_id,
        "source": "message",
        "author": {"name": arguments.author, "role": "user", "external_id": arguments.author_id},
        "body": arguments.text,
        "reference_time": micros(arguments.time),
        "source_description": "support chat",
        # Each value is a JSON text.
        "metadata": {"channel": json.dumps("web")},
    }
    # The same content must give the same digest: an id that comes again with another one is a conflict.
    content = json.dumps(said, sort_keys=True, ensure_ascii=False).encode()
    return said | {"digest": hashlib.sha256(content).hexdigest()[:32]}


def event(group_id: str, said: dict) -> dict:
    """The event that an episode was received now."""
    received = micros(datetime.now(timezone.utc))
    name = "\x1f".join([group_id, said["episode_id"], said["digest"], str(received)])
    header = {
        "event_id": uuid.uuid5(EVENTS, name).bytes,
        "group_id": group_id,
        "seq": 0,  # on this topic the place in the log counts
        "cause": None,  # nothing in Mneme caused it
        "recorded_at": received,
    }
    return {"header": header, "episode": said}


def micros(time: datetime) -> int:
    """Microseconds since 1970, exactly."""
    since = time - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def schema_id() -> int:
    """The registry's id of our schema: the newest version of the subject that is written alike."""
    subject = f"{TOPIC}-{SCHEMA['namespace']}.{SCHEMA['name']}"
    versions = f"subjects/{urllib.parse.quote(subject, safe='')}/versions"
    # Text, order of attributes and docs may differ in the registry; the canonical form may not.
    ours = to_parsing_canonical_form(SCHEMA)
    for version in sorted(registry(versions), reverse=True):
        found = registry(f"{versions}/{version}")
        if to_parsing_canonical_form(json.loads(found["schema"])) == ours:
            return found["id"]
    sys.exit(f"the registry has no version of {subject} like {SCHEMA['name']} in schemas/")


def registry(path: str):
    """What the registry answers."""
    request = urllib.request.Request(
        f"{REGISTRY}/{path}", headers={"Accept": "application/vnd.schemaregistry.v1+json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        hint = ": mneme schemas apply registers the schemas" if error.code == 404 else ""
        sys.exit(f"the registry answered {error.code} to {path}{hint}")
    except OSError as error:
        sys.exit(f"the registry at {REGISTRY} can't be reached: {error}")


def encode(record: dict, number: int) -> bytes:
    """The record in the Confluent wire format."""
    buffer = BytesIO()
    buffer.write(struct.pack(">bI", 0, number))
    schemaless_writer(buffer, parse_schema(SCHEMA), record)
    return buffer.getvalue()


def time(text: str) -> datetime:
    """A time in RFC 3339, with its offset."""
    read = datetime.fromisoformat(text)
    if read.tzinfo is None:
        raise argparse.ArgumentTypeError("needs an offset, such as Z")
    return read


def main() -> None:
    parser = argparse.ArgumentParser(description="Publishes one chat message to Mneme.")
    parser.add_argument("--group", default="tidelamp")
    parser.add_argument("--episode-id", default="chat-web-nell-9-1")
    parser.add_argument("--thread-id", default="chat-web-nell-9")
    parser.add_argument("--author", default="Nell Sorrow")
    parser.add_argument("--author-id", default="con-306")
    parser.add_argument("--time", type=time, default="2026-09-02T10:00:00Z")
    parser.add_argument("text", nargs="?", default="I moved to Saltmere in August 2026.")
    arguments = parser.parse_args()
    record = event(arguments.group, episode(arguments))
    send(TOPIC, [(arguments.group, encode(record, schema_id()))])


if __name__ == "__main__":
    main()
