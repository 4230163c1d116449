//! The page of a scenario: its parameters, and the results of each stack.

use askama::Template;
use serde::{Deserialize, Serialize};
use tlslab_estimate::PairRatio;
use tlslab_text::number::counted;

use super::figure::Figure;
use super::marks::{Axis, bar};
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Page, Part};
use crate::target::{Section, Target};

/// Everything about a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScenarioPage {
    /// Its name.
    pub name: String,
    /// Its family.
    pub family: String,
    /// Its parameters, as names and texts.
    pub parameters: Vec<(String, String)>,
    /// The results, by metric and side.
    pub tables: Vec<ScenarioTable>,
    /// Stacks that cannot do it or failed: stack, kind, reason.
    pub holes: Vec<(String, String, String)>,
}

/// The results of stacks in one metric on one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioTable {
    /// The side.
    pub side: String,
    /// The metric.
    pub metric: String,
    /// Whether it ranks stacks. Counts of instructions do not: they compare a library only with itself.
    pub is_ranked: bool,
    /// Whether more is better.
    pub more_is_better: bool,
    /// The stacks: the best first if it ranks them, else by name.
    pub rows: Vec<ScenarioRow>,
}

/// A stack's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioRow {
    /// The stack as its run names it.
    pub stack: String,
    /// The run.
    pub run: String,
    /// When that began, RFC 3339.
    pub measured: String,
    /// The machine's class.
    pub class: String,
    /// The result.
    pub figure: Figure,
    /// The time of the first stack over that of this one, if one run measured both in turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_over: Option<PairRatio>,
    /// Whether it stands last without a rank, as its cryptography does nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unranked: bool,
}

#[derive(Template)]
#[template(path = "site/scenario.html")]
struct Body<'m> {
    model: &'m ScenarioPage,
    answer: String,
    evidence: String,
    tables: Vec<Table<'m>>,
    holes: Vec<(Link, &'m str, &'m str)>,
    command: String,
    json: Option<String>,
}

struct Table<'m> {
    table: &'m ScenarioTable,
    axis: &'static str,
    rows: Vec<Row<'m>>,
}

struct Row<'m> {
    row: &'m ScenarioRow,
    stack: Link,
    run: Link,
    bar: Html,
}

/// The page.
#[must_use]
pub fn scenario(model: &ScenarioPage, links: &dyn Links) -> Page {
    let (answer, evidence) = answer(model);
    let body = Body {
        answer,
        evidence,
        tables: model.tables.iter().map(|table| laid_out(table, links)).collect(),
        holes: model
            .holes
            .iter()
            .map(|(stack, kind, why)| {
                (Link::new(links, &Target::Stack(stack.clone()), stack), kind.as_str(), why.as_str())
            })
            .collect(),
        command: format!("tlslab run --scenario {}", tlslab_text::shell_word(&model.name)),
        json: links.to(&Target::File(format!("data/scenarios/{}.json", crate::target::slug(&model.name)))),
        model,
    };
    let part = |id, title| Part { id, title, needs_script: false };
    Page {
        title: model.name.clone(),
        section: Some(Section::Scenarios),
        crumbs: vec![
            Link::new(links, &Target::Overview, "Overview"),
            Link::new(links, &Target::Scenarios, "Scenarios"),
            Link::none(&model.name),
        ],
        parts: vec![part("results", "Results"), part("parameters", "Parameters"), part("repeat", "Repeat")],
        body: Html::of(&body),
        foot: vec![Html::text("All times are UTC.")],
        ..Page::default()
    }
}

fn laid_out<'m>(table: &'m ScenarioTable, links: &dyn Links) -> Table<'m> {
    let end = |row: &ScenarioRow| row.figure.upper.unwrap_or(row.figure.value).max(row.figure.value);
    let axis = Axis::of(table.rows.iter().map(|row| (row.figure.value, end(row))));
    let row = |row: &'m ScenarioRow| Row {
        stack: Link::new(links, &Target::Stack(row.stack.clone()), &row.stack),
        run: Link::new(links, &Target::Run(row.run.clone()), super::figure::day(&row.measured)),
        bar: bar(row.figure.value, row.figure.lower.zip(row.figure.upper), axis),
        row,
    };
    Table { table, axis: axis.title(), rows: table.rows.iter().map(row).collect() }
}

