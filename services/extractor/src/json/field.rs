//! The names of fields: their words, the relation that they name, and what they are for.

use mneme_model::Ontology;

/// The words of a field's name, in lower case: `creditLimit`, `credit_limit` and `Credit limit` are
/// "credit" and "limit".
pub(super) fn words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = vec![String::new()];
    for (index, &c) in characters.iter().enumerate() {
        if !c.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let before = index.checked_sub(1).map(|at| characters[at]);
        let after = characters.get(index + 1);
        let begins_word = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
            });
        if begins_word {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The relation that a field names: the ontology's spelling where it has one, else upper snake case.
pub(super) fn relation(words: &[String], ontology: &Ontology) -> String {
    let folded = words.concat();
    let known = ontology
        .relations
        .keys()
        .find(|name| self::words(name).concat() == folded || name.to_lowercase() == folded);
    match known {
        Some(name) => name.clone(),
        None => words.join("_").to_uppercase(),
    }
}

/// Fields that say something of the record's storage and nothing of its subject.
pub(super) fn is_bookkeeping(words: &[String]) -> bool {
    const NAMES: &[&str] = &[
        "archived at",
        "checksum",
        "correlation id",
        "created",
        "created by",
        "created by id",
        "cursor",
        "deleted",
        "deleted at",
        "digest",
        "etag",
        "event id",
        "group id",
        "hash",
        "href",
        "icon url",
        "idempotency key",
        "indexed at",
        "is deleted",
        "lastmodified",
        "lastmodifieddate",
        "links",
        "message id",
        "meta",
        "metadata",
        "modified",
        "modified by",
        "modified by id",
        "offset",
        "page",
        "photo url",
        "avatar url",
        "rev",
        "revision",
        "request id",
        "schema",
        "schema version",
        "self",
        "sequence",
        "session id",
        "span id",
        "tenant",
        "tenant id",
        "timestamp",
        "trace id",
        "transaction id",
        "ts",
        "updated",
        "updated by",
        "updated by id",
        "updatedat",
        "createdat",
        "uri",
        "url",
        "v",
        "version",
        "workspace id",
    ];
    const STORED: &[&str] = &[
        "changed", "created", "create", "exported", "fetched", "imported", "inserted", "modified",
        "synced", "update", "updated", "ingested",
    ];
    const WHEN: &[&str] = &["at", "date", "on", "time", "timestamp"];
    let name = words.join(" ");
    let is_stamp = match words {
        [what, when] => is_one_of(STORED, what) && is_one_of(WHEN, when),
        [last, what, ..] if last == "last" => is_one_of(STORED, what),
        _ => false,
    };
    is_stamp || NAMES.contains(&name.as_str())
}

/// The words before `id`, where a field refers to another record: "account" of `account_id`.
pub(super) fn reference_stem(words: &[String]) -> Option<&[String]> {
    const NO_RECORDS: &[&str] = &["tax", "vat", "national", "external", "passport", "license"];
    let (last, stem) = words.split_last()?;
    let refers = matches!(
        last.as_str(),
        "id" | "ids" | "uuid" | "guid" | "ref" | "refs"
    );
    let is_record = stem.last().is_some_and(|stem| !is_one_of(NO_RECORDS, stem));
    (refers && is_record).then_some(stem)
}

/// Whether a field inside of an object says since when the relation to it holds.
pub(super) fn is_since(words: &[String]) -> bool {
    const NAMES: &[&str] = &[
        "since",
        "start",
        "start date",
        "started at",
        "started on",
        "from",
        "from date",
        "valid from",
        "joined at",
        "joined on",
        "begin",
        "begin date",
    ];
    NAMES.contains(&words.join(" ").as_str())
}

/// Whether a field inside of an object says until when the relation to it holds.
pub(super) fn is_until(words: &[String]) -> bool {
    const NAMES: &[&str] = &[
        "until",
        "end",
        "end date",
        "ended at",
        "ended on",
        "to",
        "to date",
        "valid to",
        "valid until",
        "left at",
        "left on",
    ];
    NAMES.contains(&words.join(" ").as_str())
}

fn is_one_of(names: &[&str], word: &str) -> bool {
    names.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names() {
        for (name, expected) in [
            ("creditLimit", "credit limit"),
            ("credit_limit", "credit limit"),
            ("Credit limit", "credit limit"),
            ("customerID", "customer id"),
            ("URLPath", "url path"),
            ("__v", "v"),
            ("line2Address", "line2 address"),
            ("größe", "größe"),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn storage_is_not_subject() {
        for name in [
            "updatedAt",
            "created_at",
            "lastModifiedDate",
            "etag",
            "__v",
            "version",
        ] {
            assert!(is_bookkeeping(&words(name)), "{name}");
        }
        for name in [
            "close_date",
            "plan",
            "installed_at",
            "last_name",
            "renewal_date",
        ] {
            assert!(!is_bookkeeping(&words(name)), "{name}");
        }
    }

    #[test]
    fn references() {
        let stem = |name: &str| reference_stem(&words(name)).map(|stem| stem.join(" "));
        assert_eq!(stem("account_id").as_deref(), Some("account"));
        assert_eq!(stem("accountOwnerId").as_deref(), Some("account owner"));
        assert_eq!(stem("id"), None);
        assert_eq!(stem("tax_id"), None);
        assert_eq!(stem("paid"), None);
    }

    #[test]
    fn the_ontology_has_the_spelling() {
        let ontology: Ontology =
            serde_json::from_str(r#"{"relations":{"worksAt":{},"PLAN":{}}}"#).unwrap();
        assert_eq!(relation(&words("works_at"), &ontology), "worksAt");
        assert_eq!(relation(&words("plan"), &ontology), "PLAN");
        assert_eq!(relation(&words("jobTitle"), &ontology), "JOB_TITLE");
    }
}
