//! Tolerant reading: a value that an earlier version recorded in another shape becomes unknown.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The value if it has the present shape, else the default.
///
/// # Errors
/// Text that is not JSON at all.
pub fn tolerant<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(from: D) -> Result<T, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).unwrap_or_default())
}
