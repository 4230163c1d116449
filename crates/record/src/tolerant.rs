//! Tolerant reading: a value in a former format becomes unknown.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The value if it has the current format, else the default.
///
/// # Errors
/// Fails if the text is not JSON.
pub fn tolerant<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(from: D) -> Result<T, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).unwrap_or_default())
}
