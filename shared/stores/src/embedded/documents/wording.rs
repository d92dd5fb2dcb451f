//! What a store makes of documents: the text that stands for one, and what its index takes of it.

use crate::{CommunityRow, EpisodeRow, FactVersionRow};

/// What text stands for a document, and what is made of the text.
pub(in crate::embedded) trait Wording {
    /// What the index takes.
    type Content;
    /// The text of an episode.
    fn episode(&self, row: &EpisodeRow) -> String;
    /// The text of a version of a fact.
    fn fact(&self, row: &FactVersionRow) -> String;
    /// The text of an entity.
    fn entity(&self, name: &str, aliases: &[String], summary: Option<&str>) -> String;
    /// The text of a community.
    fn community(&self, row: &CommunityRow) -> String;
    /// Whether summaries of entities are part of their text.
    const SUMMARIES: bool;
    /// What the index takes of a text, and its length in words.
    fn content(&self, text: String) -> (Self::Content, u32);
}
