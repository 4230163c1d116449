//! A stack in a request: `[NAME=]STACK`.

use crate::RecipeError;
use crate::spec::Spec;

/// A stack that a request names, perhaps with a name of its own in results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackRequest {
    /// Its name, if it was given one.
    pub alias: Option<String>,
    /// The stack.
    pub spec: Spec,
}

impl StackRequest {
    /// Reads a request's text.
    ///
    /// # Errors
    /// Fails if the text is not a stack.
    pub fn parse(text: &str) -> Result<Self, RecipeError> {
        // An equals sign may belong to the stack: `rustls/ring,ring=0.17.8` has no other name.
        let (alias, stack) = match text.split_once('=') {
            Some((alias, stack)) if !alias.contains(['@', ',', '+', ':', '#']) => {
                (Some(alias.to_owned()), stack)
            }
            _ => (None, text),
        };
        Ok(Self { alias, spec: Spec::parse(stack)? })
    }

    /// Its name in results.
    pub fn name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.spec.text)
    }

    /// The same request for another stack, by its text.
    pub fn with_stack(&self, stack: &str) -> String {
        self.alias.as_ref().map_or_else(|| stack.to_owned(), |alias| format!("{alias}={stack}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_before_a_stack() {
        let parse = |text| StackRequest::parse(text).unwrap();
        let named = parse("old=rustls/ring@0.23.40,ring=0.17.8");
        assert_eq!((named.name(), &*named.spec.text), ("old", "rustls/ring@0.23.40,ring=0.17.8"));
        assert_eq!(named.with_stack("x"), "old=x");
        let plain = parse("rustls/ring,ring=0.17.8");
        assert_eq!((plain.alias.as_deref(), plain.name()), (None, "rustls/ring,ring=0.17.8"));
        assert_eq!(parse("=x").alias.as_deref(), Some(""));
        assert!(StackRequest::parse("old=").is_err());
    }
}
