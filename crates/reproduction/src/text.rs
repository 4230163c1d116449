//! Figures in the document's own format, for scripts that read it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use tlslab_estimate::{Report, Stack};

use crate::figure::Wanted;
use crate::model::Here;
use crate::names::{Metrics, Named, Sides, UnitOf};
use crate::parts::{Published, Quantity, text};

/// A file: blocks of text for every stack of a run.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextOf {
    /// The file's name.
    pub name: String,
    /// The run.
    pub measurement: String,
    /// The stacks of the run that it has; all where none is named.
    #[serde(default)]
    pub stacks: Vec<String>,
    /// The beginning: `{uname}` is the host's system.
    #[serde(default)]
    pub begin: String,
    /// The end: `{real}` is how long it was measured, as the shell's `time` writes it.
    #[serde(default)]
    pub end: String,
    pub blocks: Vec<BlockOf>,
}

/// A head, and a text for every row of a set of published figures.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BlockOf {
    /// The set of published figures that defines its rows.
    pub published: String,
    /// The text before the rows; `{stack}` and `{version}` are the stack's.
    pub head: String,
    /// A row; words in braces are its entries and figures, and `{size:11}` is filled up to 11 characters.
    pub row: String,
    /// The text after the rows.
    #[serde(default)]
    pub tail: String,
    /// The figures of a row, by their placeholders.
    pub figures: BTreeMap<String, FigureOf>,
}

/// A figure in a text.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FigureOf {
    pub unit: UnitOf,
    pub scenario: String,
    pub side: Named<Sides>,
    #[serde(default = "time")]
    pub metric: Named<Metrics>,
    /// Digits after the point; as many as Python prints where none are named.
    #[serde(default)]
    pub digits: Option<usize>,
}

fn time() -> Named<Metrics> {
    Named::new("time")
}

impl TextOf {
    pub(crate) fn check(&self, published: &BTreeMap<String, Published>) -> Result<(), String> {
        for block in &self.blocks {
            let Some(set) = published.get(&block.published) else {
                return Err(format!("there is no set published.{}", block.published));
            };
            if let Some(name) = block.figures.keys().find(|name| set.column(name).is_some()) {
                return Err(format!(
                    "figure \"{name}\" is called like a column of published.{}; give it another name",
                    block.published
                ));
            }
        }
        if self.name.contains('/') || self.name.starts_with('.') {
            return Err("its name must be a file name without folders".to_owned());
        }
        Ok(())
    }

    /// The text with the figures of a run's report. `words` are the names of the document's words in
    /// scenarios.
    pub(crate) fn describe(
        &self,
        words: &BTreeMap<String, String>,
        published: &BTreeMap<String, Published>,
        report: &Report,
    ) -> String {
        let system = &report.host.system;
        let kernel = system.kernel.as_deref().unwrap_or("unknown");
        let uname = match kernel.starts_with("Linux") {
            true => kernel.to_owned(),
            false => format!("Linux {kernel}"),
        };
        let mut described = filled(&self.begin, &[("uname".to_owned(), uname)].into());
        let is_wanted = |stack: &&Stack| self.stacks.is_empty() || self.stacks.contains(&stack.name);
        for stack in report.stacks.iter().filter(is_wanted) {
            for block in &self.blocks {
                described += &block.describe(words, &published[&block.published], report, stack);
            }
        }
        let real = shell_time(report.run.measuring_s);
        described + &filled(&self.end, &[("real".to_owned(), real)].into())
    }
}

impl BlockOf {
    fn describe(
        &self,
        called_in_scenarios: &BTreeMap<String, String>,
        set: &Published,
        report: &Report,
        stack: &Stack,
    ) -> String {
        // A runtime's version names the library below it after "with".
        let version = stack.library().map_or("unknown", |library| &library.version);
        let version = version.split_once(" with ").map_or(version, |(_, below)| below);
        let of_stack = [("stack", stack.name.as_str()), ("version", version)];
        let of_stack = of_stack.map(|(word, part)| (word.to_owned(), part.to_owned()));
        let mut described = filled(&self.head, &of_stack.into());
        for row in &set.rows {
            let mut words: BTreeMap<String, String> =
                set.columns.iter().cloned().zip(row.iter().map(text)).collect();
            let called = |(name, word): (&String, &String)| {
                (name.clone(), called_in_scenarios.get(word).unwrap_or(word).clone())
            };
            let in_names: BTreeMap<String, String> = words.iter().map(called).collect();
            for (word, figure) in &self.figures {
                words.insert(word.clone(), figure.text(&in_names, report, &stack.name));
            }
            described += &filled(&self.row, &words);
        }
        described + &self.tail
    }
}

impl FigureOf {
    /// The figure of a row, with entries `words` as in scenarios.
    fn text(&self, words: &BTreeMap<String, String>, report: &Report, stack: &str) -> String {
        let quantity = Quantity {
            stack: None,
            scenario: self.scenario.clone(),
            side: self.side.clone(),
            metric: self.metric.clone(),
            times: None,
        };
        match (Wanted::of(&quantity, words, stack).here(report, Some(self.unit.symbol())), self.digits) {
            (Here::Figure(figure), None) => python(figure.value),
            (Here::Figure(figure), Some(digits)) => format!("{:.digits$}", figure.value),
            (Here::Hole { hole }, _) => hole,
        }
    }
}

/// Replaces `{word}` and `{word:width}` by words; other text is unchanged.
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
