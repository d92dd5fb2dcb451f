//! The index of words: which documents have a word, and how often. tantivy keeps it.
//!
//! | field | holds |
//! | --- | --- |
//! | words | the words, each behind the number of its group and the letter of its kind |
//! | slot | the slot of the document, to read |
//! | address | group, kind and slot, to remove a document by |
//! | owner | group and kind, to remove all of these by |

use std::path::Path;

use tantivy::directory::MmapDirectory;
use tantivy::index::SegmentId;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::schema::{
    Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::store::Compressor;
use tantivy::{
    Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, TantivyDocument, TantivyError,
    Term,
};

use super::lines::Lines;
use super::recent::Recent;
use super::words::{SLOT, Words, scope};
use crate::embedded::documents::{Address, broken};
use crate::{DocumentKind, StoreError};

/// Memory for the words of a commit before they become a segment.
const COMMIT_BYTES: usize = 40 << 20;
/// A segment with more removed documents than this share is written anew.
const REMOVED_SHARE: f32 = 0.25;
const TOKENIZER: &str = "lines";

#[derive(Clone, Copy)]
struct Fields {
    words: Field,
    slot: Field,
    address: Field,
    owner: Field,
}

/// The index, to write to.
pub(super) struct WordIndex {
    fields: Fields,
    number: u64,
    writer: IndexWriter,
    reader: IndexReader,
}

impl WordIndex {
    /// Opens or makes the index in a folder.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let (schema, fields) = schema();
        let directory = MmapDirectory::open(folder).map_err(|error| index_error(error.into()))?;
        let index = Index::builder()
            .schema(schema)
            .settings(IndexSettings {
                docstore_compression: Compressor::None,
                docstore_compress_dedicated_thread: false,
                ..IndexSettings::default()
            })
            .open_or_create(directory)
            .map_err(index_error)?;
        index.tokenizers().register(TOKENIZER, Lines::default());
        let committed = index.load_metas().map_err(index_error)?.payload;
        let committed = committed.and_then(|payload| payload.parse().ok());
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .memory_budget_per_thread(COMMIT_BYTES)
            .num_merge_threads(1)
            .build();
        let writer = index.writer_with_options(options).map_err(index_error)?;
        let mut merges = LogMergePolicy::default();
        merges.set_del_docs_ratio_before_merge(REMOVED_SHARE);
        writer.set_merge_policy(Box::new(merges));
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .map_err(index_error)?;
        Ok(Self {
            fields,
            number: committed.unwrap_or(0),
            writer,
            reader,
        })
    }

    /// The number of the last commit; 0 before the first.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Commits what is pending; searches see it through the next [`Self::words`].
    pub fn commit(&mut self, recent: &Recent) -> Result<(), StoreError> {
        let fields = self.fields;
        for (group, kind) in recent.emptied() {
            let term = Term::from_field_u64(fields.owner, owner(group, kind));
            self.writer.delete_term(term);
        }
        for (at, pending) in recent.pending() {
            if pending.in_index {
                let term = Term::from_field_u64(fields.address, address(at));
                self.writer.delete_term(term);
            }
        }
        for (at, pending) in recent.pending() {
            let Some(words) = &pending.words else {
                continue;
            };
            let mut document = TantivyDocument::new();
            let words = format!("{}\n{words}", scope((at.group, at.kind)));
            document.add_text(fields.words, words);
            document.add_u64(fields.slot, u64::from(at.slot));
            document.add_u64(fields.address, address(at));
            document.add_u64(fields.owner, owner(at.group, at.kind));
            self.writer.add_document(document).map_err(index_error)?;
        }
        let number = self.number + 1;
        let mut prepared = self.writer.prepare_commit().map_err(index_error)?;
        prepared.set_payload(&number.to_string());
        prepared.commit().map_err(index_error)?;
        self.number = number;
        Ok(())
    }

    /// Lets go of the folder, after what is being merged.
    pub fn close(self) {
        if let Err(error) = self.writer.wait_merging_threads() {
            tracing::warn!(%error, "the index of words was not closed in order");
        }
    }

    /// Writes segments that hold removed documents anew, so that their words are gone.
    pub fn purge(&mut self) -> Result<Words, StoreError> {
        self.reader.reload().map_err(index_error)?;
        let searcher = self.reader.searcher();
        let with_removed: Vec<SegmentId> = searcher
            .segment_readers()
            .iter()
            .filter(|segment| segment.has_deletes())
            .map(|segment| segment.segment_id())
            .collect();
        for segment in with_removed {
            // A segment that is being merged with others is written anew by that.
            if let Err(error) = self.writer.merge(&[segment]).wait() {
                tracing::debug!(%error, "a segment is being merged already");
            }
        }
        let collected = self.writer.garbage_collect_files().wait();
        collected.map_err(index_error)?;
        self.words()
    }

    /// What was committed, to read.
    pub fn words(&self) -> Result<Words, StoreError> {
        self.reader.reload().map_err(index_error)?;
        Words::of(self.reader.searcher(), self.fields.words)
    }
}

/// Removes an index; no matter if there is none.
pub(super) fn remove(folder: &Path) -> Result<(), StoreError> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::Unavailable(error.to_string()))
        }
        _ => Ok(()),
    }
}

fn owner(group: u32, kind: DocumentKind) -> u64 {
    u64::from(group) << 2 | kind as u64
}

fn address(address: Address) -> u64 {
    owner(address.group, address.kind) << 30 | u64::from(address.slot)
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let words = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::WithFreqs);
    let indexed = || NumericOptions::default().set_indexed();
    let fields = Fields {
        words: schema.add_text_field("words", TextOptions::default().set_indexing_options(words)),
        slot: schema.add_u64_field(SLOT, NumericOptions::default().set_fast()),
        address: schema.add_u64_field("address", indexed()),
        owner: schema.add_u64_field("owner", indexed()),
    };
    (schema.build(), fields)
}

pub(super) fn index_error(error: TantivyError) -> StoreError {
    match error {
        TantivyError::IoError(error) => StoreError::Unavailable(error.to_string()),
        TantivyError::LockFailure(..) => {
            StoreError::Refused("the index of words is in use by another process".to_owned())
        }
        error => broken(&format!("the index of words: {error}")),
    }
}
