//! Rule 4: entities of conflicting types are different. A missing or generic type fits any type;
//! equal types fit whatever their case; a general type fits its special ones; all else conflicts.
//!
//! The families are few on purpose: what people and models write for a place, an organization or
//! a person is often more or less exact, while other types are written one way.

use mneme_model::NameKey;

/// Types that say nothing.
const GENERIC: &[&str] = &["", "entity", "thing", "object", "other", "unknown", "item"];

/// Spellings of one type.
const SPELLINGS: &[(&str, &str)] = &[
    ("place", "location"),
    ("organisation", "organization"),
    ("org", "organization"),
    ("business", "company"),
    ("corporation", "company"),
    ("firm", "company"),
    ("human", "person"),
    ("individual", "person"),
    ("people", "person"),
];

/// A general type and the special ones that it fits. Special ones don't fit each other.
const FAMILIES: &[(&str, &[&str])] = &[
    (
        "location",
        &[
            "city",
            "town",
            "village",
            "country",
            "region",
            "state",
            "province",
            "district",
            "county",
            "continent",
            "island",
        ],
    ),
    (
        "organization",
        &[
            "company",
            "university",
            "school",
            "college",
            "agency",
            "team",
            "department",
            "club",
            "institution",
            "bank",
            "hospital",
        ],
    ),
];

/// What a person does: all fit `person` and each other, since one person does many things.
const PERSON_ROLES: &[&str] = &[
    "person", "user", "contact", "employee", "patient", "student", "author", "speaker",
];

/// What a person or an organization does for another: they fit both families.
const PARTY_ROLES: &[&str] = &[
    "customer", "client", "supplier", "vendor", "partner", "member", "owner", "lead",
];

/// The form in which types are compared.
pub fn folded(entity_type: &str) -> String {
    let key = NameKey::of(entity_type);
    let spelling = SPELLINGS
        .iter()
        .find(|(written, _)| *written == key.as_str());
    spelling.map_or_else(|| key.as_str().to_owned(), |(_, meant)| (*meant).to_owned())
}

/// Whether a type says nothing.
pub fn is_generic(entity_type: &str) -> bool {
    GENERIC.contains(&folded(entity_type).as_str())
}

/// The type, if it says something.
pub fn specific(entity_type: Option<&str>) -> Option<&str> {
    entity_type.filter(|given| !is_generic(given))
}

/// Whether an entity can be of both types.
pub fn fit(a: Option<&str>, b: Option<&str>) -> bool {
    let (Some(a), Some(b)) = (specific(a), specific(b)) else {
        return true;
    };
    let (a, b) = (folded(a), folded(b));
    a == b || is_special_of(&a, &b) || is_special_of(&b, &a) || are_roles(&a, &b)
}

fn is_special_of(special: &str, general: &str) -> bool {
    FAMILIES
        .iter()
        .any(|(name, members)| *name == general && members.contains(&special))
}

fn are_roles(a: &str, b: &str) -> bool {
    let is_person = |one: &str| PERSON_ROLES.contains(&one);
    let is_party = |one: &str| PARTY_ROLES.contains(&one);
    let is_organization = |one: &str| one == "organization" || is_special_of(one, "organization");
    let fits_party = |one: &str| is_party(one) || is_person(one) || is_organization(one);
    is_person(a) && is_person(b) || is_party(a) && fits_party(b) || is_party(b) && fits_party(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_fit() {
        let fits = |a, b| fit(Some(a), Some(b)) && fit(Some(b), Some(a));
        assert!(fit(None, Some("Person")));
        assert!(fits("Thing", "Person"));
        assert!(fits("person", "PERSON"));
        assert!(fits("City", "Place"));
        assert!(fits("Company", "Organisation"));
        assert!(fits("Contact", "Person"));
        assert!(fits("Customer", "Person") && fits("Customer", "Company"));
    }

    #[test]
    fn types_that_conflict() {
        let fits = |a, b| fit(Some(a), Some(b)) || fit(Some(b), Some(a));
        assert!(!fits("Person", "Organization"));
        assert!(!fits("Person", "Location"));
        assert!(!fits("Person", "Pet"));
        assert!(!fits("City", "Country"));
        assert!(!fits("Deal", "Ticket"));
    }
}
