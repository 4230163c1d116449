//! Text that is markup already, and data within a page.

use std::fmt;

use askama::filters::HtmlSafe;
use serde::Serialize;

/// Markup that a template does not escape again. Text from outside was escaped when this was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Markup of the lab's own.
    #[must_use]
    pub fn markup(text: String) -> Self {
        Self(text)
    }

    /// Text from outside, escaped.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self(tlslab_text::html(text))
    }

    /// The HTML of a template.
    ///
    /// # Panics
    /// Never with the templates of this crate: writing to a string cannot fail, and they have no failing
    /// filter.
    #[must_use]
    pub fn of(template: &impl askama::Template) -> Self {
        Self(template.render().expect("the template renders"))
    }

    /// The markup.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for Html {}

/// JSON inside a script element: nothing in it can end that element.
///
/// # Panics
/// If the value does not serialise: keys that are no text. The lab's models have none.
pub(crate) fn json(value: &impl Serialize) -> Html {
    let text = serde_json::to_string(value).expect("a model serialises");
    Html(text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026"))
}
