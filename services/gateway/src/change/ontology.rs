//! The ontology of a group: replaced as a whole.

use mneme_api::{OntologyDto, Problem};
use mneme_model::{GroupId, Ontology};

use crate::accept::Draft;
use crate::gateway::{Shared, store_problem};
use crate::limits::{ONTOLOGY_BYTES, ONTOLOGY_NAMES};

impl Shared {
    /// Replaces the ontology; returns the position of the change.
    pub async fn put_ontology(&self, group: &GroupId, given: OntologyDto) -> Result<u64, Problem> {
        for (field, count) in [
            ("relations", given.relations.len()),
            ("entities", given.entities.len()),
        ] {
            if count > ONTOLOGY_NAMES {
                let text = format!("may be {ONTOLOGY_NAMES} at the most");
                return Err(Problem::invalid_field(field, text));
            }
        }
        let ontology = Ontology::from(given);
        ontology.validate().map_err(|error| {
            let (field, text) = error.0.split_once(": ").unwrap_or(("relations", &error.0));
            Problem::invalid_field(field, text)
        })?;
        let json = serde_json::to_string(&ontology).map_err(|_| Problem::internal())?;
        if json.len() > ONTOLOGY_BYTES {
            return Err(Problem::too_large(format!(
                "the ontology has {} bytes and may have {ONTOLOGY_BYTES}",
                json.len()
            )));
        }
        self.append_change(group, Draft::Ontology(json)).await
    }

    /// The ontology as the graph has it; an empty one where none was put.
    pub async fn ontology(&self, group: &GroupId) -> Result<Ontology, Problem> {
        let ontology = self.records.ontology(group).await;
        Ok(ontology.map_err(store_problem)?.unwrap_or_default())
    }
}
