//! The page.

use mneme_events::{EventKind, Topic, schema_texts};
use serde_json::Value;

use super::schemas::{Named, field_table, fields, link, text, type_text};
use super::topics::{Traffic, kept, traffic};

const HEAD: &str = "\
# Topics and events

For who reads or writes Mneme's topics. This page is made from `schemas/*.avsc` and the code's list of \
topics by `make docs`; change these, not the page. [kafka.md](kafka.md) tells how topics are made, how \
schemas are registered, and what has to be right to publish.

## Topics
";

const NAMES: &str = "\
These are the names in the usual namespace; in another one, `kafka.namespace` stands where `mneme` \
stands. All topics have one partition count, and a group is on the partition that its id gives: the \
same number on each topic. Each stage also reads what it wrote itself, when it starts.

A record is a zero byte, the number of its schema in the registry (four bytes, the highest first), \
and the Avro datum. The schema of an event of a topic is registered under `<topic>-mneme.v1.<event>`, \
such as `mneme.episodes.v1-mneme.v1.EpisodeReceived`.
";

const TYPES: &str = "\
## How types are written

| here | in Avro |
| --- | --- |
| `string?` | a union of null and string |
| list of string | an array |
| uuid | 16 bytes, fixed, named `mneme.v1.Uuid` |
| timestamp (µs) | a long: microseconds since 1970 in UTC |

A default is what a reader takes where the writer's schema does not have the field yet. Later versions \
of an event only add fields with defaults and symbols of enums; nothing is renamed or taken away.

Every event begins with the field `header`, an [EventHeader](#eventheader); it is left out below.
";

/// The whole page.
pub fn page() -> String {
    let mut named = Named::default();
    let mut page = HEAD.to_owned();
    page.push_str(&topics_table());
    page.push_str(&format!("\n{NAMES}\n{TYPES}"));
    for topic in Topic::ALL {
        page.push_str(&format!("\n## {topic}\n"));
        let (come, forwarded): (Vec<EventKind>, Vec<EventKind>) = EventKind::ALL
            .iter()
            .filter(|kind| kind.topics().contains(&topic))
            .copied()
            .partition(|kind| kind.topics().first() == Some(&topic));
        if !forwarded.is_empty() {
            let links = forwarded.iter().map(|kind| link(kind.name()));
            let links = links.collect::<Vec<_>>().join(", ");
            page.push_str(&format!("\nAlso here, as forwarded: {links}.\n"));
        }
        for kind in come {
            page.push_str(&event_section(kind, &mut named));
        }
    }
    page.push_str("\n## Shared records\n");
    let is = |of: &str| {
        let named = named.0.iter();
        named
            .filter(move |(_, defined)| text(defined, "type") == of)
            .collect::<Vec<_>>()
    };
    for (name, defined) in is("record") {
        let (doc, table) = (text(defined, "doc"), field_table(fields(defined).iter()));
        page.push_str(&format!("\n### {name}\n\n{doc}\n\n{table}"));
    }
    page.push_str("\n## Enums\n\nA symbol that a reader does not know is read as the default.\n");
    for (name, defined) in is("enum") {
        let symbols = defined["symbols"].as_array().map_or(&[][..], Vec::as_slice);
        let symbols: Vec<String> = symbols.iter().filter_map(symbol).collect();
        let (doc, default) = (text(defined, "doc"), text(defined, "default"));
        let symbols = symbols.join(", ");
        page.push_str(&format!(
            "\n### {name}\n\n{doc} One of {symbols}; the default is `{default}`.\n"
        ));
    }
    page
}

fn symbol(symbol: &Value) -> Option<String> {
    Some(format!("`{}`", symbol.as_str()?))
}

fn topics_table() -> String {
    let mut table = "\n| topic | what is on it | key | written by | read by | kept |\n| --- | --- | --- | --- | --- | --- |\n".to_owned();
    for topic in Topic::ALL {
        let (link, kept) = (link(topic.name()), kept(topic));
        let Traffic {
            what,
            key,
            written_by,
            read_by,
        } = traffic(topic);
        table.push_str(&format!(
            "| {link} | {what} | {key} | {written_by} | {read_by} | {kept} |\n"
        ));
    }
    table
}

fn event_section(kind: EventKind, named: &mut Named) -> String {
    let newest = schema_texts(kind).pop().unwrap();
    let schema: Value = serde_json::from_str(newest).unwrap();
    for field in fields(&schema) {
        named.collect(&field["type"]);
    }
    let (header, rest) = fields(&schema).split_first().unwrap();
    assert_eq!(type_text(&header["type"]), link("EventHeader"));
    let mut section = format!("\n### {}\n\n{}", kind.name(), text(&schema, "doc"));
    if let [_, forwarded @ ..] = kind.topics().as_slice()
        && !forwarded.is_empty()
    {
        let names: Vec<String> = forwarded.iter().map(|topic| format!("`{topic}`")).collect();
        section.push_str(&format!(" Forwarded to {}.", names.join(", ")));
    }
    if rest.is_empty() {
        section.push_str(" It has no other fields than the header.\n");
    } else {
        section.push_str(&format!("\n\n{}", field_table(rest.iter())));
    }
    section
}
