//! `tlslab build`: stacks from source, side by side.

use tlslab_build::Stage;
use tlslab_lab::{Environment, Error, build as build_stacks};

use crate::Ended;
use crate::cli::{BuildArgs, StacksFormat};
use crate::session::{Listing, in_session};

/// Builds what is named.
pub fn build(environment: &Environment, args: &BuildArgs) -> anyhow::Result<Ended> {
    let done = in_session(environment, Listing::All, |session| build_stacks(session, &args.request()));
    let builds = match done {
        Ok(builds) => builds,
        Err(Error::Interrupted { .. }) => {
            eprintln!("interrupted; what was built is kept, and `tlslab build` goes on");
            return Ok(Ended::Interrupted);
        }
        Err(Error::Failed(cause)) => return Err(cause),
    };
    if args.check_tools {
        println!("every program that these builds need is there");
        return Ok(Ended::Well);
    }
    if args.format == StacksFormat::Markdown {
        println!("| stack | source s | prefix s | kit s | driver s | all s |\n|---|--:|--:|--:|--:|--:|");
    }
    for stack in &builds.stacks {
        let name = &stack.name;
        match (&stack.built, args.format) {
            (Ok(_), StacksFormat::Markdown) => println!("{}", row(name, &stack.stages)),
            (Ok(built), StacksFormat::Table) => {
                println!("{name}: {}{}", built.driver.display(), times(&stack.stages));
            }
            (Err(failure), StacksFormat::Markdown) => println!("| {name} | failed: {failure} |"),
            (Err(failure), StacksFormat::Table) => println!("{name}: failed: {failure}"),
        }
    }
    let failed = builds.stacks.iter().filter(|stack| stack.built.is_err()).count();
    let took = builds.took.as_secs_f64();
    eprintln!("{} built, {failed} failed, in {took:.1} s", builds.stacks.len() - failed);
    Ok(if failed == 0 { Ended::Well } else { Ended::WithFailures })
}

/// A row of the table: what a stack needs is added up stage by stage, also what it shares with others.
fn row(name: &str, took: &[(Stage, f64)]) -> String {
    let sum = |wanted: &dyn Fn(Stage) -> bool| -> String {
        let fitting: Vec<f64> =
            took.iter().filter(|(stage, _)| wanted(*stage)).map(|(_, seconds)| *seconds).collect();
        if fitting.is_empty() { String::new() } else { format!("{:.1}", fitting.iter().sum::<f64>()) }
    };
    let of = |stage: Stage| sum(&|other| other == stage);
    let [source, prefix, kit, driver] = [Stage::Source, Stage::Prefix, Stage::Kit, Stage::Driver].map(of);
    format!("| {name} | {source} | {prefix} | {kit} | {driver} | {} |", sum(&|_| true))
}

/// The same in a line.
fn times(took: &[(Stage, f64)]) -> String {
    let each: Vec<String> = took.iter().map(|(stage, seconds)| format!("{stage} {seconds:.1}")).collect();
    let all: f64 = took.iter().map(|(_, seconds)| seconds).sum();
    if took.is_empty() { String::new() } else { format!(" ({all:.1} s: {})", each.join(", ")) }
}
