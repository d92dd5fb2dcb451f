//! Names of fields as names of relations, and names of relations as words.

/// `creditLimit` → `CREDIT_LIMIT`, `renews-on` → `RENEWS_ON`, `HTTPStatus` → `HTTP_STATUS`.
pub fn upper_snake(field: &str) -> String {
    let characters: Vec<char> = field.chars().collect();
    let mut name = String::with_capacity(field.len() + 4);
    for (index, &c) in characters.iter().enumerate() {
        if !c.is_alphanumeric() {
            if !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
            continue;
        }
        let before = index.checked_sub(1).map(|before| characters[before]);
        let begins_word = c.is_uppercase()
            && before.is_some_and(|before| {
                let after_is_lower = characters.get(index + 1).is_some_and(|c| c.is_lowercase());
                before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase() && after_is_lower)
            });
        if begins_word && !name.ends_with('_') {
            name.push('_');
        }
        name.extend(c.to_uppercase());
    }
    name.trim_end_matches('_').to_owned()
}

/// `WORKS_AT` → `works at`.
pub fn spoken(relation: &str) -> String {
    relation.to_lowercase().replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_become_relations() {
        for (field, relation) in [
            ("creditLimit", "CREDIT_LIMIT"),
            ("newsLetter", "NEWS_LETTER"),
            ("email", "EMAIL"),
            ("renews-on", "RENEWS_ON"),
            ("HTTPStatus", "HTTP_STATUS"),
            ("line2Address", "LINE2_ADDRESS"),
            ("_id", "ID"),
            ("größe", "GRÖSSE"),
        ] {
            assert_eq!(upper_snake(field), relation);
        }
        assert_eq!(spoken("WORKS_AT"), "works at");
    }
}
