//! Reads the conversations: turns with dates, questions with evidence.

use std::path::Path;

use jiff::civil::DateTime;
use mneme_api::{AuthorDto, EpisodeBody};
use mneme_model::{EpisodeId, GroupId, Instant, InvalidValue, Source, ThreadId};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::EvaluationError;

const MINUTE: i64 = 60_000_000;
/// The category of questions about what was never said.
const ADVERSARIAL: u8 = 5;

/// A conversation.
#[derive(Debug)]
pub(super) struct Conversation {
    pub name: String,
    pub turns: Vec<Turn>,
    pub questions: Vec<Question>,
}

/// What one person said at once.
#[derive(Debug)]
pub(super) struct Turn {
    pub id: String,
    pub speaker: String,
    pub body: String,
    pub at: Instant,
}

/// A question.
#[derive(Debug)]
pub(super) struct Question {
    pub text: String,
    pub category: u8,
    evidence: Vec<String>,
}

#[derive(Deserialize)]
struct Sample {
    sample_id: String,
    conversation: Map<String, Value>,
    qa: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    question: String,
    category: u8,
    #[serde(default)]
    evidence: Vec<String>,
}

#[derive(Deserialize)]
struct Said {
    speaker: String,
    dia_id: String,
    text: String,
    blip_caption: Option<String>,
}

/// Reads a file of conversations.
pub(super) fn read(file: &Path) -> Result<Vec<Conversation>, EvaluationError> {
    let bytes = std::fs::read(file).map_err(EvaluationError::in_file(file))?;
    let samples: Vec<Sample> =
        serde_json::from_slice(&bytes).map_err(EvaluationError::in_file(file))?;
    let conversations = samples.into_iter().map(|sample| {
        let turns = turns(&sample.conversation).map_err(EvaluationError::in_file(file))?;
        let questions = sample
            .qa
            .into_iter()
            .filter(|asked| asked.category != ADVERSARIAL);
        Ok(Conversation {
            name: sample.sample_id,
            turns,
            questions: questions.map(question).collect(),
        })
    });
    conversations.collect()
}

fn question(asked: Asked) -> Question {
    Question {
        text: asked.question,
        category: asked.category,
        evidence: asked
            .evidence
            .iter()
            .flat_map(|text| turn_ids(text))
            .collect(),
    }
}

/// The sessions in order; a date without a session is passed over.
fn turns(conversation: &Map<String, Value>) -> Result<Vec<Turn>, String> {
    let number = |key: &String| key.strip_prefix("session_")?.parse::<u32>().ok();
    let mut numbers: Vec<u32> = conversation.keys().filter_map(number).collect();
    numbers.sort_unstable();
    let mut turns = Vec::new();
    for number in numbers {
        let Some(said) = conversation.get(&format!("session_{number}")) else {
            continue;
        };
        let said: Vec<Said> = serde_json::from_value(said.clone()).map_err(|e| e.to_string())?;
        let date = conversation.get(&format!("session_{number}_date_time"));
        let date = date
            .and_then(Value::as_str)
            .ok_or("a session has no date")?;
        let start = session_start(date)?;
        for (minute, said) in (0..).zip(said) {
            let caption = said
                .blip_caption
                .map(|caption| format!(" [image: {caption}]"));
            turns.push(Turn {
                id: said.dia_id,
                speaker: said.speaker,
                body: format!("{}{}", said.text, caption.unwrap_or_default()),
                at: Instant::from_micros(start.as_micros() + minute * MINUTE),
            });
        }
    }
    Ok(turns)
}

/// `1:56 pm on 8 May, 2023`; no zone is given, and UTC is taken.
fn session_start(date: &str) -> Result<Instant, String> {
    let civil = DateTime::strptime("%I:%M %p on %d %B, %Y", date);
    let civil = civil.map_err(|error| format!("'{date}': {error}"))?;
    Instant::from_civil(civil).map_err(|error| error.to_string())
}

/// All of the form `D:?(\d+):0*(\d+)` in a text, as ids of turns. Evidence is sometimes written as
/// `D8:6; D9:17`, `D:11:26` or `D30:05`.
fn turn_ids(text: &str) -> Vec<String> {
    let digits = |text: &str| -> usize { text.bytes().take_while(u8::is_ascii_digit).count() };
    let mut ids = Vec::new();
    for (index, _) in text.match_indices('D') {
        let rest = &text[index + 1..];
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        let (session, rest) = rest.split_at(digits(rest));
        let Some(rest) = rest.strip_prefix(':') else {
            continue;
        };
        let turn = &rest[..digits(rest)];
        if let (Ok(session), Ok(turn)) = (session.parse::<u32>(), turn.parse::<u32>()) {
            ids.push(format!("D{session}:{turn}"));
        }
    }
    ids
}

impl Conversation {
    /// The group of the conversation.
    pub fn group(&self, prefix: &str) -> Result<GroupId, InvalidValue> {
        GroupId::new(format!("{prefix}locomo-{}", self.name))
    }

    /// The evidence of a question: turns of the conversation, each once.
    pub fn evidence(&self, question: &Question) -> Vec<&str> {
        let turns = self.turns.iter().map(|turn| turn.id.as_str());
        turns
            .filter(|id| question.evidence.iter().any(|wanted| wanted == id))
            .collect()
    }

    /// The turns as episodes.
    pub fn episodes(&self, group: &GroupId) -> Result<Vec<EpisodeBody>, InvalidValue> {
        let thread = ThreadId::new(&self.name)?;
        let episodes = self.turns.iter().map(|turn| {
            Ok(EpisodeBody {
                group_id: group.clone(),
                episode_id: Some(EpisodeId::new(&turn.id)?),
                thread_id: Some(thread.clone()),
                source: Source::Message,
                author: Some(AuthorDto {
                    name: turn.speaker.clone(),
                    role: None,
                    external_id: None,
                }),
                body: Some(Value::String(turn.body.clone())),
                facts: None,
                reference_time: turn.at,
                source_description: None,
                metadata: None,
            })
        });
        episodes.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_read_however_it_is_written() {
        assert_eq!(turn_ids("D8:6; D9:17"), ["D8:6", "D9:17"]);
        assert_eq!(turn_ids("D:11:26"), ["D11:26"]);
        assert_eq!(turn_ids("D30:05"), ["D30:5"]);
        assert_eq!(turn_ids("D, D4:, 7:3"), Vec::<String>::new());
    }

    #[test]
    fn dates_of_sessions() {
        let at = session_start("1:56 pm on 8 May, 2023").unwrap();
        assert_eq!(at, "2023-05-08T13:56:00Z".parse().unwrap());
        assert!(session_start("some day").is_err());
    }
}