/// The first stack of the first table that ranks stacks, if it is first by more than the intervals.
fn answer(model: &ScenarioPage) -> (String, String) {
    let measured: std::collections::BTreeSet<&str> =
        model.tables.iter().flat_map(|table| &table.rows).map(|row| row.stack.as_str()).collect();
    let evidence = format!(
        "With a value: {}, without one: {}. Figures of different runs or machines are not a comparison; each row names its run.",
        counted(measured.len(), "stack"),
        model.holes.len()
    );
    if !model.tables.is_empty() && model.tables.iter().all(|table| !table.is_ranked) {
        let why = tlslab_choice::SeveralLibraries::WHY;
        return (
            "Not ranked: no times are recorded".to_owned(),
            format!("{evidence} Stacks are ranked by time; {why}."),
        );
    }
    let ranked = model.tables.iter().find(|table| table.is_ranked);
    let answer = ranked.and_then(|table| {
        let mut ranked = table.rows.iter().filter(|row| !row.unranked);
        let (first, second) = (ranked.next()?, ranked.next()?);
        let what = format!("{}, {}", super::figure::metric_words(&table.metric), table.side);
        if let Some(ratio) = &second.first_over {
            let next = &second.stack;
            return Some(match ratio.is_less() {
                true => format!(
                    "{} is first ({what}): {}, {} than {next}",
                    first.stack,
                    first.figure.text(),
                    ratio.less()
                ),
                false => format!(
                    "No significant difference ({what}) between {} and {next}: {}",
                    first.stack,
                    ratio.apart()
                ),
            });
        }
        let is_clear = match table.more_is_better {
            false => first.figure.upper.zip(second.figure.lower).is_some_and(|(upper, lower)| upper < lower),
            true => first.figure.lower.zip(second.figure.upper).is_some_and(|(lower, upper)| lower > upper),
        };
        Some(match (is_clear && first.run == second.run, first.run == second.run) {
            (true, _) => format!("{} is first ({what}): {}", first.stack, first.figure.text()),
            (false, true) => format!("No stack is first alone ({what}): the best intervals overlap"),
            (false, false) => format!("Not measured together ({what}): no stack is first"),
        })
    });
    (answer.unwrap_or_else(|| format!("{}: {}", model.family, model.name)), evidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(metric: &str, is_ranked: bool, rows: &[(&str, f64)]) -> ScenarioTable {
        let row = |(stack, value): &(&str, f64)| ScenarioRow {
            stack: (*stack).to_owned(),
            run: "r".to_owned(),
            measured: String::new(),
            class: String::new(),
            figure: Figure {
                value: *value,
                lower: Some(value * 0.96),
                upper: Some(value * 1.04),
                unit: String::new(),
            },
            first_over: None,
            unranked: false,
        };
        let (side, metric) = ("client".to_owned(), metric.to_owned());
        ScenarioTable { side, metric, is_ranked, more_is_better: false, rows: rows.iter().map(row).collect() }
    }

    #[test]
    fn counts_name_no_first_stack() {
        let counts = table("count.instructions", false, &[("a", 1.0), ("b", 2.0)]);
        let model = ScenarioPage { tables: vec![counts.clone()], ..ScenarioPage::default() };
        let page = scenario(&model, &crate::Alone).body;
        assert!(page.as_str().contains("<h1>Not ranked: no times are recorded</h1>"), "{page}");
        assert!(page.as_str().contains("instructions, client: by stack"), "{page}");
        assert!(!page.as_str().contains("class=\"mark\""), "{page}");
        let timed = table("time", true, &[("b", 1.0), ("a", 2.0)]);
        let model = ScenarioPage { tables: vec![timed, counts], ..model };
        assert!(scenario(&model, &crate::Alone).body.as_str().contains("b is first (time, client): 1.000"));
    }

    #[test]
    fn a_stack_that_protects_nothing_is_not_first() {
        let mut times = table("time", true, &[("a", 2.0), ("b", 3.0), ("bare", 1.0)]);
        times.rows[2].unranked = true;
        let model = ScenarioPage { tables: vec![times.clone()], ..ScenarioPage::default() };
        let page = scenario(&model, &crate::Alone).body;
        assert!(page.as_str().contains("a is first (time, client): 2.000"), "{page}");
        assert_eq!(page.as_str().matches("not ranked: its cryptography does nothing").count(), 1, "{page}");
        times.rows.remove(1);
        let model = ScenarioPage { tables: vec![times], ..model };
        assert!(!scenario(&model, &crate::Alone).body.as_str().contains(" is first"));
    }

    #[test]
    fn stacks_of_one_run_are_judged_by_their_ratio() {
        // The intervals of both times contain differences between runs, and overlap.
        let mut times = table("time", true, &[("a", 94.0), ("b", 100.0)]);
        let heading = |times: &ScenarioTable| {
            let model = ScenarioPage { tables: vec![times.clone()], ..ScenarioPage::default() };
            let page = scenario(&model, &crate::Alone).body;
            let heading = page.as_str().split("<h1>").nth(1).and_then(|rest| rest.split("</h1>").next());
            heading.unwrap_or_default().to_owned()
        };
        assert_eq!(heading(&times), "No stack is first alone (time, client): the best intervals overlap");
        let ratio = PairRatio { ratio: 0.94, lower: 0.93, upper: 0.95, floor: 0.0025 };
        times.rows[1].first_over = Some(ratio);
        assert_eq!(heading(&times), "a is first (time, client): 94.00, 6.0 % less (5.0 to 7.0 %) than b");
        times.rows[1].first_over = Some(PairRatio { upper: 0.999, ..ratio });
        assert_eq!(
            heading(&times),
            "No significant difference (time, client) between a and b: 6.0 % (0.10 to 7.0 %), which code layout alone can cause"
        );
    }
}
