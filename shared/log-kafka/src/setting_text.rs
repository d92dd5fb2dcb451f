//! Settings that are text and may look like something else: an instance that is called `0` comes from
//! the environment as a number.

use serde::{Deserialize, Deserializer};

/// Text, or what a reader of settings took for something else.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Number(i64),
    Truth(bool),
}

impl From<Written> for String {
    fn from(written: Written) -> Self {
        match written {
            Written::Text(text) => text,
            Written::Number(number) => number.to_string(),
            Written::Truth(truth) => truth.to_string(),
        }
    }
}

/// Reads a text.
pub(crate) fn text<'de, D: Deserializer<'de>, T: From<String>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Written::deserialize(deserializer).map(|written| T::from(written.into()))
}

#[cfg(test)]
mod tests {
    use crate::KafkaConfig;

    #[test]
    fn a_name_that_looks_like_a_number_is_a_name() {
        let written = serde_json::json!({
            "instance": 0, "namespace": true, "registry_password": 12345,
            "settings": {"sasl.password": 678},
        });
        let config: KafkaConfig = serde_json::from_value(written).unwrap();
        assert_eq!(
            (config.instance.as_str(), config.namespace.as_str()),
            ("0", "true")
        );
        assert_eq!(config.registry_password.unwrap().reveal(), "12345");
        assert_eq!(config.settings["sasl.password"].reveal(), "678");
    }
}
