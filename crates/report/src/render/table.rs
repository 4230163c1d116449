//! The main tables as text: per family, per scenario, one row per stack that took part. All text renderers
//! share them.

use tlslab_estimate::digits::written;
use tlslab_estimate::{Estimated, Family, Headline, Lead, Metric, Report, Scenario, Whose};
use tlslab_protocol::Work;
use tlslab_text::clean;
use tlslab_text::number::{counted, significant};

use super::words::{Relative, figure};

/// One family's table.
pub struct Table {
    /// The family.
    pub family: Family,
    /// The names of the sides in the column titles.
    pub sides: Vec<&'static str>,
    /// The unit of the time columns.
    pub time_unit: &'static str,
    /// The unit of the speed columns.
    pub speed_unit: &'static str,
    /// The scenarios with their rows.
    pub scenarios: Vec<(String, Vec<Row>)>,
    /// Why rows are empty or incomplete, in full, each reason once.
    pub reasons: Vec<String>,
    /// Notes on the stacks of this table.
    pub notes: Vec<String>,
}

/// One stack in one scenario.
pub struct Row {
    /// Its name.
    pub stack: String,
    /// Its figures, side by side, or the reason for their absence.
    pub content: Result<Vec<SideWords>, Hole>,
    /// What its times contain beyond the library's work, such as `faults 5 per connection`.
    pub mark: Option<String>,
}

/// Why a row has no figures.
#[derive(Clone)]
pub struct Hole {
    /// `unsupported` or `failed`.
    pub kind: &'static str,
    /// The reason.
    pub reason: String,
}

/// One side's figures as printed.
#[derive(Default)]
pub struct SideWords {
    /// µs ±.
    pub time: String,
    /// Handshakes/s or MB/s.
    pub speed: String,
    /// The ratio to the baseline in words, `baseline`, or `–`.
    pub ratio: String,
    /// The same in fewer columns.
    pub tight_ratio: String,
    /// The time and its interval apart, as [`figure`] writes them.
    pub figure: (String, String),
    /// The ratio in words.
    pub relative: Option<Relative>,
    /// Whether the ratio is clear of 1.
    pub tone: Tone,
}

/// The conclusion from a ratio.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// No difference beyond code layout.
    #[default]
    Plain,
    /// Less time than the baseline.
    Faster,
    /// More time than the baseline.
    Slower,
}

impl Table {
    /// The tables of a report.
    pub fn all(report: &Report) -> Vec<Table> {
        report
            .families()
            .into_iter()
            .map(|(family, scenarios)| Self::of(report, family, &scenarios))
            .collect()
    }

    fn of(report: &Report, family: Family, scenarios: &[&Scenario]) -> Self {
        let time_unit = if family == Family::Primitive { "ns" } else { "µs" };
        let (sides, speed_unit) = match family {
            Family::Transfer | Family::SocketTransfer => (vec!["send", "receive"], "MB/s"),
            Family::Exchange => (vec!["client", "server"], "MB/s"),
            // The unit of a speed is next to its figure.
            Family::Primitive => (vec!["operation"], "speed"),
            _ if family.is_by_the_wall() => (vec!["together", "client", "server"], "/s"),
            _ => (vec!["client", "server"], "/s"),
        };
        let mut reasons = Reasons::default();
        let rows = |scenario: &Scenario, reasons: &mut Reasons| -> Vec<Row> {
            report.participants().map(|stack| row(report, scenario, &stack.name, reasons)).collect()
        };
        let scenarios =
            scenarios.iter().map(|scenario| (clean(scenario.name()), rows(scenario, &mut reasons))).collect();
        let notes = report.table_notes().into_iter().map(|(stack, note)| {
            let (stack, note) = (clean(stack), clean(note));
            if note.starts_with(&stack) { note } else { format!("{stack}: {note}") }
        });
        Self {
            family,
            sides,
            time_unit,
            speed_unit,
            scenarios,
            reasons: reasons.lines(),
            notes: notes.collect(),
        }
    }
}

fn row(report: &Report, scenario: &Scenario, stack: &str, reasons: &mut Reasons) -> Row {
    let sides = match scenario.resolved.work {
        _ if scenario.family.is_by_the_wall() => vec![Whose::Both, Whose::Client, Whose::Server],
        Work::Transfer { sender, .. } => vec![sender.into(), sender.peer().into()],
        work => work.sides().iter().map(|side| (*side).into()).collect(),
    };
    let is_baseline = report.run.baseline == stack;
    let words = sides.into_iter().map(|side| side_words(report, scenario, stack, side, is_baseline, reasons));
    let content = words.collect::<Result<Vec<_>, _>>();
    if let Err(hole) = &content {
        reasons.hole(hole, stack);
    }
    Row { stack: clean(stack), content, mark: mark(report, scenario, stack) }
}

