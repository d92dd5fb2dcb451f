//! The default order: a sum of evidence, each with a round weight that has a reason. None of them
//! is fitted to a benchmark.
//!
//! What the stores find is summed by [`pool`](super::pool); what must be read off an episode itself
//! (who said it, whether it tells a time, whether it only asks) is added here, to the best of the
//! pool.

use serde::{Deserialize, Serialize};

use super::question::Question;
use super::{Candidate, time_words};

/// What each piece of evidence for an episode is worth, in deviations above the pool's mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvidenceWeights {
    /// BM25 of its own text: the words of the question stand in it. The measure of the others.
    pub text: f64,
    /// BM25 of its window, itself and its neighbours in the thread. A chat answers in the next
    /// message and says "it" for what the last one named, so the window is as good a witness as
    /// the message.
    pub window: f64,
    /// BM25 of its session. Tells the right day or topic, but not which message: half.
    pub session: f64,
    /// Cosine of its own vector. Finds other words of the same meaning, but a short message says
    /// little that a vector can hold: a quarter.
    pub vector: f64,
    /// Cosine of its window's vector, which has more to go by: half.
    pub window_vector: f64,
    /// It was said by the one known person that the question names. People tell of themselves, and
    /// messages rarely hold their author's name: as much as an excellent match of words.
    pub author: f64,
    /// The question asks when, and it holds an expression of time.
    pub time: f64,
    /// It only asks, and a question holds the words of the answer's topic without the answer.
    /// Negative.
    pub question: f64,
    /// A found fact comes from it: the reader of the episode saw the same thing. This much for the
    /// best fact, and a share for lesser ones: half, as the fact was drawn from words that were
    /// counted already.
    pub fact: f64,
    /// It mentions a found entity that few episodes mention. The same, for the same reason.
    pub entity: f64,
}

impl Default for EvidenceWeights {
    fn default() -> Self {
        Self {
            text: 1.0,
            window: 1.0,
            session: 0.5,
            vector: 0.25,
            window_vector: 0.5,
            author: 3.0,
            time: 1.0,
            question: -1.0,
            fact: 0.5,
            entity: 0.5,
        }
    }
}

/// What each piece of evidence is worth for a kind of document with one text: facts, entities,
/// communities.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextWeights {
    /// BM25 of its text.
    pub text: f64,
    /// Cosine of its vector. A sentence or a name says less than the words themselves, and codes
    /// and numbers are told apart by words alone: half, as for the window of an episode.
    pub vector: f64,
    /// Nearness on the walk through the graph (facts and entities). It says what belongs together
    /// and nothing of what was asked: a quarter, for what is nearest.
    pub graph: f64,
}

impl Default for TextWeights {
    fn default() -> Self {
        Self {
            text: 1.0,
            vector: 0.5,
            graph: 0.25,
        }
    }
}

/// What is read off an episode itself.
#[derive(Debug, Clone, Copy)]
pub struct EpisodeText<'e> {
    /// The name of its author.
    pub author: Option<&'e str>,
    /// Its body.
    pub body: &'e str,
}

/// Adds to a candidate what its episode shows; `speaker` is the known person that the question
/// names, if it is one.
pub fn weigh_episode(
    candidate: &mut Candidate,
    episode: EpisodeText<'_>,
    question: &Question,
    speaker: Option<&str>,
    weights: &EvidenceWeights,
) {
    if speaker.is_some() && episode.author == speaker {
        candidate.add("author", weights.author);
    }
    if question.asks_when() && time_words::has_time_expression(episode.body) {
        candidate.add("time", weights.time);
    }
    if is_question(episode.body) {
        candidate.add("question", weights.question);
    }
}

/// Whether a text ends with a question.
fn is_question(body: &str) -> bool {
    body.trim_end().ends_with(['?', '？', '؟', '՞'])
}

#[cfg(test)]
mod tests {
    use super::super::pool::tests::key;
    use super::*;

    fn weigh(question: &str, author: &str, body: &str, speaker: Option<&str>) -> Candidate {
        let mut candidate = Candidate::new(key("e"));
        let episode = EpisodeText {
            author: Some(author),
            body,
        };
        let question = Question::read(question);
        let weights = EvidenceWeights::default();
        weigh_episode(&mut candidate, episode, &question, speaker, &weights);
        candidate
    }

    #[test]
    fn what_the_named_person_says_counts_more() {
        let ann = weigh("where does Ann work", "Ann", "At the mill.", Some("Ann"));
        assert_eq!(ann.score, 3.0);
        let bob = weigh("where does Ann work", "Bob", "At the mill.", Some("Ann"));
        assert_eq!(bob.score, 0.0);
    }

    #[test]
    fn a_time_counts_only_where_one_is_asked_for() {
        let body = "We moved in last May.";
        assert_eq!(weigh("when did they move", "Ann", body, None).score, 1.0);
        assert_eq!(weigh("where did they move", "Ann", body, None).score, 0.0);
    }

    #[test]
    fn what_only_asks_counts_less() {
        for body in ["Where do you work? ", "你在哪里工作？"] {
            assert_eq!(weigh("where does Ann work", "Bob", body, None).score, -1.0);
        }
    }
}
