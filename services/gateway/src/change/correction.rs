//! A stored fact that is to be corrected. The fact is meant by its ends and relation as people read
//! it, in either direction that the ontology allows.

use mneme_api::{CorrectionRequest, CorrectionSet, Problem};
use mneme_events::Correction;
use mneme_model::{GroupId, Instant, Ontology, RelationName};
use mneme_stores::{EntityRow, FactObject, FactVersionRow, TimeView};
use uuid::Uuid;

use super::may_be_lag;
use crate::accept::Draft;
use crate::episode::{cleaned, literal, name, optional_name, sentence};
use crate::gateway::{Shared, store_problem};
use crate::limits::SENTENCE_BYTES;

/// How many facts of an entity are looked at.
const FACTS: usize = 20_000;

/// All that is believed now, whenever it holds.
const BELIEVED: TimeView = TimeView {
    as_of: Instant::MAX,
    known_at: Instant::MAX,
    include_past: true,
};

impl Shared {
    /// Asks for a correction; returns the position of the request.
    pub async fn correct(&self, group: &GroupId, asked: CorrectionRequest) -> Result<u64, Problem> {
        let [subject, relation, object] = asked.fact;
        let relation = RelationName::new(&relation)
            .map_err(|error| Problem::invalid_field("fact[1]", error.0))?;
        let fact = [
            name("fact[0]", subject)?,
            relation.as_str().to_owned(),
            sentence("fact[2]", object, SENTENCE_BYTES)?,
        ];
        let set = Box::new(correction(asked.set).map_err(|problem| problem.within("set"))?);
        let mut checked = self.check_correction(group, &fact, &set).await;
        if may_be_lag(&checked) {
            self.settle(group).await?;
            checked = self.check_correction(group, &fact, &set).await;
        }
        let fact = checked?;
        self.append_change(group, Draft::Correct { fact, set })
            .await
    }

    /// The fact as it goes on: a name that several entities have is replaced by the id of the one
    /// that the fact is about.
    async fn check_correction(
        &self,
        group: &GroupId,
        fact: &[String; 3],
        set: &Correction,
    ) -> Result<[String; 3], Problem> {
        let [subject_text, relation, object_text] = fact;
        let subjects = self.entities_meant(group, subject_text).await?;
        let objects = self.entities_meant(group, object_text).await?;
        let ontology = self.ontology(group).await?;
        if let Some(object) = &set.object {
            let right = self.entities_meant(group, object).await?;
            let is_subject = |entity: &EntityRow| {
                subjects
                    .iter()
                    .any(|subject| subject.entity_id == entity.entity_id)
            };
            if right.iter().any(is_subject) {
                let text = "must be another entity than the subject";
                return Err(Problem::invalid_field("set.object", text));
            }
        }
        let mut found: Vec<(Uuid, Option<Uuid>)> = Vec::new();
        let mut lasts = false;
        for subject in &subjects {
            let facts = self
                .records
                .facts_of(group, subject.entity_id, &BELIEVED, FACTS)
                .await
                .map_err(store_problem)?;
            for row in &facts {
                let ends = Ends {
                    subject: subject.entity_id,
                    objects: &objects,
                    object_text,
                };
                let Some(object) = ends.meant_by(row, relation, &ontology) else {
                    continue;
                };
                lasts |= lasts_when_corrected(row, set);
                if !found.contains(&(subject.entity_id, object)) {
                    found.push((subject.entity_id, object));
                }
            }
        }
        if !found.is_empty() && !lasts {
            let text = "the fact would end before it begins; to withdraw it, {\"retract\": true}";
            let field = if set.invalid_at.is_some() {
                "set.invalid_at"
            } else {
                "set.valid_at"
            };
            return Err(Problem::invalid_field(field, text));
        }
        let chosen = |entities: &[EntityRow], text: &String, id: Option<Uuid>| match id {
            Some(id) if entities.len() > 1 => id.to_string(),
            _ => text.clone(),
        };
        match found.as_slice() {
            [] => Err(
                Problem::not_found(format!("fact: the group '{group}' has no such fact"))
                    .about("fact"),
            ),
            [(subject, object)] => Ok([
                chosen(&subjects, subject_text, Some(*subject)),
                relation.clone(),
                chosen(&objects, object_text, *object),
            ]),
            [first, rest @ ..] if rest.iter().any(|(subject, _)| *subject != first.0) => {
                let ids = found.iter().map(|(subject, _)| *subject).collect();
                Err(Problem::ambiguous("fact[0]", ids))
            }
            _ => {
                let ids = found.iter().filter_map(|(_, object)| *object).collect();
                Err(Problem::ambiguous("fact[2]", ids))
            }
        }
    }
}

