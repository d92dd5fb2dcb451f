//! Statements that a producer or a mapping gives are taken as they are: each name with its type and
//! external id is one mention, each value a literal, and no word is read into them.

use mneme_events::StatedFact;

use crate::draft::{Draft, Named, Object, Statement};

/// Reads stated facts.
pub(crate) fn read(draft: &mut Draft, facts: &[StatedFact]) {
    for (index, fact) in facts.iter().enumerate() {
        let has_object =
            fact.object.is_some() || fact.object_external_id.is_some() || fact.value.is_some();
        if !has_object || read_one(draft, fact).is_none() {
            draft.note(format!("dropped: facts[{index}] lacks an end"));
        }
    }
}

fn read_one(draft: &mut Draft, fact: &StatedFact) -> Option<()> {
    let subject = draft.mention(
        Named {
            name: fact.subject.clone(),
            entity_type: fact.subject_type.clone(),
            external_id: fact.subject_external_id.clone(),
        },
        None,
    )?;
    let object = match fact.object.as_ref().or(fact.object_external_id.as_ref()) {
        Some(name) => Object::Entity(draft.mention(
            Named {
                name: name.clone(),
                entity_type: fact.object_type.clone(),
                external_id: fact.object_external_id.clone(),
            },
            None,
        )?),
        None => Object::Value(fact.value.clone()?),
    };
    draft.statement(Statement {
        subject,
        relation: fact.relation.clone(),
        object,
        fact: fact.fact.clone(),
        valid_at: fact.valid_at,
        invalid_at: fact.invalid_at,
        polarity: fact.polarity,
        exclusive: fact.exclusive,
        span: None,
    });
    Some(())
}

#[cfg(test)]
mod tests {
    use mneme_model::{Literal, Polarity};

    use super::*;

    fn fact(subject: &str, relation: &str) -> StatedFact {
        StatedFact {
            subject: subject.to_owned(),
            subject_type: Some("Person".to_owned()),
            subject_external_id: None,
            relation: relation.to_owned(),
            object: None,
            object_type: None,
            object_external_id: None,
            value: None,
            fact: format!("{subject} {relation}"),
            valid_at: None,
            invalid_at: None,
            polarity: Polarity::Holds,
            exclusive: false,
        }
    }

    #[test]
    fn mentions_in_order_of_first_appearance() {
        let mut draft = Draft::default();
        let works = StatedFact {
            object: Some("Acme".to_owned()),
            object_type: Some("Organization".to_owned()),
            ..fact("Ann", "WORKS_AT")
        };
        let age = StatedFact {
            value: Some(Literal::string("41")),
            exclusive: true,
            ..fact("Ann", "AGE")
        };
        read(&mut draft, &[works, age, fact("Bo", "NOTHING")]);
        let reading = draft.finish();
        let names: Vec<_> = reading.mentions.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["Ann", "Acme"]);
        assert_eq!(reading.statements.len(), 2);
        assert_eq!(reading.statements[0].object, Some(1));
        assert!(reading.statements[1].exclusive);
        assert_eq!(reading.notes, ["dropped: facts[2] lacks an end"]);
    }
}
