//! The parameters of a query string. An unknown one is refused like an unknown field, and so is one
//! that is given without a value.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::{DeserializeOwned, Error, value::MapDeserializer};
use serde::{Deserializer, de};

use crate::Problem;
use crate::error_path::problem_at;

/// The parameters. `T` refuses unknown ones itself (`#[serde(deny_unknown_fields)]`).
#[derive(Debug, Clone)]
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        from_query(parts.uri.query().unwrap_or_default()).map(Self)
    }
}

/// Reads a query string; the problem names the parameter.
pub fn from_query<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(query)
        .map_err(|_| Problem::malformed("the parameters after '?' can't be read"))?;
    if let Some((name, _)) = pairs
        .iter()
        .find(|(name, text)| text.is_empty() && !name.is_empty())
    {
        return Err(Problem::invalid_field(
            name.clone(),
            "is empty; give it a value or leave it out",
        ));
    }
    let pairs = pairs
        .into_iter()
        .map(|(name, text)| (name, Parameter(text)));
    let map = MapDeserializer::<_, de::value::Error>::new(pairs);
    serde_path_to_error::deserialize(map).map_err(|error| {
        let path = error.path().to_string();
        problem_at(&path, &error.into_inner().to_string())
    })
}

/// The text of a parameter as the type that is asked for.
struct Parameter(String);

macro_rules! parsed {
    ($($method:ident, $visit:ident, $type:ty, $what:literal;)*) => {
        $(fn $method<V: de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            match self.0.parse::<$type>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(Self::Error::custom(concat!("must be ", $what))),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Parameter {
    type Error = de::value::Error;

    fn deserialize_any<V: de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_string(self.0)
    }

    fn deserialize_option<V: de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: de::Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: de::Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        let text: de::value::StringDeserializer<Self::Error> =
            de::IntoDeserializer::into_deserializer(self.0);
        text.deserialize_enum(name, variants, visitor)
    }

    parsed! {
        deserialize_bool, visit_bool, bool, "true or false";
        deserialize_u32, visit_u32, u32, "a whole number from 0";
        deserialize_u64, visit_u64, u64, "a whole number from 0";
        deserialize_i64, visit_i64, i64, "a whole number";
        deserialize_f32, visit_f32, f32, "a number";
        deserialize_f64, visit_f64, f64, "a number";
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u128 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl<'de> de::IntoDeserializer<'de, de::value::Error> for Parameter {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
