//! The report as one page.

use crate::model::Report;

/// The report as one page of HTML that needs nothing else.
pub fn html(report: &Report) -> String {
    let text = super::terminal(report, 120, false);
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<!doctype html><meta charset=\"utf-8\"><title>tlslab</title><pre>{text}</pre>\n")
}
