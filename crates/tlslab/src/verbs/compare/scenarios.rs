//! `tlslab compare --scenarios`: two scenarios of one stack, measured together.

use tlslab_estimate::{Report, ScenarioRatio};
use tlslab_job::{Outcome, Request, Status};
use tlslab_lab::Error;
use tlslab_report::tables::together::{NOTE, verdict};
use tlslab_text::clean;
use tlslab_text::number::counted;

use super::args::{CompareArgs, ComparisonFormat};
use crate::cli::Invocation;
use crate::session::{Lab, carried_out};

/// Measures, and prints which of the two takes less time.
pub(super) fn compare_scenarios(
    lab: &Lab,
    args: &CompareArgs,
    invocation: &Invocation,
) -> anyhow::Result<Status> {
    let request = args.request_of_scenarios()?;
    let catalogue = lab.environment.catalogue()?;
    for scenario in &request.scenarios {
        catalogue.named(scenario)?;
    }
    let results = args.kept.results();
    let request = args.as_of.put_in(&lab.environment, Request::Run(Box::new(request)))?;
    match carried_out(lab, &results, &lab.new_job(), &request) {
        Ok(outcome) => {
            let Outcome::Run(run) = &outcome else { unreachable!("a run was asked for") };
            print(&run.report, args);
            Ok(outcome.status())
        }
        Err(Error::Interrupted { run }) => {
            if let Some(run) = run {
                let again = invocation.resume(&run, false);
                errln!("interrupted; everything measured is kept. Go on with: {again}");
            }
            Ok(Status::Interrupted)
        }
        Err(Error::Failed(cause)) => Err(cause),
    }
}

fn print(report: &Report, args: &CompareArgs) {
    match args.format {
        ComparisonFormat::Table => out!("{}", text(report, &args.of_scenarios)),
        ComparisonFormat::Markdown => out!("{}", tlslab_report::markdown(report)),
        ComparisonFormat::Json => out!("{}", tlslab_report::json(report)),
        ComparisonFormat::Html => {
            let alone = &tlslab_pages::Alone;
            out!("{}", tlslab_pages::run(report, alone).html(alone));
        }
    }
}

/// What each side takes in either scenario, and what the ratio says.
fn text(report: &Report, asked: &[String]) -> String {
    let mut text = String::new();
    let ratios = report.together.iter().flat_map(|group| &group.ratios);
    for one in ratios.map(|one| as_asked(one, asked)) {
        let time = |scenario: &str| {
            let cell = report.cell(scenario, &one.stack, one.side, one.metric);
            let measured = cell.and_then(|cell| cell.outcome.measured());
            let words = |measured: &tlslab_estimate::Measured| {
                format!("{} µs", tlslab_estimate::digits::written(&measured.estimated))
            };
            measured.map_or_else(|| "no time".to_owned(), words)
        };
        text.push_str(&format!("{}, {}\n", clean(&one.stack), whose(&one)));
        for scenario in [&one.over, &one.scenario] {
            text.push_str(&format!("  {}  {}\n", clean(scenario), time(scenario)));
        }
        if let Some(ratio) = &one.ratio {
            let written = tlslab_estimate::digits::written(ratio);
            text.push_str(&format!("  ratio of times {written}, {}\n", counted(ratio.n, "round")));
        }
        text.push_str(&format!("  {}\n", verdict(&one)));
    }
    text.push_str(&exact(report, asked));
    format!("{text}{NOTE}\n")
}

/// Whose time it is, in words.
fn whose(one: &ScenarioRatio) -> &'static str {
    match one.side {
        tlslab_estimate::Whose::Both => "both sides at once, by the wall",
        side => side.name(),
    }
}

/// The second scenario over the first, whichever comes first in the catalogue.
fn as_asked(one: &ScenarioRatio, asked: &[String]) -> ScenarioRatio {
    if asked.first() != Some(&one.scenario) {
        return one.clone();
    }
    ScenarioRatio {
        scenario: one.over.clone(),
        over: one.scenario.clone(),
        ratio: one.ratio.as_ref().map(tlslab_estimate::Estimated::inverse),
        ..one.clone()
    }
}

/// What was counted of both, where it was.
fn exact(report: &Report, asked: &[String]) -> String {
    let [over, of] = asked else { return String::new() };
    let mut text = String::new();
    for cell in report.exact.iter().filter(|cell| cell.scenario == *over) {
        let is_it = |other: &&tlslab_estimate::ExactCell| {
            other.scenario == *of && other.side == cell.side && other.metric == cell.metric
        };
        let Some(other) = report.exact.iter().find(is_it) else { continue };
        let value = |cell: &tlslab_estimate::ExactCell| match &cell.outcome {
            tlslab_estimate::ExactOutcome::Measured(seen) => Some(seen.value),
            _ => None,
        };
        let (Some(one), Some(two)) = (value(cell), value(other)) else { continue };
        if one > 0.0 {
            let digits = tlslab_text::number::significant;
            text.push_str(&format!(
                "{} {}: {} and {} {}, ratio {}\n",
                cell.side,
                clean(&cell.metric),
                digits(one, 6),
                digits(two, 6),
                cell.unit.symbol(),
                digits(two / one, 6)
            ));
        }
    }
    text
}
