//! `tlslab build`: stacks from source, side by side.

use serde_json::Value;
use tlslab_build::Stage;
use tlslab_lab::{Builds, Environment, Error, StackBuild, build as build_stacks};
use tlslab_text::Listing;

use crate::Ended;
use crate::cli::{BuildArgs, ListFormat};
use crate::session::{CachedBuilds, in_session};

/// Builds what is named.
pub fn build(environment: &Environment, args: &BuildArgs) -> anyhow::Result<Ended> {
    let done =
        in_session(environment, CachedBuilds::Listed, |session| build_stacks(session, &args.request()));
    let builds = match done {
        Ok(builds) => builds,
        Err(Error::Interrupted { .. }) => {
            errln!("interrupted; what was built is kept, and the same command goes on");
            return Ok(Ended::Interrupted);
        }
        Err(Error::Failed(cause)) => return Err(cause),
    };
    if args.check_tools {
        outln!("every program that these builds need is there");
        return Ok(Ended::Well);
    }
    match args.format {
        ListFormat::Table => builds.stacks.iter().for_each(|stack| outln!("{}", line(stack))),
        format => out!("{}", listing(&builds, format).text(format.into())),
    }
    let failed = builds.stacks.iter().filter(|stack| stack.built.is_err()).count();
    let took = builds.took.as_secs_f64();
    errln!("{} built, {failed} failed, in {took:.1} s", builds.stacks.len() - failed);
    Ok(if failed == 0 { Ended::Well } else { Ended::WithFailures })
}

/// The time that each stage took; what a stack needs is added up stage by stage, also what it shares with others.
fn listing(builds: &Builds, format: ListFormat) -> Listing {
    // A path says nothing in a document.
    let with_path = format == ListFormat::Json;
    let columns = ["stack", "source s", "prefix s", "kit s", "driver s", "all s", "failed", "driver"];
    let columns = &columns[..if with_path { 8 } else { 7 }];
    let mut listing = Listing::new(columns.iter().copied());
    for stack in &builds.stacks {
        let sum = |wanted: &dyn Fn(Stage) -> bool| -> Value {
            let fitting = stack.stages.iter().filter(|(stage, _)| wanted(*stage)).map(|(_, seconds)| seconds);
            let sum = fitting.copied().reduce(|one, other| one + other);
            Value::from(sum.map(|seconds| (seconds * 10.0).round() / 10.0))
        };
        let of = |stage: Stage| sum(&|other| other == stage);
        let [source, prefix, kit, driver] = [Stage::Source, Stage::Prefix, Stage::Kit, Stage::Driver].map(of);
        let program = stack.built.as_ref().ok().map(|built| built.driver.display().to_string());
        let failed = stack.built.as_ref().err().map(ToString::to_string);
        let all = sum(&|_| true);
        let name = Value::from(stack.name.clone());
        let row = [name, source, prefix, kit, driver, all, Value::from(failed), Value::from(program)];
        listing.add(row.into_iter().take(columns.len()));
    }
    listing
}

fn line(stack: &StackBuild) -> String {
    match &stack.built {
        Ok(built) => format!("{}: {}{}", stack.name, built.driver.display(), times(&stack.stages)),
        Err(failure) => format!("{}: failed: {failure}", stack.name),
    }
}

/// How long the stages took, in a line.
fn times(took: &[(Stage, f64)]) -> String {
    let each: Vec<String> = took.iter().map(|(stage, seconds)| format!("{stage} {seconds:.1}")).collect();
    let all: f64 = took.iter().map(|(_, seconds)| seconds).sum();
    if took.is_empty() { String::new() } else { format!(" ({all:.1} s: {})", each.join(", ")) }
}
