//! A path: `$` or `@`, then `.name`, `["any name"]` and `[0]`. It finds one value or none; `null` and
//! `""` are none.

use serde_json::Value;

/// Where a path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// `$`: the raw record.
    Record,
    /// `@`: what a relation's key found.
    Found,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Member(String),
    Element(usize),
}

/// A path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    root: Root,
    steps: Vec<Step>,
}

/// What paths are followed in.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'r> {
    /// The raw record.
    pub record: &'r Value,
    /// What a relation's key found, inside a relation.
    pub found: Option<&'r Value>,
}

impl Path {
    /// The whole record.
    pub fn record() -> Self {
        Self {
            root: Root::Record,
            steps: Vec::new(),
        }
    }

    /// Reads a path that is all of a text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (path, rest) = Self::parse_start(text)?;
        if rest.is_empty() {
            return Ok(path);
        }
        Err(format!("'{text}' is no path from '{rest}' on"))
    }

    /// Reads a path that a text starts with, as far as it goes; the rest is given back.
    pub fn parse_start(text: &str) -> Result<(Self, &str), String> {
        let (root, mut rest) = if let Some(rest) = text.strip_prefix('$') {
            (Root::Record, rest)
        } else if let Some(rest) = text.strip_prefix('@') {
            (Root::Found, rest)
        } else {
            return Err(format!("'{text}' is no path: it starts with $ or @"));
        };
        let mut steps = Vec::new();
        loop {
            if let Some(after) = rest.strip_prefix('.') {
                let end = after
                    .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
                    .unwrap_or(after.len());
                if end == 0 {
                    return Err(format!("'{text}' has no name after a '.'"));
                }
                steps.push(Step::Member(after[..end].to_owned()));
                rest = &after[end..];
            } else if rest.starts_with("[\"") {
                let mut names = serde_json::Deserializer::from_str(&rest[1..]).into_iter();
                let name: String = match names.next() {
                    Some(Ok(name)) => name,
                    _ => return Err(format!("'{text}' has no name in [\"…\"]")),
                };
                let after = &rest[1 + names.byte_offset()..];
                let Some(after) = after.strip_prefix(']') else {
                    return Err(format!("'{text}' lacks a ']'"));
                };
                steps.push(Step::Member(name));
                rest = after;
            } else if let Some((number, after)) = index(rest) {
                steps.push(Step::Element(number));
                rest = after;
            } else {
                return Ok((Self { root, steps }, rest));
            }
        }
    }

    /// Where it starts.
    pub fn root(&self) -> Root {
        self.root
    }

    /// The field of the record that it passes through.
    pub fn top_field(&self) -> Option<&str> {
        match (self.root, self.steps.first()) {
            (Root::Record, Some(Step::Member(name))) => Some(name),
            _ => None,
        }
    }

    /// What is there.
    pub fn find<'r>(&self, scene: Scene<'r>) -> Option<&'r Value> {
        let start = match self.root {
            Root::Record => Some(scene.record),
            Root::Found => scene.found,
        };
        let value = self
            .steps
            .iter()
            .try_fold(start?, |value, step| match step {
                Step::Member(name) => value.get(name),
                Step::Element(index) => value.get(index),
            })?;
        present(value)
    }
}

/// The value, unless it counts as missing.
pub fn present(value: &Value) -> Option<&Value> {
    let missing = value.is_null() || value.as_str() == Some("");
    (!missing).then_some(value)
}

fn index(text: &str) -> Option<(usize, &str)> {
    let (number, rest) = text.strip_prefix('[')?.split_once(']')?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((digits.then(|| number.parse().ok())??, rest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_find_members_and_elements() {
        let record = json!({"a-b": {"c d": [1, {"e]": "x"}]}, "n": null, "s": "", "z": 0});
        let scene = Scene {
            record: &record,
            found: None,
        };
        let find = |path: &str| Path::parse(path).unwrap().find(scene).cloned();
        assert_eq!(find(r#"$.a-b["c d"][1]["e]"]"#), Some(json!("x")));
        assert_eq!(find("$.z"), Some(json!(0)));
        for missing in ["$.n", "$.s", "$.a-b.x", "$.z.y", "$.a-b[0]", "@", "@.x"] {
            assert_eq!(find(missing), None, "{missing}");
        }
        assert_eq!(find("$"), Some(record.clone()));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for bad in [
            "", "a", "$.", "$..a", "$[", "$[x]", "$[*]", "$.a b", "$[\"a\"", "$[\"a]",
        ] {
            assert!(Path::parse(bad).is_err(), "{bad}");
        }
    }
}
