//! `tlslab compare --scenarios`: the cost of one scenario over another, with one stack or several.

use tlslab_estimate::Report;
use tlslab_job::{Outcome, Request, Status};
use tlslab_lab::Error;
use tlslab_report::ScenarioCosts;
use tlslab_text::ListFormat;

use super::args::{CompareArgs, ComparisonFormat};
use crate::cli::Invocation;
use crate::session::{Lab, carried_out};

/// Measures, and prints the cost of the second over the first.
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
            print(&run.report, args)?;
            Ok(outcome.status())
        }
        Err(Error::Interrupted { run }) => {
            if let Some(run) = run {
                let again = invocation.resume(&run, false);
                errln!("interrupted; measurements are saved. To resume: {again}");
            }
            Ok(Status::Interrupted)
        }
        Err(Error::Failed(cause)) => Err(cause),
    }
}

fn print(report: &Report, args: &CompareArgs) -> anyhow::Result<()> {
    let [over, scenario] = &args.of_scenarios[..] else { unreachable!("the request has two") };
    let costs = ScenarioCosts::of(report, over, scenario);
    match args.format {
        ComparisonFormat::Table => out!("{}", costs.text(ListFormat::Table)),
        ComparisonFormat::Markdown => out!("{}", costs.text(ListFormat::Markdown)),
        ComparisonFormat::Json => outln!("{}", serde_json::to_string_pretty(&costs)?),
        ComparisonFormat::Html => {
            let alone = &tlslab_pages::Alone;
            out!("{}", tlslab_pages::run(report, alone).html(alone));
        }
    }
    Ok(())
}