/// Whether a row still holds at some instant with what a correction sets.
fn lasts_when_corrected(row: &FactVersionRow, set: &Correction) -> bool {
    let start = set.valid_at.unwrap_or(row.valid_at).at;
    let end = set.invalid_at.or(row.invalid_at);
    set.retract || end.is_none_or(|end| start < end.at)
}

/// The ends that a correction names.
struct Ends<'e> {
    subject: Uuid,
    objects: &'e [EntityRow],
    object_text: &'e str,
}

impl Ends<'_> {
    /// Whether a row is the fact meant, and then its other end where that is an entity.
    fn meant_by(
        &self,
        row: &FactVersionRow,
        relation: &str,
        ontology: &Ontology,
    ) -> Option<Option<Uuid>> {
        let (stored, swapped) = ontology.stored_direction(relation);
        let as_given = row.relation == relation;
        if !as_given && row.relation != stored {
            return None;
        }
        let forward = as_given || !swapped;
        let backward = swapped || ontology.is_symmetric(stored);
        let is_meant = |id: &Uuid| self.objects.iter().any(|entity| entity.entity_id == *id);
        if forward && row.subject.entity_id == self.subject {
            match &row.object {
                FactObject::Entity(object) if is_meant(&object.entity_id) => {
                    return Some(Some(object.entity_id));
                }
                FactObject::Literal(value) if value.text == self.object_text => return Some(None),
                FactObject::Entity(_) | FactObject::Literal(_) => {}
            }
        }
        let other = row.subject.entity_id;
        let turned = row.object.entity_id() == Some(self.subject) && is_meant(&other);
        (backward && turned).then_some(Some(other))
    }
}

fn correction(set: CorrectionSet) -> Result<Correction, Problem> {
    let refused = |field: &str, text: &str| Err(Problem::invalid_field(field, text));
    if set == CorrectionSet::default() {
        let text = "must hold what is right instead, or {\"retract\": true}";
        return Err(Problem::invalid_field("retract", text));
    }
    if set.retract
        && set
            != (CorrectionSet {
                retract: true,
                ..CorrectionSet::default()
            })
    {
        return refused(
            "retract",
            "withdraws the fact: nothing else can be set with it",
        );
    }
    if set.object.is_some() && set.value.is_some() {
        return refused(
            "value",
            "does not go with \"object\": a literal is no entity",
        );
    }
    if set.object_type.is_some() && set.object.is_none() {
        return refused("object_type", "goes with \"object\" only");
    }
    let relation = set.relation.map(|relation| {
        RelationName::new(cleaned(relation))
            .map(|relation| relation.as_str().to_owned())
            .map_err(|error| Problem::invalid_field("relation", error.0))
    });
    Ok(Correction {
        relation: relation.transpose()?,
        object: optional_name("object", set.object)?,
        object_type: optional_name("object_type", set.object_type)?,
        value: set.value.map(|value| literal("value", value)).transpose()?,
        fact: set
            .fact
            .map(|fact| sentence("fact", fact, SENTENCE_BYTES))
            .transpose()?,
        valid_at: set.valid_at.map(|time| time.0),
        invalid_at: set.invalid_at.map(|time| time.0),
        retract: set.retract,
    })
}
