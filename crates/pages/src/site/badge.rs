//! Badges: a label and a message as SVG, for README files.

use serde::{Deserialize, Serialize};
use tlslab_text::html as escaped;

/// A badge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Badge {
    /// Its subject.
    pub label: String,
    /// Its message.
    pub message: String,
    /// `good`, `regression`, `failed`, `warning` or `quiet`.
    pub mark: String,
}

/// Widths of text of 11 px, in tenths of a pixel: an upper bound for fonts without serifs.
const LETTER: usize = 68;

/// The badge as SVG. Its sign has the meaning of its colour.
#[must_use]
pub fn badge(badge: &Badge) -> String {
    let (sign, colour) = match badge.mark.as_str() {
        "good" => ("✓", "#006585"),
        "regression" => ("▲", "#a83200"),
        "failed" => ("✕", "#a50f3c"),
        "warning" => ("!", "#7a5000"),
        _ => ("○", "#4f5967"),
    };
    let message = format!("{sign} {}", badge.message);
    let width = |text: &str| text.chars().count() * LETTER / 10 + 12;
    let (left, right) = (width(&badge.label), width(&message));
    let [label, message] = [&badge.label, &message].map(|text| escaped(text));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"20\" role=\"img\" aria-label=\"{label}: {message}\">\
         <title>{label}: {message}</title>\
         <rect width=\"{whole}\" height=\"20\" rx=\"3\" fill=\"{colour}\"/><path d=\"M3 0H{left}V20H3A3 3 0 0 1 0 17V3A3 3 0 0 1 3 0\" fill=\"#2b323c\"/>\
         <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\" text-anchor=\"middle\">\
         <text x=\"{}\" y=\"14\">{label}</text><text x=\"{}\" y=\"14\">{message}</text></g></svg>\n",
        left / 2,
        left + right / 2,
        whole = left + right,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_badge_has_its_words_and_a_sign() {
        let made = badge(&Badge {
            label: "rustls/ring <1>".to_owned(),
            message: "+1.4 %".to_owned(),
            mark: "regression".to_owned(),
        });
        assert!(made.contains("<title>rustls/ring &lt;1&gt;: ▲ +1.4 %</title>"), "{made}");
        assert!(made.contains("fill=\"#a83200\""), "{made}");
    }
}
