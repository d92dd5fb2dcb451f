//! The layout of a static word-piece model, written by `tools/distil_embeddings.py`.
//!
//! Guarantees: a file that [`ModelFile::parse`] accepts is whole, so reading a row of it can't
//! fail; nothing of the table is copied or decoded until it is read.
//!
//! Little-endian, without padding: magic `MNEMESWP`; u32 layout version, dimension D, number of
//! pieces N, bytes of the name M, bytes of the vocabulary V; the name; the vocabulary as N times
//! a length byte and that many bytes; N f32 scales; N·D int8 rows. Row r is scale\[r\] times its
//! int8 row, the piece's weight included.

use std::borrow::Cow;

use crate::InferenceError;

const MAGIC: &[u8] = b"MNEMESWP";
const LAYOUT_VERSION: usize = 1;
const HEADER_LENGTH: usize = 28;

/// A checked model file.
pub(crate) struct ModelFile {
    bytes: Cow<'static, [u8]>,
    name: String,
    dimension: usize,
    pieces: usize,
    vocabulary: usize,
    scales: usize,
    rows: usize,
}

impl ModelFile {
    /// Takes the file's bytes, which are kept as they are.
    pub(crate) fn parse(bytes: Cow<'static, [u8]>) -> Result<Self, InferenceError> {
        if bytes.len() < HEADER_LENGTH || !bytes.starts_with(MAGIC) {
            return Err(broken("it doesn't start as a static word-piece model does"));
        }
        let field = |place: usize| {
            let start = MAGIC.len() + 4 * place;
            let mut number = [0; 4];
            number.copy_from_slice(&bytes[start..start + 4]);
            u32::from_le_bytes(number) as usize
        };
        let [version, dimension, pieces, name_length, vocabulary_length] =
            [field(0), field(1), field(2), field(3), field(4)];
        if version != LAYOUT_VERSION {
            return Err(broken(format!(
                "layout {version}, but this release reads only layout 1"
            )));
        }
        let vocabulary = HEADER_LENGTH + name_length;
        let scales = vocabulary + vocabulary_length;
        let rows = pieces
            .checked_mul(4)
            .and_then(|length| length.checked_add(scales));
        let end = pieces
            .checked_mul(dimension)
            .zip(rows)
            .and_then(|(length, start)| length.checked_add(start));
        let (Some(rows), Some(end)) = (rows, end) else {
            return Err(broken("the sizes in its header overflow"));
        };
        // Places in the vocabulary are kept as u32.
        if u32::try_from(scales).is_err() {
            return Err(broken("its vocabulary is over 4 GiB"));
        }
        if dimension == 0 || end != bytes.len() {
            return Err(broken(format!(
                "{} bytes, but its header of {pieces} pieces in {dimension} dimensions says {end}",
                bytes.len()
            )));
        }
        let name = std::str::from_utf8(&bytes[HEADER_LENGTH..vocabulary])
            .map_err(|_| broken("its name isn't UTF-8"))?
            .to_owned();
        let file = Self {
            bytes,
            name,
            dimension,
            pieces,
            vocabulary,
            scales,
            rows,
        };
        if (0..pieces).any(|row| !file.scale(row).is_finite()) {
            return Err(broken("a scale isn't a finite number"));
        }
        Ok(file)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    pub(crate) fn pieces(&self) -> usize {
        self.pieces
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Calls `visit` with the offset and length, in the file, of each piece in the order of rows.
    pub(crate) fn each_piece(
        &self,
        mut visit: impl FnMut(usize, usize),
    ) -> Result<(), InferenceError> {
        let mut offset = self.vocabulary;
        for _ in 0..self.pieces {
            let length = usize::from(self.bytes[offset]);
            // The scales follow the vocabulary, so even a wrong length can't leave the file
            // before this check.
            if offset + 1 + length > self.scales || length == 0 {
                return Err(broken("its vocabulary doesn't fit its place"));
            }
            visit(offset + 1, length);
            offset += 1 + length;
        }
        if offset != self.scales {
            return Err(broken("its vocabulary doesn't fill its place"));
        }
        Ok(())
    }

    /// Adds row `row` to `total`, which has the model's dimension.
    pub(crate) fn add_row(&self, row: usize, total: &mut [f32]) {
        let scale = self.scale(row);
        let start = self.rows + row * self.dimension;
        for (component, step) in total.iter_mut().zip(&self.bytes[start..][..self.dimension]) {
            *component += scale * f32::from(step.cast_signed());
        }
    }

    fn scale(&self, row: usize) -> f32 {
        let start = self.scales + 4 * row;
        let mut number = [0; 4];
        number.copy_from_slice(&self.bytes[start..start + 4]);
        f32::from_le_bytes(number)
    }
}

fn broken(reason: impl Into<String>) -> InferenceError {
    InferenceError::BrokenModel {
        reason: reason.into(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A file of two dimensions whose rows are given in whole steps.
    pub(crate) fn small_model(pieces: &[(&str, f32, [i8; 2])]) -> Vec<u8> {
        let vocabulary: Vec<u8> = pieces
            .iter()
            .flat_map(|(piece, ..)| {
                [&[u8::try_from(piece.len()).unwrap()], piece.as_bytes()].concat()
            })
            .collect();
        let mut bytes = MAGIC.to_vec();
        for field in [1, 2, pieces.len(), 4, vocabulary.len()] {
            bytes.extend(u32::try_from(field).unwrap().to_le_bytes());
        }
        bytes.extend(b"test");
        bytes.extend(vocabulary);
        bytes.extend(pieces.iter().flat_map(|(_, scale, _)| scale.to_le_bytes()));
        bytes.extend(
            pieces
                .iter()
                .flat_map(|(.., row)| row.map(i8::cast_unsigned)),
        );
        bytes
    }

    fn parse(bytes: Vec<u8>) -> Result<ModelFile, InferenceError> {
        let file = ModelFile::parse(bytes.into())?;
        file.each_piece(|_, _| ())?;
        Ok(file)
    }

    #[test]
    fn rows_are_read_with_their_scale() {
        let file = parse(small_model(&[("a", 1.0, [1, 2]), ("##b", 0.5, [-4, 127])])).unwrap();
        assert_eq!(
            (file.name(), file.dimension(), file.pieces()),
            ("test", 2, 2)
        );
        let mut total = [1.0, 1.0];
        file.add_row(1, &mut total);
        assert_eq!(total, [-1.0, 64.5]);
        let mut words = Vec::new();
        file.each_piece(|offset, length| words.push(file.bytes()[offset..][..length].to_vec()))
            .unwrap();
        assert_eq!(words, [b"a".to_vec(), b"##b".to_vec()]);
    }

    #[test]
    fn every_truncation_and_every_wrong_size_is_refused() {
        let whole = small_model(&[("a", 1.0, [1, 2]), ("##b", 0.5, [-4, 5])]);
        for length in 0..whole.len() {
            assert!(parse(whole[..length].to_vec()).is_err(), "{length} bytes");
        }
        for place in 0..HEADER_LENGTH {
            for value in [0x00, 0x7f, 0xff] {
                let mut changed = whole.clone();
                if std::mem::replace(&mut changed[place], value) != value {
                    assert!(parse(changed).is_err(), "byte {place} as {value}");
                }
            }
        }
        let vocabulary = HEADER_LENGTH + 4;
        for length in [0, 2, 200] {
            let mut changed = whole.clone();
            changed[vocabulary] = length;
            assert!(parse(changed).is_err(), "a piece of {length} bytes");
        }
        assert!(parse(small_model(&[("a", f32::NAN, [1, 2])])).is_err());
    }
}
