//! Next steps after reading a report: method, repetition, further commands.

use tlslab_estimate::Report;
use tlslab_text::clean;

/// Where that is.
#[derive(Clone, Debug, Default)]
pub struct Further {
    /// The page with method and policy, if it exists.
    pub page: Option<String>,
    /// The command that measures the run again, if it is known.
    pub repeat: Option<String>,
}

impl Further {
    /// The last lines of a report.
    pub(super) fn lines(&self, report: &Report) -> Vec<String> {
        let run = clean(&report.run.id);
        let method = match &self.page {
            Some(page) => format!("method, policy, proof: {page}#method"),
            None => format!("method, policy: `tlslab report {run} --format markdown`"),
        };
        let repeat = self.repeat.iter().map(|command| format!("repeat: `{}`", clean(command)));
        let next = format!(
            "next: `tlslab anomalies {run}` lists what looks wrong, `tlslab site public` makes pages of all runs"
        );
        std::iter::once(method).chain(repeat).chain([next]).collect()
    }
}

/// A stack with its library's version, unless its name contains it; any other name unchanged.
pub(super) fn with_version(report: &Report, name: &str) -> String {
    let stack = report.stacks.iter().find(|stack| clean(&stack.name) == name);
    match stack.and_then(|stack| stack.library()).map(|library| clean(&library.version)) {
        Some(version) if !version.is_empty() && !name.contains(&version) => format!("{name} {version}"),
        _ => name.to_owned(),
    }
}
