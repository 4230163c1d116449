//! One self-contained HTML page.

use std::fmt::Write;

use tlslab_text::html as escaped;

use crate::model::{Change, Comparison, Outcome, Verdict};

use super::markdown::how;
use super::plot::strip;
use super::sentence;
use super::terminal::missing;
use super::words::{cell, figure, metric, reasons, verdict, with_interval};

/// How many functions a row names.
const REASONS: usize = 5;

/// The page: the sentence, what is flagged, the rest folded, and how it was measured. Each row shows every observation.
pub fn html(comparison: &Comparison) -> String {
    let said = escaped(&sentence(comparison));
    let highlighted = comparison.highlighted();
    let rest = comparison.others();
    let mut body = format!("<h1>{said}</h1>\n");
    // Writing to a string cannot fail.
    if !highlighted.is_empty() {
        let _ = write!(body, "<h2>What changed</h2>\n{}", table(comparison, &highlighted));
    }
    if !rest.is_empty() {
        let open = if highlighted.is_empty() { " open" } else { "" };
        let _ = write!(
            body,
            "<details{open}><summary>all other cells ({})</summary>\n{}</details>\n",
            rest.len(),
            table(comparison, &rest)
        );
    }
    let _ = write!(body, "<h2>How it was measured</h2>\n<ul>\n");
    for line in how(comparison, str::to_owned, |name| format!("`{name}`")).lines() {
        let _ = writeln!(body, "<li>{}</li>", escaped(line.trim_start_matches("- ")));
    }
    let _ = write!(
        body,
        "</ul>\n<p>Dots: rounds of new processes, or seeds, the earliest at the top. Bar: the interval. Shaded: below the \
         floor.</p>\n"
    );
    page("tlslab: what changed", &body)
}

/// A page with this body.
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escaped(title),
        include_str!("../../assets/comparison.css")
    )
}

fn table(comparison: &Comparison, changes: &[&Change]) -> String {
    let mut text = "<div class=\"scroll\"><table>\n<thead><tr><th>cell</th><th>metric</th><th>change</th><th>verdict</th>\
                    <th>observations</th><th>baseline</th><th>candidate</th></tr></thead>\n<tbody>\n"
        .to_owned();
    for change in changes {
        text += &row(comparison, change);
    }
    text + "</tbody>\n</table></div>\n"
}

fn row(comparison: &Comparison, change: &Change) -> String {
    let name = escaped(&cell(comparison, change));
    let of = metric(change.metric);
    match &change.outcome {
        Outcome::Compared(effect) => {
            let class = match effect.verdict {
                Verdict::Regression => "worse",
                Verdict::Improvement => "better",
                _ => "",
            };
            let functions = match reasons(effect, REASONS) {
                reasons if reasons.is_empty() => String::new(),
                reasons => {
                    format!("<tr class=\"functions\"><td colspan=\"7\">{}</td></tr>\n", escaped(&reasons))
                }
            };
            format!(
                "<tr><td>{name}</td><td>{of}</td><td class=\"number\">{}</td><td class=\"{class}\">{}</td>\
                 <td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n{functions}",
                with_interval(effect),
                escaped(&verdict(effect)),
                if effect.ratios.is_empty() { String::new() } else { strip(effect) },
                figure(effect.base, change.metric),
                figure(effect.new, change.metric),
            )
        }
        Outcome::Missing { base_missing, new_missing } => {
            let why = escaped(&missing(base_missing.as_deref(), new_missing.as_deref()));
            format!(
                "<tr><td>{name}</td><td>{of}</td><td></td><td>{why}</td><td></td><td></td><td></td></tr>\n"
            )
        }
    }
}
