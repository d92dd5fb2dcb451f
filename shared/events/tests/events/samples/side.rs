//! What goes beside the chain.

use mneme_events::*;
use mneme_model::EpisodeId;

use super::parts::*;
use super::{Sample, sample};

pub fn samples() -> Vec<Sample> {
    let recorded = |header, answer: &[u8]| InferenceRecorded {
        header,
        request_digest: "0123456789abcdef0123456789abcdef".to_owned(),
        model: "local-7b".to_owned(),
        answer: answer.to_vec(),
    };
    let dead = |header, payload: &[u8], known: bool| DeadLettered {
        header,
        stage: "extractor".to_owned(),
        source_topic: Topic::Episodes.name().to_owned(),
        source_offset: 7_000_000_000,
        kind: "undecodable".to_owned(),
        reason: "not an Avro single object".to_owned(),
        payload: payload.to_vec(),
        source_partition: known.then_some(11),
        source_key: known.then(|| b"tenant\0\xff".to_vec()),
        version: known.then(|| "0.1.0".to_owned()),
        attempts: known.then_some(3),
        schema_id: known.then_some(42),
    };
    let replayed = |header| DeadLetterReplayed { header };
    let parked = |header, waiting, payload: &[u8]| RecordParked {
        header,
        stage: "resolver".to_owned(),
        source_offset: 12,
        waiting,
        reason: "a row does not decode".to_owned(),
        episode_id: waiting.then(|| EpisodeId::new("ticket-4711-3").unwrap()),
        payload: payload.to_vec(),
    };
    let released = |header, episode: Option<&str>| RecordReleased {
        header,
        stage: "resolver".to_owned(),
        source_offset: 12,
        episode_id: episode.map(|id| EpisodeId::new(id).unwrap()),
    };
    let release = |header| GroupReleaseRequested {
        header,
        stage: "resolver".to_owned(),
    };
    vec![
        sample(
            recorded(full_header(), b"{\"answer\":[0.5]}\0\xff"),
            recorded(bare_header(), b""),
        ),
        sample(
            dead(full_header(), &[0xc3, 0x01, 0x00, 0xff], true),
            dead(bare_header(), b"", false),
        ),
        sample(replayed(full_header()), replayed(bare_header())),
        sample(
            parked(full_header(), true, &[1, 2, 3]),
            parked(bare_header(), false, b""),
        ),
        sample(
            released(full_header(), Some("ticket-4711-3")),
            released(bare_header(), None),
        ),
        sample(release(full_header()), release(bare_header())),
    ]
}