/// That page faults are part of a row's times.
fn mark(report: &Report, scenario: &Scenario, stack: &str) -> Option<String> {
    let times = [Whose::Client, Whose::Server].map(|side| (side, Metric::Time));
    let times = times.into_iter().chain([(Whose::Both, Metric::Wall)]);
    let faults = times
        .filter_map(|(side, metric)| report.cell(scenario.name(), stack, side, metric))
        .find_map(|cell| cell.faults)?;
    let unit = match scenario.resolved.work {
        Work::Transfer { .. } | Work::Exchange { .. } => "write",
        Work::Primitive(_) => "operation",
        _ => "connection",
    };
    Some(format!("faults {} per {unit}", significant(faults, 3)))
}

fn side_words(
    report: &Report,
    scenario: &Scenario,
    stack: &str,
    side: Whose,
    is_baseline: bool,
    reasons: &mut Reasons,
) -> Result<SideWords, Hole> {
    let (time, speed) = match side {
        Whose::Both => (Metric::Wall, Metric::WallRate),
        Whose::Client | Whose::Server => {
            (Metric::Time, *scenario.family.speeds(&scenario.resolved.work).last().unwrap_or(&Metric::Rate))
        }
    };
    let unit = match (scenario.family, speed) {
        (Family::Primitive, Metric::Throughput) => " MB/s",
        (Family::Primitive, _) => "/s",
        _ => "",
    };
    let cell = |metric| report.cell(scenario.name(), stack, side, metric).map(|cell| &cell.outcome);
    // Every report has these cells; one built by hand may not.
    let missing = || Hole { kind: "failed", reason: "the report has no such cell".to_owned() };
    let time = cell(time).ok_or_else(missing)?;
    if let Some((kind, reason)) = time.hole() {
        return Err(Hole { kind, reason: clean(reason) });
    }
    let time = time.measured().ok_or_else(missing)?;
    if let Some(reason) = &time.estimated.no_interval {
        reasons.lack("no interval", reason);
    }
    if let Some(reason) = &time.no_ratio {
        reasons.lack("no ratio", reason);
    }
    let speed = cell(speed).and_then(|outcome| outcome.measured());
    let ratio = time.ratio.as_ref().map(|ratio| &ratio.estimated);
    let relative = ratio.map(Relative::of);
    let in_words = |words: fn(&Relative) -> String| match &relative {
        Some(relative) => words(relative),
        None if is_baseline => "baseline".to_owned(),
        None => "–".to_owned(),
    };
    Ok(SideWords {
        time: match scenario.family {
            Family::Primitive => written(&time.estimated.in_thousandths()).to_string(),
            _ => written(&time.estimated).to_string(),
        },
        speed: speed.map_or("–".to_owned(), |speed| {
            let digits = if speed.estimated.interval.is_some() { 4 } else { 3 };
            format!("{}{unit}", significant(speed.estimated.value, digits))
        }),
        ratio: in_words(Relative::cell),
        tight_ratio: in_words(Relative::tight),
        figure: match scenario.family {
            Family::Primitive => figure(&time.estimated.in_thousandths()),
            _ => figure(&time.estimated),
        },
        relative,
        tone: ratio.map_or(Tone::Plain, |ratio| tone(ratio, report.layout_floor(scenario.family))),
    })
}

/// The conclusion from a time ratio, after subtracting the effect of code layout.
pub fn tone(ratio: &Estimated, floor: f64) -> Tone {
    match ratio.interval {
        Some(interval) if interval.upper < 1.0 - floor => Tone::Faster,
        Some(interval) if interval.lower > 1.0 + floor => Tone::Slower,
        _ => Tone::Plain,
    }
}

/// The cells of a stack that did not take part.
pub fn all_of(report: &Report, stack: &str) -> String {
    let pairs = if report.cross.is_empty() { "" } else { " and pairs" };
    format!("all cells{pairs} of {stack}")
}

/// One headline as a sentence.
pub fn headline(report: &Report, headline: &Headline) -> Option<String> {
    if headline.standings.len() < 2 && !headline.scenarios.is_empty() {
        return None;
    }
    let (lead, verdict) = verdict(headline);
    let mixture = if rests_on_two_speeds(report, headline) { "; rests on cells with two speeds" } else { "" };
    let gaps = match headline.with_gaps.as_slice() {
        [] => String::new(),
        names => {
            let names: Vec<_> = names.iter().map(|name| clean(name)).collect();
            format!("; without {}: too few of them measured", names.join(", "))
        }
    };
    let over = format!("{}{gaps}{mixture}", describe_basis(headline));
    Some(match verdict.as_str() {
        "" => format!("{}, {}: {lead} ({over})", headline.family, headline.side),
        verdict => format!("{}, {}: {lead}, {verdict} ({over})", headline.family, headline.side),
    })
}

