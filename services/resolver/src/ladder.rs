//! The ladder: the first rule that decides. An equal id, then an equal name of a fitting type;
//! then, among names that are merely alike, a number or a type that differs parts them; then the
//! other names that the episode itself gives; then likeness beyond doubt. Whatever is left open
//! makes a new entity, with those alike named as possibly the same: a judge that reads them would
//! take its place between the aliases and the likeness.

use mneme_model::EntityId;
use mneme_stage::{GroupRows, StageError};

use crate::candidates::{self, Fit};
use crate::identity::{Named, name_key};
use crate::numbers::numbers_differ;
use crate::rule::Rule;
use crate::similarity::{Likeness, compare};
use crate::support::Kind;
use crate::{keys, state};

/// More other names of a candidate than these are not compared.
const MAX_NAMES_COMPARED: usize = 8;

/// What the ladder finds for a mention.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// It stands for this entity.
    One {
        /// The entity.
        entity: EntityId,
        /// The rule that decided.
        rule: Rule,
        /// How sure.
        score: f64,
    },
    /// It stands for one of these; the context decides.
    Several(Vec<EntityId>),
    /// It stands for none that is known.
    New {
        /// The rule that decided.
        rule: Rule,
        /// Those that may be the same after all, the likest first.
        alike: Vec<EntityId>,
    },
}

/// Climbs the ladder for a mention.
pub fn climb(rows: &dyn GroupRows, named: &Named) -> Result<Finding, StageError> {
    if let Some(id) = &named.external {
        let mut known = Vec::new();
        for entity in candidates::by_external(rows, id) {
            if candidates::fits_external(rows, entity, named)? {
                known.push(entity);
            }
        }
        if let Some(finding) = decide(known, Rule::ExternalId) {
            return Ok(finding);
        }
    }
    let (fitting, parted_by) = fitting(rows, candidates::by_name(rows, &named.key), named)?;
    let rule = match fitting.as_slice() {
        [only] if !is_named(rows, *only, &named.key)? => Rule::Alias,
        _ => Rule::Name,
    };
    if let Some(finding) = decide(fitting, rule) {
        return Ok(finding);
    }
    let mut by_alias = Vec::new();
    for alias in &named.alias_keys {
        for entity in fitting_only(rows, candidates::by_name(rows, alias), named)? {
            if !by_alias.contains(&entity) {
                by_alias.push(entity);
            }
        }
    }
    if let [entity] = by_alias.as_slice() {
        return Ok(Finding::One {
            entity: *entity,
            rule: Rule::Alias,
            score: 1.0,
        });
    }
    alike(rows, named, by_alias, parted_by)
}

fn decide(mut known: Vec<EntityId>, rule: Rule) -> Option<Finding> {
    match (known.pop(), known.is_empty()) {
        (None, _) => None,
        (Some(entity), true) => Some(Finding::One {
            entity,
            rule,
            score: 1.0,
        }),
        (Some(last), false) => {
            known.push(last);
            Some(Finding::Several(known))
        }
    }
}

/// Those that fit, and the rule that parts the mention from the others.
fn fitting(
    rows: &dyn GroupRows,
    known: Vec<EntityId>,
    named: &Named,
) -> Result<(Vec<EntityId>, Option<Rule>), StageError> {
    let (mut fitting, mut parted_by) = (Vec::new(), None);
    for entity in known {
        match candidates::fit(rows, entity, named)? {
            Fit::Fits => fitting.push(entity),
            Fit::TypesConflict => parted_by = Some(Rule::TypesConflict),
            Fit::IdsDiffer => parted_by = Some(Rule::IdsDiffer),
        }
    }
    Ok((fitting, parted_by))
}

fn fitting_only(
    rows: &dyn GroupRows,
    known: Vec<EntityId>,
    named: &Named,
) -> Result<Vec<EntityId>, StageError> {
    Ok(fitting(rows, known, named)?.0)
}

fn is_named(rows: &dyn GroupRows, entity: EntityId, key: &str) -> Result<bool, StageError> {
    // What is shown is such a name, and the usual one.
    if state::entity(rows, entity)?.is_some_and(|row| name_key(&row.name) == key) {
        return Ok(true);
    }
    let has = |kind: Kind| state::has_any(rows, &keys::supports_of(entity, kind.byte(), key));
    Ok(has(Kind::OwnName) || has(Kind::MergedName))
}

/// Rules 3, 4 and 7 over the names that share a word; `also` are candidates found otherwise.
fn alike(
    rows: &dyn GroupRows,
    named: &Named,
    also: Vec<EntityId>,
    parted_by: Option<Rule>,
) -> Result<Finding, StageError> {
    let mut rule = parted_by.unwrap_or(Rule::New);
    let (mut beyond, mut near) = (Vec::new(), Vec::new());
    for entity in candidates::by_words(rows, &named.key) {
        let Some(row) = state::entity(rows, entity)? else {
            continue;
        };
        let (given, known) = (named.entity_type.as_deref(), row.entity_type.as_deref());
        let mut likest = Likeness::Far;
        let mut is_other_number = false;
        for name in std::iter::once(&row.name)
            .chain(&row.aliases)
            .take(MAX_NAMES_COMPARED)
        {
            let key = name_key(name);
            // An equal key was judged already.
            if key == named.key {
                likest = Likeness::Far;
                break;
            }
            let likeness = compare(&named.key, given, &key, known);
            if likeness != Likeness::Far && numbers_differ(&named.key, &key) {
                is_other_number = true;
            } else if rank(likeness) > rank(likest) {
                likest = likeness;
            }
        }
        if likest == Likeness::Far {
            if is_other_number && rule == Rule::New {
                rule = Rule::NumbersDiffer;
            }
        } else if candidates::fit(rows, entity, named)? == Fit::Fits {
            match likest {
                Likeness::Beyond(score) => beyond.push((score, entity)),
                Likeness::Near(score) => near.push((score, entity)),
                Likeness::Far => {}
            }
        }
    }
    if let [(score, entity)] = beyond.as_slice() {
        return Ok(Finding::One {
            entity: *entity,
            rule: Rule::Similarity,
            score: *score,
        });
    }
    beyond.append(&mut near);
    // The sort is stable: equals keep the order of the candidates.
    beyond.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut alike = also;
    for (_, entity) in beyond {
        if !alike.contains(&entity) {
            alike.push(entity);
        }
    }
    Ok(Finding::New { rule, alike })
}

fn rank(likeness: Likeness) -> f64 {
    match likeness {
        Likeness::Beyond(score) => 1.0 + score,
        Likeness::Near(score) => score,
        Likeness::Far => -1.0,
    }
}
