//! What text of a document is embedded.

use crate::embedded::documents::Wording;
use crate::{CommunityRow, EpisodeRow, FactVersionRow};
use mneme_model::Source;

pub(super) struct VectorWording;

impl Wording for VectorWording {
    /// The text.
    type Content = String;

    const SUMMARIES: bool = false;

    /// The body with its author in front; of `facts` the sentences.
    fn episode(&self, row: &EpisodeRow) -> String {
        let episode = &row.episode;
        let mut text = String::with_capacity(episode.body.len() + 32);
        if let Some(author) = &episode.author {
            text.push_str(&author.name);
            text.push_str(": ");
        }
        text.push_str(&episode.body);
        if episode.source == Source::Facts {
            for fact in &episode.facts {
                text.push_str(&fact.fact);
                text.push('\n');
            }
        }
        text
    }

    fn fact(&self, row: &FactVersionRow) -> String {
        row.fact.clone()
    }

    fn entity(&self, name: &str, _aliases: &[String], _summary: Option<&str>) -> String {
        name.to_owned()
    }

    fn community(&self, row: &CommunityRow) -> String {
        row.name.clone()
    }

    fn content(&self, text: String) -> (String, u32) {
        (text, 0)
    }
}
