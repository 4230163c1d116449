//! The tables of times: a group per scenario, which leads to its samples, its proof and its commands.

use tlslab_estimate::Report;
use tlslab_report::tables::{Hole, Row, SideWords, Table, Tone};

use crate::links::{Link, Links};
use crate::target::Target;

/// A family's table.
pub(super) struct Results {
    pub family: String,
    pub sides: Vec<&'static str>,
    pub time_unit: &'static str,
    pub speed_unit: &'static str,
    pub groups: Vec<Group>,
    pub reasons: Vec<String>,
    pub notes: Vec<String>,
}

/// A scenario.
pub(super) struct Group {
    pub name: Link,
    /// As scripts name it.
    pub scenario: String,
    /// Its place, which the anchors of its proof and commands have.
    pub at: usize,
    pub has_samples: bool,
    pub rows: Vec<ResultRow>,
}

/// A stack.
pub(super) struct ResultRow {
    pub stack: Link,
    pub colour: usize,
    pub content: Result<Vec<Figure>, Hole>,
    pub mark: Option<String>,
}

/// One side's figures.
pub(super) struct Figure {
    pub side: &'static str,
    pub time: String,
    pub range: String,
    pub speed: String,
    pub class: &'static str,
    pub amount: String,
    pub amount_range: String,
}

impl Results {
    pub(super) fn all(report: &Report, links: &dyn Links) -> Vec<Self> {
        Table::all(report).into_iter().map(|table| Self::of(report, table, links)).collect()
    }

    fn of(report: &Report, table: Table, links: &dyn Links) -> Self {
        // A table's scenarios are the family's, in the report's order.
        let places: Vec<usize> =
            (0..report.scenarios.len()).filter(|at| report.scenarios[*at].family == table.family).collect();
        let stacks: Vec<(usize, &str)> = report
            .stacks
            .iter()
            .enumerate()
            .filter(|(_, stack)| stack.failure().is_none())
            .map(|(at, stack)| (at, stack.name.as_str()))
            .collect();
        let sides = table.sides;
        let row = |(row, (at, stack)): (Row, &(usize, &str))| ResultRow {
            stack: Link::new(links, &Target::Stack((*stack).to_owned()), row.stack),
            colour: at % 8,
            mark: row.mark,
            content: row.content.map(|figures| {
                figures.into_iter().zip(&sides).map(|(figure, side)| Figure::of(side, figure)).collect()
            }),
        };
        let group = |((name, rows), at): ((String, Vec<Row>), usize)| {
            let scenario = report.scenarios[at].name().to_owned();
            Group {
                name: Link::new(links, &Target::Scenario(scenario.clone()), name),
                has_samples: report.distributions.iter().any(|samples| samples.scenario == scenario),
                scenario,
                at,
                rows: rows.into_iter().zip(&stacks).map(row).collect(),
            }
        };
        Self {
            family: table.family.to_string(),
            time_unit: table.time_unit,
            speed_unit: table.speed_unit,
            groups: table.scenarios.into_iter().zip(places).map(group).collect(),
            reasons: table.reasons,
            notes: table.notes,
            sides,
        }
    }
}

impl Figure {
    fn of(side: &'static str, words: SideWords) -> Self {
        let (time, range) = words.figure;
        let (amount, amount_range) = match words.relative {
            Some(relative) => (relative.amount(), relative.range),
            None if words.ratio == "baseline" => ("reference".to_owned(), String::new()),
            None => (words.ratio, String::new()),
        };
        let class = match words.tone {
            Tone::Plain => "",
            Tone::Faster => "v faster",
            Tone::Slower => "v slower",
        };
        Self { side, time, range, speed: words.speed, class, amount, amount_range }
    }
}
