//! From a resolved statement to its place: the direction that its relation is stored in, its fact,
//! and the slots within which it excludes others.

use mneme_events::{Correction, EventHeader, ResolvedEntity, StatementPlaced, StatementResolved};
use mneme_model::{
    Cardinality, FactId, GroupId, Literal, LiteralKind, Ontology, Polarity, Precision, TimePoint,
    derived_id,
};
use uuid::Uuid;

/// The namespace of a group's facts and slots.
fn namespace(group: &GroupId) -> Uuid {
    derived_id(
        Uuid::NAMESPACE_OID,
        &[b"mneme.facts", group.as_str().as_bytes()],
    )
}

/// A statement before it is placed: ends as stated.
#[derive(Debug, Clone)]
pub struct Stated {
    pub header: EventHeader,
    pub resolved: StatementResolved,
    /// Its place in the log; `None` until it is first placed.
    pub order: Option<i64>,
    pub correction: Option<Correction>,
    pub corrected_object: Option<ResolvedEntity>,
}

impl Stated {
    /// A statement as the resolver gives it.
    pub fn new(resolved: StatementResolved) -> Self {
        Self {
            header: resolved.header.clone(),
            resolved,
            order: None,
            correction: None,
            corrected_object: None,
        }
    }

    /// The statement that a placement was made from, a correction applied.
    pub fn of(placed: &StatementPlaced) -> Self {
        let (subject, object) = match (&placed.object, placed.swapped) {
            (Some(object), true) => (object.clone(), Some(placed.subject.clone())),
            (object, _) => (placed.subject.clone(), object.clone()),
        };
        let (valid_at, invalid_at) = match placed.polarity {
            Polarity::Holds => (Some(placed.valid_at), placed.invalid_at),
            Polarity::Ended => (None, Some(placed.valid_at)),
        };
        Self {
            header: placed.header.clone(),
            resolved: StatementResolved {
                header: placed.header.clone(),
                statement_id: placed.statement_id,
                episode_id: placed.episode_id.clone(),
                thread_id: placed.thread_id.clone(),
                reference_time: placed.reference_time,
                ordinal: 0,
                subject_mention: 0,
                subject,
                relation: placed.stated_relation.clone(),
                object_mention: None,
                object,
                value: placed.value.clone(),
                fact: placed.fact.clone(),
                valid_at,
                invalid_at,
                polarity: placed.polarity,
                exclusive: placed.exclusive,
            },
            order: Some(placed.order),
            correction: placed.correction.clone(),
            corrected_object: placed.corrected_object.clone(),
        }
    }

    /// The same with a correction on top.
    pub fn corrected(mut self, correction: &Correction, object: Option<&ResolvedEntity>) -> Self {
        let resolved = &mut self.resolved;
        if let Some(relation) = &correction.relation {
            resolved.relation.clone_from(relation);
        }
        if let Some(value) = &correction.value {
            resolved.value = Some(value.clone());
            resolved.object = None;
        }
        if let Some(object) = object {
            resolved.object = Some(object.clone());
            resolved.value = None;
        }
        if let Some(fact) = &correction.fact {
            resolved.fact.clone_from(fact);
        } else if correction.object.is_some() || correction.value.is_some() {
            resolved.fact = plain_sentence(resolved);
        }
        if correction.valid_at.is_some() && resolved.polarity == Polarity::Holds {
            resolved.valid_at = correction.valid_at;
        }
        if correction.invalid_at.is_some() {
            resolved.invalid_at = correction.invalid_at;
        }
        self.correction = Some(correction.clone());
        self.corrected_object = object.cloned();
        self
    }

    /// The placement, its header to be set; `None` when the statement can be no fact: an edge of an
    /// entity to itself, or no object.
    pub fn place(&self, ontology: &Ontology, next_order: i64) -> Option<StatementPlaced> {
        let stated = &self.resolved;
        let group = &self.header.group_id;
        if stated.object.is_none() && stated.value.is_none() {
            return None;
        }
        let (relation, inverted) = ontology.stored_direction(&stated.relation);
        let mut swapped = inverted && stated.object.is_some();
        let relation = if inverted && !swapped {
            stated.relation.as_str()
        } else {
            relation
        };
        if let Some(object) = &stated.object {
            if object.entity_id == stated.subject.entity_id {
                return None;
            }
            if ontology.is_symmetric(relation) {
                swapped = object.entity_id < stated.subject.entity_id;
            }
        }
        let (subject, object) = match (&stated.object, swapped) {
            (Some(object), true) => (object.clone(), Some(stated.subject.clone())),
            (object, _) => (stated.subject.clone(), object.clone()),
        };
        let reference = TimePoint {
            at: stated.reference_time,
            precision: Precision::Inferred,
        };
        let (valid_at, invalid_at) = match stated.polarity {
            Polarity::Holds => (stated.valid_at.unwrap_or(reference), stated.invalid_at),
            Polarity::Ended => (stated.invalid_at.unwrap_or(reference), None),
        };
        let cardinality = ontology
            .cardinality(relation)
            .unwrap_or(if stated.exclusive {
                Cardinality::OnePerSubject
            } else {
                Cardinality::Many
            });
        let ends = Ends {
            group,
            subject: &subject,
            relation,
            object: object.as_ref(),
            value: stated.value.as_ref(),
        };
        Some(StatementPlaced {
            header: self.header.clone(),
            statement_id: stated.statement_id,
            episode_id: stated.episode_id.clone(),
            thread_id: stated.thread_id.clone(),
            reference_time: stated.reference_time,
            fact_id: ends.fact_id(),
            slots: ends.slots(cardinality, ontology.is_symmetric(relation)),
            relation: relation.to_owned(),
            subject,
            value: stated.value.clone(),
            fact: stated.fact.clone(),
            valid_at,
            invalid_at,
            polarity: stated.polarity,
            order: self.order.unwrap_or(next_order),
            stated_relation: stated.relation.clone(),
            swapped,
            exclusive: stated.exclusive,
            correction: self.correction.clone(),
            corrected_object: self.corrected_object.clone(),
            object,
        })
    }
}

