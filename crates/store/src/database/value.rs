//! Values of statements and rows.

/// One value, whichever the database.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Null.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

/// One row of an answer.
#[derive(Debug)]
pub struct Row(pub Vec<Value>);

impl Row {
    /// The value of a column, from 0.
    pub fn get<T: FromValue>(&self, column: usize) -> Result<T, String> {
        let value = self.0.get(column).ok_or_else(|| format!("there is no column {column}"))?;
        T::from_value(value).ok_or_else(|| {
            format!("column {column} has {value:?}, which is not a valid {}", std::any::type_name::<T>())
        })
    }

    /// A column of JSON.
    pub fn parsed<T: serde::de::DeserializeOwned>(&self, column: usize) -> Result<T, String> {
        let text: String = self.get(column)?;
        serde_json::from_str(&text).map_err(|cause| format!("column {column}: {cause}"))
    }
}

/// Types that can be read from a column.
pub trait FromValue: Sized {
    /// The value as this type, if it has that type.
    fn from_value(value: &Value) -> Option<Self>;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl From<$type> for Value {
            /// Everything that the lab records is far below 2^63; larger numbers become the largest one.
            fn from(number: $type) -> Self {
                Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
            }
        }

        impl FromValue for $type {
            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    Value::Integer(number) => Self::try_from(*number).ok(),
                    _ => None,
                }
            }
        }
    )*};
}

integers!(i64, u64, u32, usize);

impl From<bool> for Value {
    fn from(is: bool) -> Self {
        Value::Integer(i64::from(is))
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Value::Real(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        // PostgreSQL has no text with a NUL in it.
        Value::Text(if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text })
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        text.clone().into()
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Value::Blob(bytes)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl FromValue for bool {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Integer(number) => Some(*number != 0),
            _ => None,
        }
    }
}

impl FromValue for f64 {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Real(number) => Some(*number),
            // SQLite may store a whole number as an integer.
            Value::Integer(number) => Some(*number as f64),
            _ => None,
        }
    }
}

impl FromValue for String {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Blob(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

/// As text for a column. Records are plain data with text keys, which always serialise.
pub fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("records serialise")
}

/// Values of several types in one list.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::database::value::Value::from($value)),*] };
}
pub(crate) use values;
