//! One axis as written in a file.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// One value or a list of values.
pub(crate) struct Axis<T>(pub Vec<T>);

impl<T: Default> Default for Axis<T> {
    fn default() -> Self {
        Self(vec![T::default()])
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Axis<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Untagged enums hide the reason why a value was rejected, so the form is decided by hand.
        struct Either<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> serde::de::Visitor<'de> for Either<T> {
            type Value = Axis<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a value or a list of values")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Axis<T>, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(Axis(values))
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Axis<T>, A::Error> {
                let value = T::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                Ok(Axis(vec![value]))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Axis<T>, E> {
                T::deserialize(serde::de::value::StrDeserializer::new(text)).map(|value| Axis(vec![value]))
            }

            fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Axis<T>, E> {
                T::deserialize(serde::de::value::BoolDeserializer::new(value)).map(|value| Axis(vec![value]))
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Axis<T>, E> {
                T::deserialize(serde::de::value::I64Deserializer::new(number)).map(|value| Axis(vec![value]))
            }
        }
        deserializer.deserialize_any(Either(std::marker::PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Axis<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}Axis", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}
