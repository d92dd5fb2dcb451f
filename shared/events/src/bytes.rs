//! Byte strings as Avro `bytes` (serde would write a `Vec<u8>` as an array of numbers).

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;

pub fn serialize<S: Serializer>(value: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(value)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    struct Bytes;
    impl Visitor<'_> for Bytes {
        type Value = Vec<u8>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes")
        }
        fn visit_bytes<E: Error>(self, value: &[u8]) -> Result<Vec<u8>, E> {
            Ok(value.to_vec())
        }
        fn visit_byte_buf<E: Error>(self, value: Vec<u8>) -> Result<Vec<u8>, E> {
            Ok(value)
        }
    }
    deserializer.deserialize_byte_buf(Bytes)
}

/// The same for what may be missing.
pub mod optional {
    use serde::de::Deserializer;
    use serde::ser::Serializer;
    use serde::{Deserialize, Serialize};

    struct Bytes<B>(B);

    impl Serialize for Bytes<&[u8]> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            super::serialize(self.0, serializer)
        }
    }

    impl<'de> Deserialize<'de> for Bytes<Vec<u8>> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            super::deserialize(deserializer).map(Self)
        }
    }

    pub fn serialize<S: Serializer>(
        value: &Option<Vec<u8>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_deref().map(Bytes).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Vec<u8>>, D::Error> {
        let value = Option::<Bytes<Vec<u8>>>::deserialize(deserializer)?;
        Ok(value.map(|Bytes(bytes)| bytes))
    }
}