/// A sentence from the ends, where a correction gives none.
fn plain_sentence(stated: &StatementResolved) -> String {
    let object = match (&stated.object, &stated.value) {
        (Some(object), _) => object.name.as_str(),
        (None, Some(value)) => value.text.as_str(),
        (None, None) => "",
    };
    let relation = stated.relation.to_lowercase().replace('_', " ");
    format!("{} {relation} {object}", stated.subject.name)
}

/// The ends of a statement in the stored direction.
struct Ends<'s> {
    group: &'s GroupId,
    subject: &'s ResolvedEntity,
    relation: &'s str,
    object: Option<&'s ResolvedEntity>,
    value: Option<&'s Literal>,
}

impl Ends<'_> {
    fn object_key(&self) -> Vec<u8> {
        match (self.object, self.value) {
            (Some(object), _) => object.entity_id.as_bytes().to_vec(),
            (None, Some(value)) => literal_key(value),
            (None, None) => Vec::new(),
        }
    }

    fn id(&self, what: &str, parts: &[&[u8]]) -> Uuid {
        let parts: Vec<&[u8]> = [what.as_bytes(), self.relation.as_bytes()]
            .into_iter()
            .chain(parts.iter().copied())
            .collect();
        derived_id(namespace(self.group), &parts)
    }

    fn fact_id(&self) -> FactId {
        self.id(
            "fact",
            &[self.subject.entity_id.as_bytes(), &self.object_key()],
        )
    }

    /// The ends of a symmetric relation have no roles: where it is exclusive, each end has a slot in
    /// which it meets itself at either end.
    fn slots(&self, cardinality: Cardinality, symmetric: bool) -> Vec<Uuid> {
        if let (true, Some(object), true) =
            (symmetric, self.object, cardinality != Cardinality::Many)
        {
            let end = |entity: Uuid| self.id("end", &[entity.as_bytes()]);
            return vec![end(self.subject.entity_id), end(object.entity_id)];
        }
        let subject = || self.id("subject", &[self.subject.entity_id.as_bytes()]);
        let object = || self.id("object", &[&self.object_key()]);
        match cardinality {
            Cardinality::Many => vec![self.fact_id()],
            Cardinality::OnePerSubject => vec![subject()],
            Cardinality::OnePerObject => vec![object()],
            Cardinality::OneToOne => vec![subject(), object()],
        }
    }
}

fn literal_key(value: &Literal) -> Vec<u8> {
    let kind: u8 = match value.kind {
        LiteralKind::String => 1,
        LiteralKind::Number => 2,
        LiteralKind::Boolean => 3,
    };
    [&[kind], value.text.as_bytes()].concat()
}

/// The fact with these ends, as a correction names them: in the direction as stated.
pub fn facts_named(
    group: &GroupId,
    ontology: &Ontology,
    subject: Uuid,
    relation: &str,
    object: Option<Uuid>,
    text: &str,
) -> Vec<FactId> {
    let (stored, inverted) = ontology.stored_direction(relation);
    let entity = |entity_id| ResolvedEntity {
        entity_id,
        name: String::new(),
        entity_type: None,
    };
    let fact_of = |subject: Uuid, object: Option<Uuid>, value: Option<&Literal>| {
        let subject = entity(subject);
        let object = object.map(entity);
        Ends {
            group,
            subject: &subject,
            relation: stored,
            object: object.as_ref(),
            value,
        }
        .fact_id()
    };
    let mut facts = Vec::new();
    if let Some(object) = object {
        let (first, second) = if inverted {
            (object, subject)
        } else {
            (subject, object)
        };
        facts.push(fact_of(first, Some(second), None));
        if ontology.is_symmetric(stored) {
            facts.push(fact_of(second, Some(first), None));
        }
    }
    for kind in [
        LiteralKind::String,
        LiteralKind::Number,
        LiteralKind::Boolean,
    ] {
        let literal = Literal {
            text: text.to_owned(),
            kind,
        };
        facts.push(fact_of(subject, None, Some(&literal)));
    }
    facts
}
