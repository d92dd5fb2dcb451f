//! Splits a word into the pieces that a model has rows for.
//!
//! Guarantees: the pieces are those of BERT's greedy longest match first; a word with a part
//! that no piece covers has none, for BERT calls the whole of it unknown; finding a piece
//! allocates nothing and reads the vocabulary where it lies in the model file.

use crate::InferenceError;
use crate::model_file::ModelFile;
use crate::words::LONGEST_WORD;

/// Marks a piece that continues a word.
const CONTINUATION: &[u8] = b"##";

/// A hash table over the vocabulary of a [`ModelFile`].
///
/// Open addressing with linear probing, at most half full. The standard map would need a copy of
/// each piece, or a self-reference into the file.
pub(crate) struct WordPieces {
    slots: Vec<Slot>,
    longest: usize,
}

/// Where a piece lies in the file, without its `##`; length 0 is a free slot.
#[derive(Clone, Copy, Default)]
struct Slot {
    offset: u32,
    row: u32,
    length: u8,
    continues: bool,
}

impl WordPieces {
    /// Indexes the vocabulary of `file`. Of equal pieces the first counts.
    pub(crate) fn index(file: &ModelFile) -> Result<Self, InferenceError> {
        let capacity = (2 * file.pieces()).next_power_of_two();
        let mut pieces = Self {
            slots: vec![Slot::default(); capacity],
            longest: 0,
        };
        let mut row = 0;
        file.each_piece(|offset, length| {
            let piece = &file.bytes()[offset..][..length];
            let (text, continues) = match piece.strip_prefix(CONTINUATION) {
                Some(text) if !text.is_empty() => (text, true),
                _ => (piece, false),
            };
            let place = pieces.place(file, text, continues);
            if pieces.slots[place].length == 0 {
                // No cast loses anything: a checked file's vocabulary ends below 2^32, and a
                // piece's length comes from one byte.
                pieces.slots[place] = Slot {
                    offset: (offset + length - text.len()) as u32,
                    row,
                    length: text.len() as u8,
                    continues,
                };
                pieces.longest = pieces.longest.max(text.len());
            }
            row += 1;
        })?;
        Ok(pieces)
    }

    /// Calls `visit` with the row of each piece of `word`, in order, or not at all.
    ///
    /// `word` has at most [`LONGEST_WORD`] characters and is as `words` gives it.
    pub(crate) fn for_each_row(&self, file: &ModelFile, word: &str, mut visit: impl FnMut(usize)) {
        // The word may prove unknown at its last character, hence rows wait here.
        let mut rows = [0_u32; LONGEST_WORD];
        let mut count = 0;
        let mut start = 0;
        while start < word.len() {
            let Some((row, length)) = self.longest_piece(file, &word[start..], start > 0) else {
                return;
            };
            rows[count] = row;
            count += 1;
            start += length;
        }
        rows[..count].iter().for_each(|row| visit(*row as usize));
    }

    /// The row and length in bytes of the longest piece that `rest` begins with.
    fn longest_piece(&self, file: &ModelFile, rest: &str, continues: bool) -> Option<(u32, usize)> {
        (1..=self.longest.min(rest.len()))
            .rev()
            .filter(|length| rest.is_char_boundary(*length))
            .find_map(|length| {
                let slot = self.slots[self.place(file, &rest.as_bytes()[..length], continues)];
                (slot.length > 0).then_some((slot.row, length))
            })
    }

    /// The slot of a piece, or the free one where it would be.
    fn place(&self, file: &ModelFile, text: &[u8], continues: bool) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash(text, continues) & mask;
        loop {
            let slot = self.slots[place];
            let free = slot.length == 0;
            if free
                || usize::from(slot.length) == text.len()
                    && slot.continues == continues
                    && &file.bytes()[slot.offset as usize..][..text.len()] == text
            {
                return place;
            }
            place = (place + 1) & mask;
        }
    }
}

/// Multiply and fold, eight bytes at a time: pieces are short and nobody chooses them against us.
fn hash(text: &[u8], continues: bool) -> usize {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = MULTIPLIER ^ ((text.len() as u64) << 1 | u64::from(continues));
    for chunk in text.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(bytes)).wrapping_mul(MULTIPLIER);
        state ^= state >> 32;
    }
    state as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_file::tests::small_model;

    fn rows(vocabulary: &[&str], word: &str) -> Vec<usize> {
        let model: Vec<_> = vocabulary
            .iter()
            .map(|piece| (*piece, 1.0, [0, 0]))
            .collect();
        let file = ModelFile::parse(small_model(&model).into()).unwrap();
        let mut found = Vec::new();
        WordPieces::index(&file)
            .unwrap()
            .for_each_row(&file, word, |row| found.push(row));
        found
    }

    #[test]
    fn the_longest_piece_comes_first() {
        let vocabulary = [
            "un", "##aff", "##able", "unaff", "##a", "able", "#", "##é", "é",
        ];
        assert_eq!(rows(&vocabulary, "unaffable"), [3, 2]);
        assert_eq!(rows(&vocabulary, "able"), [5]);
        assert_eq!(rows(&vocabulary, "ablea"), [5, 4]);
        assert_eq!(rows(&vocabulary, "#"), [6]);
        assert_eq!(rows(&vocabulary, "éé"), [8, 7]);
    }

    #[test]
    fn a_word_with_an_unknown_part_has_no_pieces() {
        let vocabulary = ["un", "##aff", "x"];
        assert!(rows(&vocabulary, "unaffx").is_empty());
        assert!(rows(&vocabulary, "aff").is_empty());
        assert!(rows(&vocabulary, "").is_empty());
    }

    #[test]
    fn of_equal_pieces_the_first_counts_and_no_vocabulary_finds_nothing() {
        assert_eq!(rows(&["a", "a", "##a"], "aa"), [0, 2]);
        assert!(rows(&[], "a").is_empty());
    }

    #[test]
    fn the_longest_word_has_room() {
        let word = "a".repeat(LONGEST_WORD);
        assert_eq!(rows(&["a", "##a"], &word).len(), LONGEST_WORD);
    }
}
