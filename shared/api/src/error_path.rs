//! What serde says of a wrong value becomes a problem that names the field from the root of the
//! request, also where serde only names it in its text (a missing or an unknown field).

use crate::Problem;

/// The problem of an error at a path (`.` is the root).
pub(crate) fn problem_at(path: &str, message: &str) -> Problem {
    let message = without_position(message);
    let outer = if path == "." { "" } else { path };
    if let Some(name) = quoted_after(message, "missing field `") {
        return Problem::invalid_field(joined(outer, name), "is needed");
    }
    if let Some(name) = quoted_after(message, "unknown field `") {
        let known = message
            .split_once("expected ")
            .map(|(_, known)| known.replace('`', ""));
        let text = match known {
            Some(known) => format!("is no field here; there is {known}"),
            None => "is no field here".to_owned(),
        };
        // Depending on the format the path may or may not hold the unknown field already.
        let outer = outer
            .strip_suffix(name)
            .map_or(outer, |rest| rest.trim_end_matches('.'));
        return Problem::invalid_field(joined(outer, name), text);
    }
    if outer.is_empty() {
        return Problem::malformed(message);
    }
    Problem::invalid_field(outer, message)
}

fn joined(outer: &str, name: &str) -> String {
    if outer.is_empty() {
        name.to_owned()
    } else {
        format!("{outer}.{name}")
    }
}

fn quoted_after<'m>(message: &'m str, start: &str) -> Option<&'m str> {
    let rest = message.strip_prefix(start)?;
    rest.split_once('`').map(|(name, _)| name)
}

/// Serde's text without "at line 1 column 7", which says little where the field is named.
fn without_position(message: &str) -> &str {
    message
        .rfind(" at line ")
        .map_or(message, |start| &message[..start])
}
