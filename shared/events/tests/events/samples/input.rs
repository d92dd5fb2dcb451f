//! What producers and operators send, and what the extractor makes of it.

use mneme_events::*;
use mneme_model::{LiteralKind, Polarity, Precision};

use super::parts::*;
use super::{Sample, sample};

pub fn samples() -> Vec<Sample> {
    let mut samples = sent();
    samples.extend(extracted());
    samples
}

fn sent() -> Vec<Sample> {
    let received = |header, episode| EpisodeReceived { header, episode };
    let erased = |header, episode_id| EpisodeErased { header, episode_id };
    let ontology = |header, text: &str| OntologyChanged {
        header,
        ontology: text.to_owned(),
    };
    let merge = |header, from: &str, into: &str| EntitiesMergeRequested {
        header,
        from: from.to_owned(),
        into: into.to_owned(),
    };
    let split = |header, episodes| EntitySplitRequested {
        header,
        entity: "Ann".to_owned(),
        episodes,
    };
    let corrected = |header, set, full: bool| FactCorrected {
        header,
        subject: "Ann Lee".to_owned(),
        relation: "WORKS_FOR".to_owned(),
        object: "Acme".to_owned(),
        set,
        subject_id: full.then(|| id(10)),
        object_id: full.then(|| id(11)),
        new_object: full.then(|| entity(12)),
    };
    vec![
        sample(
            received(full_header(), full_episode()),
            received(bare_header(), bare_episode()),
        ),
        sample(
            erased(full_header(), episode_id()),
            erased(bare_header(), episode_id()),
        ),
        sample(
            GroupErased {
                header: full_header(),
            },
            GroupErased {
                header: bare_header(),
            },
        ),
        sample(
            ontology(full_header(), r#"{"relations":[]}"#),
            ontology(bare_header(), "{}"),
        ),
        sample(
            merge(full_header(), "A. Lee", "Ann Lee"),
            merge(bare_header(), "", ""),
        ),
        sample(
            split(full_header(), vec![episode_id(), episode_id()]),
            split(bare_header(), Vec::new()),
        ),
        sample(
            corrected(full_header(), full_correction(), true),
            corrected(bare_header(), bare_correction(), false),
        ),
    ]
}

fn extracted() -> Vec<Sample> {
    let span = Some(Span { start: 2, end: 300 });
    let mention = Mention {
        ordinal: 1,
        name: "NYC".to_owned(),
        entity_type: text("City"),
        external_id: text("geo:5128581"),
        aliases: texts(&["New York City", "New York"]),
        speaker: true,
        span: span.clone(),
    };
    let bare_mention = Mention {
        ordinal: 0,
        name: "Ann".to_owned(),
        entity_type: None,
        external_id: None,
        aliases: Vec::new(),
        speaker: false,
        span: None,
    };
    let statement = ExtractedStatement {
        ordinal: 3,
        subject: 0,
        relation: "LIVES_IN".to_owned(),
        object: Some(1),
        value: literal(LiteralKind::Boolean),
        fact: "Ann lives in NYC".to_owned(),
        valid_at: Some(point(1, Precision::Instant)),
        invalid_at: Some(point(2, Precision::Inferred)),
        polarity: Polarity::Ended,
        exclusive: true,
        span,
    };
    let bare_statement = ExtractedStatement {
        ordinal: 0,
        subject: 0,
        relation: "IS".to_owned(),
        object: None,
        value: None,
        fact: String::new(),
        valid_at: None,
        invalid_at: None,
        polarity: Polarity::Holds,
        exclusive: false,
        span: None,
    };
    let failed = |header, episode, reason: &str| ExtractionFailed {
        header,
        episode,
        reason: reason.to_owned(),
    };
    vec![
        sample(
            EpisodeExtracted {
                header: full_header(),
                episode: full_episode(),
                mentions: vec![mention, bare_mention],
                statements: vec![statement, bare_statement],
                extractor: "model".to_owned(),
                model: text("local-7b"),
                prompt_version: text("extract-3"),
                tokens: 5_000_000_000,
                notes: texts(&["statement 7 left out: no such mention"]),
            },
            EpisodeExtracted {
                header: bare_header(),
                episode: bare_episode(),
                mentions: Vec::new(),
                statements: Vec::new(),
                extractor: "rules".to_owned(),
                model: None,
                prompt_version: None,
                tokens: 0,
                notes: Vec::new(),
            },
        ),
        sample(
            failed(full_header(), full_episode(), "the model gave no JSON"),
            failed(bare_header(), bare_episode(), ""),
        ),
    ]
}
