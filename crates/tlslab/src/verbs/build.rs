//! `tlslab build`: stacks from source, in parallel.

use clap::Args;
use serde_json::Value;
use tlslab_build::Stage;
use tlslab_job::{Outcome, Status};
use tlslab_lab::request::BuildRequest;
use tlslab_lab::{BuildOutcome, Builds, Error, Results, StackBuild, StageTime, build as build_stacks};
use tlslab_text::Listing;

use crate::cli::ListFormat;
use crate::session::{CachedBuilds, Lab, in_session};

/// Arguments of `build`.
#[derive(Args)]
pub(crate) struct BuildArgs {
    /// The stacks to build [default: those of tlslab.toml].
    #[arg(value_name = "STACK")]
    pub stacks: Vec<String>,
    /// Build every stack that has a recipe.
    #[arg(long = "all-stacks", alias = "all", conflicts_with = "stacks")]
    pub all: bool,
    /// Only print which system tools are missing, and how to install them.
    #[arg(long)]
    pub check_tools: bool,
    /// The output format. Markdown and JSON include the build time of each stage.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

impl BuildArgs {
    /// The request.
    pub(crate) fn request(&self) -> BuildRequest {
        BuildRequest { stacks: self.stacks.clone(), all_stacks: self.all, check_tools: self.check_tools }
    }
}

/// Builds the named stacks.
pub(crate) fn build(lab: &Lab, args: &BuildArgs) -> anyhow::Result<Status> {
    let (results, request) = (Results::default(), args.request());
    let done = in_session(lab, &results, &lab.new_job(), CachedBuilds::Listed, |session| {
        build_stacks(session, &request)
    });
    let builds = match done {
        Ok(builds) => builds,
        Err(Error::Interrupted { .. }) => {
            errln!("interrupted; builds are cached; repeat the command to resume");
            return Ok(Status::Interrupted);
        }
        Err(Error::Failed(cause)) => return Err(cause),
    };
    if args.check_tools {
        outln!("all required tools are installed");
        return Ok(Status::Done);
    }
    match args.format {
        ListFormat::Table => builds.stacks.iter().for_each(|stack| outln!("{}", line(stack))),
        format => out!("{}", listing(&builds, format).text(format.into())),
    }
    let failed = builds.stacks.iter().filter(|stack| failure(stack).is_some()).count();
    errln!("{} built, {failed} failed, in {:.1} s", builds.stacks.len() - failed, builds.took_s);
    Ok(Outcome::Builds(builds).status())
}

fn failure(stack: &StackBuild) -> Option<String> {
    match &stack.outcome {
        BuildOutcome::Built { .. } => None,
        BuildOutcome::Failed(failure) => Some(failure.to_string()),
    }
}

/// The time of each stage; products that a stack needs are added stage by stage, shared ones included.
fn listing(builds: &Builds, format: ListFormat) -> Listing {
    // A path has no meaning in a document.
    let with_path = format == ListFormat::Json;
    let columns = ["stack", "source s", "prefix s", "kit s", "driver s", "all s", "failed", "driver"];
    let columns = &columns[..if with_path { 8 } else { 7 }];
    let mut listing = Listing::new(columns.iter().copied());
    for stack in &builds.stacks {
        let sum = |wanted: &dyn Fn(Stage) -> bool| -> Value {
            let fitting = stack.stages.iter().filter(|time| wanted(time.stage)).map(|time| time.took_s);
            let sum = fitting.reduce(|one, other| one + other);
            Value::from(sum.map(|seconds| (seconds * 10.0).round() / 10.0))
        };
        let of = |stage: Stage| sum(&|other| other == stage);
        let [source, prefix, kit, driver] = [Stage::Source, Stage::Prefix, Stage::Kit, Stage::Driver].map(of);
        let program = match &stack.outcome {
            BuildOutcome::Built { driver, .. } => Some(driver.display().to_string()),
            BuildOutcome::Failed(_) => None,
        };
        let failed = failure(stack);
        let all = sum(&|_| true);
        let name = Value::from(stack.name.clone());
        let row = [name, source, prefix, kit, driver, all, Value::from(failed), Value::from(program)];
        listing.add(row.into_iter().take(columns.len()));
    }
    listing
}

fn line(stack: &StackBuild) -> String {
    match &stack.outcome {
        BuildOutcome::Built { driver, .. } => {
            format!("{}: {}{}", stack.name, driver.display(), times(&stack.stages))
        }
        BuildOutcome::Failed(failure) => format!("{}: failed: {failure}", stack.name),
    }
}

/// How long the stages took, in a line.
fn times(took: &[StageTime]) -> String {
    let each: Vec<String> =
        took.iter().map(|StageTime { stage, took_s }| format!("{stage} {took_s:.1}")).collect();
    let all: f64 = took.iter().map(|time| time.took_s).sum();
    if took.is_empty() { String::new() } else { format!(" ({all:.1} s: {})", each.join(", ")) }
}
