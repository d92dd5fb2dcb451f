//! Signatures: a statement of a strict relation that fits none of its pairs of types is left out,
//! with a note. Unknown types fit. A statement is judged once, when it is read: what becomes known
//! of its ends later takes nothing back.

use std::collections::BTreeMap;

use mneme_events::StatementResolved;
use mneme_model::{LiteralKind, Ontology};
use mneme_stage::{GroupRows, StageError, prefix_end, read_row, write_row};

use crate::{keys, types};

type Signatures = Vec<(String, String)>;

/// Replaces the strict relations by those of an ontology.
pub fn replace(rows: &mut dyn GroupRows, ontology: &str) -> Result<(), StageError> {
    let ontology: Ontology = serde_json::from_str(ontology)
        .map_err(|error| StageError::BrokenInput(format!("the ontology does not read: {error}")))?;
    let earlier: Vec<Vec<u8>> = rows
        .range(keys::STRICT, &prefix_end(keys::STRICT))
        .map(|(key, _)| key)
        .collect();
    for key in earlier {
        rows.delete(&key);
    }
    for (relation, signatures) in strict_relations(&ontology) {
        write_row(rows, keys::strict(&relation), &signatures)?;
    }
    Ok(())
}

/// The strict relations and their signatures. An inverse that says nothing itself is as strict as
/// the relation it is stored as, with the ends swapped.
fn strict_relations(ontology: &Ontology) -> BTreeMap<String, Signatures> {
    let mut strict = BTreeMap::new();
    for (name, definition) in &ontology.relations {
        let base = definition
            .inverse_of
            .as_ref()
            .and_then(|base| ontology.relations.get(base));
        let signatures = match base {
            Some(base) if definition.signatures.is_empty() && base.strict => base
                .signatures
                .iter()
                .map(|(subject, object)| (object.clone(), subject.clone()))
                .collect(),
            _ if definition.strict => definition.signatures.clone(),
            _ => Signatures::new(),
        };
        if !signatures.is_empty() {
            strict.insert(name.clone(), signatures);
        }
    }
    strict
}

/// The note for a statement that fits no signature of a strict relation.
pub fn misfit(
    rows: &dyn GroupRows,
    statement: &StatementResolved,
) -> Result<Option<String>, StageError> {
    let Some(signatures) = read_row::<Signatures>(rows, &keys::strict(&statement.relation))? else {
        return Ok(None);
    };
    let subject = statement.subject.entity_type.as_deref();
    let object = match (&statement.object, &statement.value) {
        (Some(object), _) => object.entity_type.as_deref(),
        (None, value) => value.as_ref().map(|value| literal_type(value.kind)),
    };
    let fits = signatures.iter().any(|(subject_type, object_type)| {
        types::fit(subject, Some(subject_type)) && types::fit(object, Some(object_type))
    });
    let name = |given: Option<&str>| given.unwrap_or("unknown").to_owned();
    Ok((!fits).then(|| {
        format!(
            "signature: {} does not take {} and {}",
            statement.relation,
            name(subject),
            name(object)
        )
    }))
}

fn literal_type(kind: LiteralKind) -> &'static str {
    match kind {
        LiteralKind::String => "string",
        LiteralKind::Number => "number",
        LiteralKind::Boolean => "boolean",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_is_as_strict_as_its_relation() {
        let ontology: Ontology = serde_json::from_str(
            r#"{"relations":{
                "EMPLOYS":{"signatures":[["Organization","Person"]],"strict":true},
                "WORKS_AT":{"inverse_of":"EMPLOYS"},
                "LIKES":{"signatures":[["Person","Person"]]}
            }}"#,
        )
        .unwrap();
        let strict = strict_relations(&ontology);
        assert_eq!(
            strict["WORKS_AT"],
            [("Person".to_owned(), "Organization".to_owned())]
        );
        assert!(!strict.contains_key("LIKES"));
    }
}
