//! Mends the end of a database's journal after a crash.
//!
//! A crash of the machine may leave the last batch torn in any way: the disk writes the pages of a
//! file in an order of its own. The database itself forgives a batch that is cut short, but refuses
//! to open when the end of a batch is there and something before it is not, and stops reading in
//! silence when the beginning of one is gone. So before it is opened:
//!
//! 1. what follows the last whole batch is cut off, if it can only be a batch that was being written
//!    (or, where batches are not fsynced, one of those that were never promised);
//! 2. where whole batches follow a broken one, a promise would be broken by going on: that is
//!    damage, and is refused.
//!
//! The format is that of fjall's file format 3:
//!
//! ```text
//! 1 | items u32 | sequence number u64
//!   2 | value type u8 | compression u8 | keyspace u64 | key length u16 | value length u32
//!     | length on disk u32 | key | value            or            4 | keyspace u64
//! 3 | XXH3 of the items u64 | "FJL" 3
//! ```

use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

const FORMAT: &[u8] = b"FJL\x03";
const VERSION: &str = "version";

/// What was found at the end of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JournalEnd {
    /// Whole batches and nothing else, or nothing that is known here.
    Whole,
    /// So many bytes of an unfinished batch, which are cut off now.
    Cut(u64),
    /// Whole batches after a broken one that begins here.
    Damaged(u64),
}

/// Mends the journal that is written to of the database at `path`. `synced` says whether each batch
/// was fsynced before the next one was written.
pub(crate) fn mend(path: &Path, synced: bool) -> io::Result<JournalEnd> {
    let known = fs::read(path.join(VERSION)).is_ok_and(|version| version.starts_with(FORMAT));
    let Some(journal) = active_journal(path)?.filter(|_| known) else {
        return Ok(JournalEnd::Whole);
    };
    let file = File::options().read(true).write(true).open(journal)?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut whole = 0;
    while let Some(length) = batch(&mut reader)? {
        whole += length;
    }
    reader.seek(SeekFrom::Start(whole))?;
    let rest = written(&mut reader)?;
    // A journal is made with its full length in zeros; those are no batch.
    if rest.is_empty() {
        return Ok(JournalEnd::Whole);
    }
    if synced && holds_batch(&rest) {
        return Ok(JournalEnd::Damaged(whole));
    }
    let file = reader.into_inner();
    file.set_len(whole)?;
    file.sync_all()?;
    Ok(JournalEnd::Cut(rest.len() as u64))
}

/// The journal with the highest number; those before it were fsynced when it was begun.
fn active_journal(path: &Path) -> io::Result<Option<PathBuf>> {
    let mut newest: Option<(u64, PathBuf)> = None;
    for entry in fs::read_dir(path)? {
        let file = entry?.path();
        if file.extension().is_none_or(|extension| extension != "jnl") {
            continue;
        }
        let name = file.file_stem().and_then(|name| name.to_str());
        if let Some(number) = name.and_then(|name| name.parse().ok())
            && newest.as_ref().is_none_or(|(newest, _)| number > *newest)
        {
            newest = Some((number, file));
        }
    }
    Ok(newest.map(|(_, file)| file))
}

/// Reads a batch and gives its length, if a whole one is next.
fn batch(reader: &mut impl Read) -> io::Result<Option<u64>> {
    match read_batch(reader) {
        Ok(length) => Ok(length),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_batch(reader: &mut impl Read) -> io::Result<Option<u64>> {
    let [tag, count @ ..] = take::<5>(reader)?;
    if tag != 1 {
        return Ok(None);
    }
    take::<8>(reader)?;
    let mut length = 5 + 8;
    let mut hash = Xxh3::new();
    for _ in 0..u32::from_le_bytes(count) {
        let [tag] = take(reader)?;
        hash.update(&[tag]);
        length += 1;
        match tag {
            2 => {
                let head = take::<20>(reader)?;
                hash.update(&head);
                let key = u16::from_le_bytes([head[10], head[11]]);
                let value = u32::from_le_bytes([head[16], head[17], head[18], head[19]]);
                let body = u64::from(key) + u64::from(value);
                hash_bytes(reader, body, &mut hash)?;
                length += 20 + body;
            }
            4 => {
                hash.update(&take::<8>(reader)?);
                length += 8;
            }
            _ => return Ok(None),
        }
    }
    let [tag, checksum @ ..] = take::<9>(reader)?;
    let end = take::<4>(reader)?;
    let is_whole = tag == 3 && u64::from_le_bytes(checksum) == hash.digest() && end == FORMAT;
    Ok(is_whole.then_some(length + 9 + 4))
}

fn take<const N: usize>(reader: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn hash_bytes(reader: &mut impl Read, mut count: u64, hash: &mut Xxh3) -> io::Result<()> {
    let mut chunk = [0; 4096];
    while count > 0 {
        let step = count.min(chunk.len() as u64) as usize;
        reader.read_exact(&mut chunk[..step])?;
        hash.update(&chunk[..step]);
        count -= step as u64;
    }
    Ok(())
}

/// What is left without the zeros at its end.
fn written(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut rest = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    let mut zeros = 0;
    loop {
        let count = reader.read(&mut chunk)?;
        if count == 0 {
            return Ok(rest);
        }
        let read = &chunk[..count];
        let Some(last) = read.iter().rposition(|byte| *byte != 0) else {
            zeros += count;
            continue;
        };
        rest.resize(rest.len() + zeros, 0);
        rest.extend_from_slice(&read[..=last]);
        zeros = count - last - 1;
    }
}

/// Whether a whole batch begins right after the end of another one.
fn holds_batch(rest: &[u8]) -> bool {
    rest.windows(FORMAT.len())
        .enumerate()
        .filter(|(_, window)| *window == FORMAT)
        .any(|(place, _)| {
            let after = &rest[place + FORMAT.len()..];
            matches!(batch(&mut &*after), Ok(Some(_)))
        })
}

#[cfg(test)]
mod tests;
