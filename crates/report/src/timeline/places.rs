//! Data of some points, by their places. JSON has text as keys; it is parsed as numbers here, because a
//! reader that buffers a value before it knows its type passes on text.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Reads a map by places.
///
/// # Errors
/// Fails if a key is not a number, or a value has the wrong type.
pub(crate) fn by_place<'de, D, T>(deserializer: D) -> Result<BTreeMap<usize, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let read = BTreeMap::<String, T>::deserialize(deserializer)?;
    let place = |key: &str| {
        key.parse().map_err(|_| D::Error::custom(format!("\"{key}\" is not the number of a point")))
    };
    read.into_iter().map(|(key, value)| Ok((place(&key)?, value))).collect()
}
