//! A statement's conditions, built from filters.

use crate::database::value::Value;

/// Conditions that must all hold, with their values.
#[derive(Default)]
pub(crate) struct Conditions {
    texts: Vec<String>,
    pub values: Vec<Value>,
}

impl Conditions {
    /// Adds a value, and returns its name in the statement.
    pub(crate) fn value(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }

    /// Adds a condition if there is a value for it; `{}` in it is the value.
    pub(crate) fn add(&mut self, text: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            let name = self.value(value);
            self.texts.push(text.replace("{}", &name));
        }
    }

    /// Adds a condition without a value.
    pub(crate) fn require(&mut self, text: &str) {
        self.texts.push(text.to_owned());
    }

    /// Adds the condition that a row comes after one with this time and this id, from the newest to the
    /// oldest.
    pub(crate) fn after(&mut self, columns: &str, at_unix_ms: u64, id: &str) {
        let [at, id] = [self.value(at_unix_ms), self.value(id)];
        self.texts.push(format!("({columns}) < ({at}, {id})"));
    }

    /// The text for a statement.
    pub(crate) fn text(&self) -> String {
        match self.texts.is_empty() {
            true => String::new(),
            false => format!("WHERE {}", self.texts.join(" AND ")),
        }
    }
}
