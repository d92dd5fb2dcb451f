//! The index of words at one instant, to read.

use std::sync::Arc;

use tantivy::columnar::ColumnValues;
use tantivy::fastfield::AliveBitSet;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{InvertedIndexReader, Searcher, Term};

use super::index::index_error;
use super::recent::Owner;
use crate::{DocumentKind, StoreError};

/// The field of slots.
pub(super) const SLOT: &str = "slot";

/// What was committed.
pub(super) struct Words {
    field: Field,
    segments: Vec<SegmentWords>,
    _files: Searcher,
}

struct SegmentWords {
    words: Arc<InvertedIndexReader>,
    slots: Arc<dyn ColumnValues<u64>>,
    alive: Option<AliveBitSet>,
}

impl Words {
    pub fn of(searcher: Searcher, field: Field) -> Result<Self, StoreError> {
        let mut segments = Vec::new();
        for segment in searcher.segment_readers() {
            let slots = segment.fast_fields().u64(SLOT).map_err(index_error)?;
            segments.push(SegmentWords {
                words: segment.inverted_index(field).map_err(index_error)?,
                slots: slots.values,
                alive: segment.alive_bitset().cloned(),
            });
        }
        Ok(Self {
            field,
            segments,
            _files: searcher,
        })
    }

    /// About how many documents have a word; removed ones count until they are written out.
    pub fn frequency(&self, scope: &str, word: &str) -> Result<u32, StoreError> {
        let term = self.term(scope, word);
        let mut frequency = 0;
        for segment in &self.segments {
            let of_segment = segment.words.doc_freq(&term);
            frequency += of_segment.map_err(|error| index_error(error.into()))?;
        }
        Ok(frequency)
    }

    /// Gives slots of documents that have a word, and how often each has it.
    pub fn for_each_posting(
        &self,
        scope: &str,
        word: &str,
        mut each: impl FnMut(u32, u32),
    ) -> Result<(), StoreError> {
        let term = self.term(scope, word);
        let mut slots = Vec::new();
        for segment in &self.segments {
            let block = segment
                .words
                .read_block_postings(&term, IndexRecordOption::WithFreqs);
            let Some(mut block) = block.map_err(|error| index_error(error.into()))? else {
                continue;
            };
            while block.block_len() > 0 {
                let documents = block.docs();
                slots.resize(documents.len(), 0);
                segment.slots.get_vals(documents, &mut slots);
                let found = documents.iter().zip(&slots).zip(block.freqs());
                match &segment.alive {
                    None => found.for_each(|((_, &slot), &times)| each(slot as u32, times)),
                    Some(alive) => found
                        .filter(|((document, _), _)| alive.is_alive(**document))
                        .for_each(|((_, &slot), &times)| each(slot as u32, times)),
                }
                block.advance();
            }
        }
        Ok(())
    }

    fn term(&self, scope: &str, word: &str) -> Term {
        Term::from_field_text(self.field, &format!("{scope}{word}"))
    }
}

/// What stands before the words of a kind of a group. The digits end with the letter, so no scope
/// begins another.
pub(super) fn scope((group, kind): Owner) -> String {
    let kind = match kind {
        DocumentKind::Episode => 'E',
        DocumentKind::Fact => 'F',
        DocumentKind::Entity => 'N',
        DocumentKind::Community => 'C',
    };
    format!("{group:x}{kind}")
}
