//! Figures in the document's own format, for scripts that read it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use tlslab_estimate::Report;

use crate::figure::Wanted;
use crate::model::Here;
use crate::parts::{Published, Quantity, text};

/// A block of text for every stack of a run: a head, and a line for every row of a set of published figures.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextOf {
    /// The file's name.
    pub name: String,
    /// The run.
    pub measurement: String,
    /// The set of published figures whose rows it has.
    pub published: String,
    /// What precedes all: `{uname}` is the host's system, `{version}` the first stack's.
    #[serde(default)]
    pub begin: String,
    /// What follows all: `{real}` is how long it was measured, as the shell's `time` writes it.
    #[serde(default)]
    pub end: String,
    /// What precedes the rows; `{stack}` and `{version}` are the stack's.
    pub head: String,
    /// A row; words in braces are its entries, `{value}` is the figure, and `{size:11}` is filled up to 11
    /// characters.
    pub row: String,
    /// What follows the rows.
    #[serde(default)]
    pub tail: String,
    pub unit: String,
    pub scenario: String,
    pub side: String,
    #[serde(default = "time")]
    pub metric: String,
}

fn time() -> String {
    "time".to_owned()
}

impl TextOf {
    pub(crate) fn check(&self, published: &BTreeMap<String, Published>) -> Result<(), String> {
        if !published.contains_key(&self.published) {
            return Err(format!("there is no set published.{}", self.published));
        }
        if self.name.contains('/') || self.name.starts_with('.') {
            return Err("its name must be a file name without folders".to_owned());
        }
        Ok(())
    }
}

impl TextOf {
    /// The text with the figures of a run's report. `words` is what words of the document are called in
    /// scenarios.
    pub(crate) fn describe(
        &self,
        words: &BTreeMap<String, String>,
        set: &Published,
        report: &Report,
    ) -> String {
        let called_in_scenarios = words;
        let system = &report.host.system;
        let kernel = system.kernel.as_deref().unwrap_or("unknown");
        let uname = match kernel.starts_with("Linux") {
            true => kernel.to_owned(),
            false => format!("Linux {kernel}"),
        };
        let mut described = filled(&self.begin, &[("uname".to_owned(), uname)].into());
        for stack in &report.stacks {
            // A runtime's version says behind "with" what is below it.
            let version = stack.library().map_or("unknown", |library| &library.version);
            let version = version.split_once(" with ").map_or(version, |(_, below)| below);
            let of_stack = [("stack", stack.name.as_str()), ("version", version)];
            described +=
                &filled(&self.head, &of_stack.map(|(word, part)| (word.to_owned(), part.to_owned())).into());
            for row in &set.rows {
                let mut words: BTreeMap<String, String> =
                    set.columns.iter().cloned().zip(row.iter().map(text)).collect();
                let called = |(name, word): (&String, &String)| {
                    (name.clone(), called_in_scenarios.get(word).unwrap_or(word).clone())
                };
                let in_names = words.iter().map(called).collect();
                let quantity = Quantity {
                    stack: None,
                    scenario: self.scenario.clone(),
                    side: self.side.clone(),
                    metric: self.metric.clone(),
                    times: None,
                };
                let value = match Wanted::of(&quantity, &in_names, &stack.name).here(report, Some(&self.unit))
                {
                    Here::Figure(figure) => python(figure.value),
                    Here::Hole { hole } => hole,
                };
                words.insert("value".to_owned(), value);
                described += &filled(&self.row, &words);
            }
            described += &self.tail;
        }
        let real = shell_time(report.run.measuring_s);
        described + &filled(&self.end, &[("real".to_owned(), real)].into())
    }
}

/// Puts words in the place of `{word}` and `{word:width}`; what is no word stays.
fn filled(template: &str, words: &BTreeMap<String, String>) -> String {
    let mut described = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let Some(close) = rest[open..].find('}').map(|at| open + at) else { break };
        let inside = &rest[open + 1..close];
        let (word, width) = inside.split_once(':').unwrap_or((inside, "0"));
        described += &rest[..open];
        match (words.get(word), width.parse::<usize>()) {
            (Some(part), Ok(width)) => described += &format!("{part:width$}"),
            _ => described += &rest[open..=close],
        }
        rest = &rest[close + 1..];
    }
    described + rest
}

/// As the shell's `time` writes it.
fn shell_time(seconds: f64) -> String {
    let minutes = (seconds / 60.0).floor();
    format!("{minutes:.0}m{:.3}s", seconds - 60.0 * minutes)
}

/// As Python writes a float: as short as it can be read back, with two digits of exponent below 0.0001.
fn python(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-4 {
        let text = format!("{value:e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        let power: i32 = power.parse().unwrap_or(0);
        return format!("{digits}e-{:02}", -power);
    }
    let text = format!("{value}");
    if text.contains('.') { text } else { text + ".0" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_as_python_writes_them() {
        // repr() of each.
        assert_eq!(python(2.0067691802978515e-06), "2.0067691802978515e-06");
        assert_eq!(python(0.0007588777542114258), "0.0007588777542114258");
        assert_eq!(python(1.5e-10), "1.5e-10");
        assert_eq!(python(2.0), "2.0");
    }

    #[test]
    fn a_time_is_written_as_the_shell_writes_it() {
        assert_eq!([993.872, 5.0].map(shell_time), ["16m33.872s", "0m5.000s"]);
    }

    #[test]
    fn words_are_filled_up_to_their_width() {
        let words =
            [("algorithm", "md5"), ("size", "8")].map(|(word, part)| (word.to_owned(), part.to_owned()));
        let described = filled("{algorithm:11}{size:4}|{other} {", &words.into());
        assert_eq!(described, "md5        8   |{other} {");
    }
}
