//! Rejects numbers beyond any measurement: rendered, they have hundreds of digits or read "infinite".

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The largest figure that is read: a thousand years in ns are 3e19.
pub(crate) const LARGEST: f64 = 1e18;

/// Any value in which every number with a fraction or an exponent is one that can be measured.
pub(crate) struct Measurable;

impl<'de> Deserialize<'de> for Measurable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Looking)
    }
}

struct Looking;

impl<'de> Visitor<'de> for Looking {
    type Value = Measurable;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Measurable, E> {
        Ok(Measurable)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Measurable, E> {
        Ok(Measurable)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Measurable, E> {
        Ok(Measurable)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Measurable, E> {
        match number.abs() <= LARGEST {
            true => Ok(Measurable),
            false => Err(E::custom(format!("{number:e} is more than any measurement gives"))),
        }
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Measurable, E> {
        Ok(Measurable)
    }

    fn visit_unit<E: Error>(self) -> Result<Measurable, E> {
        Ok(Measurable)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Measurable, A::Error> {
        while list.next_element::<Measurable>()?.is_some() {}
        Ok(Measurable)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Measurable, A::Error> {
        while map.next_entry::<IgnoredAny, Measurable>()?.is_some() {}
        Ok(Measurable)
    }
}
