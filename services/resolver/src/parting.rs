//! An entity whose mentions rest on names and ids is one as long as these tie them together: an
//! episode that says "New York City, i.e. NYC" ties the two names. Once it is erased and no other
//! mention ties them, they are two again.

use std::collections::BTreeMap;

use mneme_model::EntityId;
use mneme_stage::{GroupRows, StageError, prefix_end};

use crate::keys;
use crate::state::MentionRow;
use crate::support::{Kind, NAMES, mention_of_support, mentions_of, said_by};

/// So many mentions of each tie are looked at before all are.
const SAMPLE: usize = 8;

/// The names and ids of a mention: those that it ties together.
pub fn ties_of(mention: &MentionRow) -> Vec<String> {
    let mut ties: Vec<String> = Vec::new();
    for said in said_by(mention) {
        let tie = match said.kind {
            Kind::OwnType | Kind::MergedType => continue,
            Kind::External => format!("external/{}", said.key),
            Kind::OwnName | Kind::MergedName | Kind::Alias => format!("name/{}", said.key),
        };
        if !ties.contains(&tie) {
            ties.push(tie);
        }
    }
    ties
}

/// Sets of ties that belong together.
#[derive(Default)]
struct Sets {
    parent: BTreeMap<String, String>,
}

impl Sets {
    fn root(&mut self, tie: &str) -> String {
        let mut at = tie.to_owned();
        while let Some(up) = self.parent.get(&at) {
            at.clone_from(up);
        }
        if at != tie {
            self.parent.insert(tie.to_owned(), at.clone());
        }
        at
    }

    fn join(&mut self, a: &str, b: &str) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parent.insert(b, a);
        }
    }

    fn join_all(&mut self, ties: &[String]) {
        for pair in ties.windows(2) {
            if let [a, b] = pair {
                self.join(a, b);
            }
        }
    }
}

/// The mentions that an entity must let go after mentions with the ties `lost` were erased: a list
/// for each part, earliest first. The part of the earliest mention stays.
pub fn parts(
    rows: &dyn GroupRows,
    entity: EntityId,
    lost: &[Vec<String>],
) -> Result<Vec<Vec<MentionRow>>, StageError> {
    if !is_loose(rows, entity, lost)? {
        return Ok(Vec::new());
    }
    let mentions = mentions_of(rows, entity)?;
    let Some(first) = mentions.first() else {
        return Ok(Vec::new());
    };
    let mut sets = Sets::default();
    let anchor = ties_of(first).into_iter().next().unwrap_or_default();
    for mention in &mentions {
        let mut ties = ties_of(mention);
        if !mention.is_placed_by_key() {
            ties.push(anchor.clone());
        }
        sets.join_all(&ties);
    }
    let stays = sets.root(&anchor);
    let mut parts: Vec<(String, Vec<MentionRow>)> = Vec::new();
    for mention in mentions {
        let tie = ties_of(&mention).into_iter().next().unwrap_or_default();
        let root = sets.root(&tie);
        if root == stays {
            continue;
        }
        match parts.iter_mut().find(|(of, _)| *of == root) {
            Some((_, part)) => part.push(mention),
            None => parts.push((root, vec![mention])),
        }
    }
    Ok(parts.into_iter().map(|(_, part)| part).collect())
}

/// Whether some of what was tied may be tied no longer, by a look at a few mentions of each tie.
fn is_loose(
    rows: &dyn GroupRows,
    entity: EntityId,
    lost: &[Vec<String>],
) -> Result<bool, StageError> {
    let mut sets = Sets::default();
    let mut looked_at: Vec<&String> = Vec::new();
    for tie in lost.iter().filter(|ties| ties.len() > 1).flatten() {
        if !looked_at.contains(&tie) {
            looked_at.push(tie);
            for mention in some_with(rows, entity, tie)? {
                sets.join_all(&ties_of(&mention));
            }
        }
    }
    for ties in lost {
        let mut left = Vec::new();
        for tie in ties {
            if !some_with(rows, entity, tie)?.is_empty() {
                left.push(sets.root(tie));
            }
        }
        left.dedup();
        if left.len() > 1 {
            return Ok(true);
        }
    }
    Ok(false)
}

fn some_with(
    rows: &dyn GroupRows,
    entity: EntityId,
    tie: &str,
) -> Result<Vec<MentionRow>, StageError> {
    let (kinds, key) = match tie.split_once('/') {
        Some(("external", key)) => (&[Kind::External][..], key),
        Some((_, key)) => (&NAMES[..], key),
        None => return Ok(Vec::new()),
    };
    let mut found = Vec::new();
    for kind in kinds {
        let prefix = keys::supports_of(entity, kind.byte(), key);
        let supports: Vec<Vec<u8>> = rows
            .range(&prefix, &prefix_end(&prefix))
            .take(SAMPLE)
            .map(|(key, _)| key)
            .collect();
        for key in supports {
            found.extend(mention_of_support(rows, &key)?);
        }
    }
    Ok(found)
}