/// Who is first, and by how much.
pub fn verdict(headline: &Headline) -> (String, String) {
    let Some(lead) = &headline.lead else {
        return match headline.standings.as_slice() {
            [only] => (format!("{} alone", clean(&only.stack)), "nothing to compare with".to_owned()),
            _ => ("no comparison".to_owned(), "no scenario was measured on every stack".to_owned()),
        };
    };
    let (fastest, next) = (clean(&lead.fastest), clean(&lead.next));
    if lead.clear {
        return clear(headline, lead, &fastest, &next);
    }
    let relative = Relative::of(&lead.ratio);
    if lead.ratio.interval.is_some() {
        let verdict = format!(
            "{}, {}; code layout alone can cause that",
            relative.amount(),
            relative.range_with_unit()
        );
        (format!("no significant difference between {fastest} and {next}"), verdict)
    } else {
        (format!("{fastest} {}", relative.sentence(&next)), "without an interval".to_owned())
    }
}

/// Who is fastest, relative to the reference that all figures of the headline have.
fn clear(headline: &Headline, lead: &Lead, fastest: &str, next: &str) -> (String, String) {
    let against_reference = |stack: &str| {
        let standing = headline.standings.iter().find(|standing| standing.stack == stack)?;
        Some(Relative::of(&standing.ratio))
    };
    let relative = Relative::of(&lead.ratio);
    match &headline.reference {
        Some(reference) if *reference == lead.fastest => {
            let relative = against_reference(&lead.next).unwrap_or(relative);
            let sentence = format!("{fastest} is fastest; {next} {}", relative.sentence(fastest));
            (sentence, relative.range_with_unit())
        }
        Some(reference) if *reference != lead.next => {
            let relative = against_reference(&lead.fastest).unwrap_or(relative);
            let sentence = format!("{fastest} {}", relative.sentence(&clean(reference)));
            (sentence, format!("{}; {next} is next", relative.range_with_unit()))
        }
        _ => (format!("{fastest} {}", relative.sentence(next)), relative.range_with_unit()),
    }
}

/// Whether processes at two speeds can change who is fastest in a headline.
pub fn rests_on_two_speeds(report: &Report, headline: &Headline) -> bool {
    headline.rests_on_two_speeds(report.cells.iter())
}

/// The basis of a headline.
pub fn describe_basis(headline: &Headline) -> String {
    match (headline.scenarios.len(), headline.of) {
        (1, 1) => counted(1, "scenario"),
        (scenarios, of) if scenarios == of => format!("geometric mean of {}", counted(of, "scenario")),
        (scenarios, of) => {
            format!(
                "geometric mean of the {scenarios} of {} that all of them measured",
                counted(of, "scenario")
            )
        }
    }
}

/// Reasons, each once.
#[derive(Default)]
struct Reasons {
    found: Vec<(String, String, usize)>,
}

impl Reasons {
    /// A hole in a row.
    fn hole(&mut self, hole: &Hole, stack: &str) {
        self.add(format!("{}, {}", hole.kind, clean(stack)), hole.reason.clone());
    }

    /// Something that a row's figures lack, whichever stack's.
    fn lack(&mut self, kind: &str, reason: &str) {
        self.add(kind.to_owned(), clean(reason));
    }

    fn add(&mut self, what: String, reason: String) {
        match self.found.iter_mut().find(|found| found.0 == what && found.1 == reason) {
            Some(found) => found.2 += 1,
            None => self.found.push((what, reason, 1)),
        }
    }

    fn lines(self) -> Vec<String> {
        let line = |(what, reason, times): (String, String, usize)| match times {
            _ if what.starts_with("no ") => format!("{what}: {reason}"),
            1 => format!("{what}: {reason}"),
            _ => format!("{what} ({}): {reason}", counted(times, "scenario")),
        };
        self.found.into_iter().map(line).collect()
    }
}

/// The subject of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Memory.
    Memory,
    /// Instructions.
    Instructions,
    /// Connections that arrive at a rate.
    Arrivals,
    /// Contention of threads.
    Contention,
    /// What libraries do without configuration.
    Defaults,
    /// What each side sends.
    Wire,
    /// What each side asks of the kernel.
    Kernel,
    /// How large libraries are.
    Size,
    /// Stacks that were run as other processors.
    Processors,
}

/// A table of one kind of work.
pub struct ExactTable {
    /// Its subject.
    pub subject: Subject,
    /// Its title.
    pub title: &'static str,
    /// The columns of figures.
    pub columns: Vec<String>,
    /// What its rows are.
    pub rows_are: &'static str,
    /// The scenarios with one row per stack; or, if stacks must not be compared, the stacks with one row per
    /// scenario.
    pub groups: Vec<(String, Vec<ExactRow>)>,
    /// Why figures are missing, in full, each reason once.
    pub reasons: Vec<String>,
}

/// One stack in one scenario.
pub struct ExactRow {
    /// The stack's name, or the scenario's if the group is the stack.
    pub name: String,
    /// A figure for each column, or the reason why the row has no figures.
    pub content: Result<Vec<String>, Hole>,
}
