//! `tlslab choose`: ranks stacks for a workload. Missing costs are measured.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use serde::Serialize;
use tlslab_choice::{
    Candidate, Cores, Excluded, MemoryRanking, Mix, PROFILES, Profile, Ranking, SeveralLibraries, WireOf,
    WireRanking, Work, scenarios_of,
};
use tlslab_estimate::Family;
use tlslab_job::{Request, Status};
use tlslab_lab::request::RunRequest;
use tlslab_lab::{Asked, Costs, Error, Problem, Results, Wanted, costs, host_class, line_move_ns};
use tlslab_protocol::{Measure, Scenario};
use tlslab_record::{Policy, Seconds};
use tlslab_site::Source;

use crate::cli::{Invocation, KeptArgs, ListFormat};
use crate::session::{Lab, carried_out};

/// Arguments of `choose`.
#[derive(Args)]
pub(crate) struct ChooseArgs {
    /// The profile of the connections.
    #[arg(long, value_name = "NAME", default_value = "web-server", value_parser = profile_names())]
    pub profile: String,
    /// Your own mix: changes to the profile, such as resumed_percent=80,key=rsa-2048, or a file with one
    /// `FIELD = VALUE` a line. Fields: side, key, group, mutual, resumed_percent, kib_per_connection,
    /// direction.
    #[arg(long, value_name = "FIELD=VALUE,...|FILE")]
    pub mix: Option<String>,
    /// A stack to choose from; may be repeated [default: stacks in [run] of tlslab.toml].
    #[arg(long = "stack", value_name = "STACK")]
    pub stacks: Vec<String>,
    /// What decides. Instructions compare versions and builds of one library; they do not rank libraries.
    #[arg(long, value_enum, default_value_t = ChosenBy::Time)]
    pub by: ChosenBy,
    /// With --by memory, the number of idle connections.
    #[arg(long, value_name = "N", default_value = "10000")]
    pub connections: NumberOfConnections,
    /// Rank by the total rate of this many cores: that of one core times their number, limited by contention
    /// between threads.
    #[arg(long, value_name = "N")]
    pub cores: Option<NumberOfCores>,
    /// With --cores, the time of a write that moves a cache line between two cores, ns [default: measured on
    /// this host].
    #[arg(long, value_name = "NS", requires = "cores")]
    pub line_move: Option<Nanoseconds>,
    /// How long measuring may take, such as 45s, 10m, 1h [default: 5 s for each scenario].
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Seconds>,
    /// Measure all stacks, even if their costs on this kind of machine are known.
    #[arg(long, conflicts_with_all = ["recorded", "no_measuring"])]
    pub again: bool,
    /// Measure nothing: choose by recorded results of any machine.
    #[arg(long)]
    pub no_measuring: bool,
    /// A database that was packed by zstd, instead of the one with the runs; nothing is measured.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "store"])]
    pub recorded: Option<PathBuf>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// The profiles with what each assumes.
fn profile_names() -> PossibleValuesParser {
    let value = |profile: &Profile| PossibleValue::new(profile.name).help(profile.assumes);
    PossibleValuesParser::new(PROFILES.iter().map(value))
}

/// The number of open connections.
type NumberOfConnections = tlslab_record::Count<1, 1_000_000_000>;
/// Processors of a host.
type NumberOfCores = tlslab_record::Count<1, 100_000>;
/// The time of a cache line's move.
type Nanoseconds = tlslab_record::Count<1, 1_000_000>;

/// What decides.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChosenBy {
    /// Time.
    Time,
    /// Instructions, of versions and builds of one library.
    Instructions,
    /// Memory of idle connections.
    Memory,
    /// Bytes on the wire beyond the payload.
    Wire,
}

impl ChosenBy {
    /// The metric.
    pub(crate) fn metric(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Instructions => "count.instructions",
            Self::Memory => "idle.resident",
            Self::Wire => "wire.handshake",
        }
    }
}

/// Chooses.
pub(crate) fn choose(lab: &Lab, args: &ChooseArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let mix = mix(args)?;
    let cores = cores(&mix, args)?;
    let asked = match args.stacks.is_empty() && args.recorded.is_none() {
        true => lab.environment.run.stacks.clone(),
        false => args.stacks.clone(),
    };
    let wanted = asked.iter().map(|stack| Wanted::parse(stack)).collect::<Result<Vec<_>, _>>()?;
    if let Some(several) = SeveralLibraries::among(wanted.iter().map(|one| one.text.as_str()))
        && mix.is_counted()
    {
        bail!(refused(&several));
    }
    if args.recorded.is_none() {
        let index = lab.environment.recipe_index()?;
        wanted.iter().try_for_each(|one| index.named(&one.text).map(|_| ()))?;
    }
    let catalogue = lab.environment.catalogue()?;
    let all: Vec<Scenario> = catalogue.scenarios().cloned().collect();
    let (needed, missing) = scenarios_of(&mix, &all);
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(Work::name).collect();
        bail!(
            "no scenario measures the cost of {}; write a key and a group of `tlslab scenarios 'handshake/1.3/**'`",
            names.join(" and ")
        );
    }
    if let Some(file) = &args.recorded {
        let source = Source::recorded(file, Policy::default().history)?;
        let known = costs(source.store(), &mix, Asked::Anywhere, &all, &wanted)?;
        return print(&mix, &known, cores, args);
    }
    let results = args.kept.results();
    let measures = !args.no_measuring;
    let class = host_class();
    let here = if measures { Asked::On(&class) } else { Asked::Anywhere };
    let known = recorded(&results, &mix, here, &all, &wanted)?;
    let unknown: Vec<String> = asked
        .iter()
        .zip(&wanted)
        .filter(|(_, wanted)| args.again || !is_known(wanted, &known, &mix, cores, args.by))
        .map(|(stack, _)| stack.clone())
        .collect();
    if !measures || unknown.is_empty() {
        return print(&mix, &known, cores, args);
    }
    let request = request(unknown, &needed, args);
    let outcome = match carried_out(lab, &results, &lab.new_job(), &Request::Run(Box::new(request))) {
        Ok(outcome) => outcome,
        Err(Error::Interrupted { run }) => {
            let again =
                run.map_or_else(|| "tlslab choose".to_owned(), |run| format!("tlslab run --resume {run}"));
            errln!(
                "interrupted; measurements are saved. To resume: {}",
                invocation.complete(&format!("`{again}`"))
            );
            return Ok(Status::Interrupted);
        }
        Err(Error::Failed(cause)) => return Err(cause),
    };
    let known = recorded(&results, &mix, here, &all, &wanted)?;
    let printed = print(&mix, &known, cores, args)?;
    Ok(if printed == Status::Done { outcome.status() } else { printed })
}

fn mix(args: &ChooseArgs) -> anyhow::Result<Mix> {
    let profile = || {
        let profile = PROFILES.iter().find(|profile| profile.name == args.profile);
        profile.map(Profile::mix).with_context(|| format!("there is no profile {:?}", args.profile))
    };
    let mix = match &args.mix {
        Some(fields) if fields.contains('=') => {
            let next = "such as --mix resumed_percent=80,key=rsa-2048";
            profile()?.changed(fields).map_err(|cause| Problem::invalid("mix", fields, cause, next))?
        }
        Some(file) => {
            let next = "write FIELD=VALUE, such as resumed_percent=80, or name a file";
            let text = fs::read_to_string(file)
                .map_err(|cause| Problem::invalid("mix", format!("{file:?}"), cause.to_string(), next))?;
            Mix::read(file, &text).map_err(|cause| anyhow!("{file}: {cause}"))?
        }
        None => profile()?,
    };
    Ok(Mix { metric: args.by.metric().to_owned(), ..mix })
}

fn recorded(
    results: &Results,
    mix: &Mix,
    from: Asked<'_>,
    all: &[Scenario],
    wanted: &[Wanted],
) -> anyhow::Result<Costs> {
    let address = results.address();
    // Before the first run there is no database.
    if matches!(&address, tlslab_store::Address::Sqlite(path) if !path.is_file()) {
        return Ok(Costs::default());
    }
    let store = tlslab_store::open_to_read(&address)?;
    costs(&*store, mix, from, all, wanted)
}

fn is_known(wanted: &Wanted, known: &Costs, mix: &Mix, cores: Option<Cores>, by: ChosenBy) -> bool {
    let found = known.candidates.get(&wanted.text);
    let is_whole = |candidate: &Candidate| match by {
        ChosenBy::Memory => candidate.is_weighed(mix),
        ChosenBy::Wire => WireOf::is_known(mix, candidate),
        _ => candidate.is_measured(mix) && (cores.is_none() || candidate.has_limits(mix)),
    };
    wanted.is_release && found.is_some_and(is_whole)
}

/// The requested cores, and the time of a cache line's move between them.
fn cores(mix: &Mix, args: &ChooseArgs) -> anyhow::Result<Option<Cores>> {
    let Some(number) = args.cores else { return Ok(None) };
    if mix.metric != "time" {
        let cause = "the total of several cores is a rate, which needs times";
        bail!(Problem::invalid("cores", number.to_string(), cause, "choose by time"));
    }
    let given = args.line_move.map(|ns| ns.get() as f64);
    let Some(move_ns) = given.or_else(line_move_ns) else {
        let cause = "this host has one processor, so the move of a cache line between two cannot be measured";
        bail!(Problem::invalid(
            "cores",
            number.to_string(),
            cause,
            "give its time in ns, such as --line-move 60"
        ));
    };
    Ok(Some(Cores { number: number.get() as u32, move_ns }))
}

fn request(stacks: Vec<String>, scenarios: &[&Scenario], args: &ChooseArgs) -> RunRequest {
    // Idle connections send nothing.
    let is_asked = |scenario: &&&Scenario| args.by != ChosenBy::Wire || Family::of(scenario) != Family::Idle;
    RunRequest {
        stacks,
        scenarios: scenarios.iter().filter(is_asked).map(|scenario| scenario.name.clone()).collect(),
        metrics: match args.by {
            ChosenBy::Time if args.cores.is_some() => vec![Measure::Time, Measure::Heap, Measure::Contention],
            ChosenBy::Time => vec![Measure::Time, Measure::Heap],
            ChosenBy::Instructions => vec![Measure::Count, Measure::Heap],
            ChosenBy::Memory => vec![Measure::Heap],
            ChosenBy::Wire => vec![Measure::Wire],
        },
        budget_s: args.budget,
        ..RunRequest::default()
    }
}

/// What `--format json` prints.
#[derive(Serialize)]
struct Chosen<'c, R> {
    answer: String,
    #[serde(flatten)]
    ranking: &'c R,
    runs: &'c BTreeSet<String>,
    machines: &'c BTreeSet<String>,
}

fn print(mix: &Mix, known: &Costs, cores: Option<Cores>, args: &ChooseArgs) -> anyhow::Result<Status> {
    let candidates: Vec<Candidate> = known.candidates.values().cloned().collect();
    match args.by {
        ChosenBy::Memory => return print_memory(mix, &candidates, known, args),
        ChosenBy::Wire => return print_wire(mix, &candidates, known, args),
        ChosenBy::Time | ChosenBy::Instructions => {}
    }
    let ranking = Ranking::of(mix, &candidates, &known.pairs).map_err(|several| refused(&several))?;
    let ranking = match cores {
        Some(cores) => ranking.on_cores(&candidates, cores),
        None => ranking,
    };
    let answer = ranking.answer();
    let status = if ranking.ranked.is_empty() { Status::WithFailures } else { Status::Done };
    match args.format {
        ListFormat::Json => return print_json(answer, &ranking, known).map(|()| status),
        ListFormat::Markdown => {
            out!("{}", ranking.text(tlslab_text::ListFormat::Markdown));
            return Ok(status);
        }
        ListFormat::Table => {}
    }
    outln!("{answer}.\n");
    outln!("{}: {}.\n", mix.title, mix.assumes);
    out!("{}", ranking.text(tlslab_text::ListFormat::Table));
    if let Some(per_million) = ranking.per_million() {
        outln!("\n{per_million}");
    }
    print_excluded(&ranking.excluded);
    outln!("\n{}", origin(known, !ranking.ranked.is_empty(), args));
    if let Some(Cores { move_ns, .. }) = cores {
        let origin = if args.line_move.is_some() { "as stated" } else { "measured on this host" };
        outln!(
            "A write that moves a cache line takes {move_ns:.0} ns, {origin}. Rates of several cores are bounds, not forecasts: \
             docs/methodology/contention.md has their limits."
        );
    }
    if mix.is_counted() {
        outln!("Valgrind counts the code that runs on a processor with fewer features than this one.");
    }
    Ok(status)
}

/// What `--by memory` prints.
fn print_memory(
    mix: &Mix,
    candidates: &[Candidate],
    known: &Costs,
    args: &ChooseArgs,
) -> anyhow::Result<Status> {
    let ranking = MemoryRanking::of(mix, candidates, args.connections.get());
    let status = if ranking.ranked.is_empty() { Status::WithFailures } else { Status::Done };
    let answer = ranking.answer();
    match args.format {
        ListFormat::Json => {
            // Other runs have times or counts of the same stacks.
            let (runs, classes) = (MemoryRanking::runs(mix, candidates), known.classes.clone());
            let known = Costs { runs, classes, ..Costs::default() };
            return print_json(answer, &ranking, &known).map(|()| status);
        }
        ListFormat::Markdown => out!("{answer}.\n\n{}", ranking.text(tlslab_text::ListFormat::Markdown)),
        ListFormat::Table => out!("{answer}.\n\n{}", ranking.text(tlslab_text::ListFormat::Table)),
    }
    print_excluded(&ranking.excluded);
    Ok(status)
}

/// What `--by wire` prints.
fn print_wire(
    mix: &Mix,
    candidates: &[Candidate],
    known: &Costs,
    args: &ChooseArgs,
) -> anyhow::Result<Status> {
    let ranking = WireRanking::of(mix, candidates);
    let status = if ranking.ranked.is_empty() { Status::WithFailures } else { Status::Done };
    let (answer, runs) = (ranking.answer(), WireRanking::runs(candidates));
    let text = |format| format!("{answer}.\n\n{}: {}.\n\n{}", mix.title, mix.assumes, ranking.text(format));
    match args.format {
        ListFormat::Json => {
            let known = Costs { runs, classes: known.classes.clone(), ..Costs::default() };
            return print_json(answer, &ranking, &known).map(|()| status);
        }
        ListFormat::Markdown => out!("{}", text(tlslab_text::ListFormat::Markdown)),
        ListFormat::Table => out!("{}", text(tlslab_text::ListFormat::Table)),
    }
    print_excluded(&ranking.excluded);
    Ok(status)
}

fn print_json<R: Serialize>(answer: String, ranking: &R, known: &Costs) -> anyhow::Result<()> {
    let chosen = Chosen { answer, ranking, runs: &known.runs, machines: &known.classes };
    outln!("{}", serde_json::to_string_pretty(&chosen)?);
    Ok(())
}

/// The stacks that are not ranked, with the reasons.
fn print_excluded(excluded: &[Excluded]) {
    if !excluded.is_empty() {
        outln!("\nNot ranked:");
    }
    for one in excluded {
        outln!("  {}: {}", one.stack, one.why);
    }
}

/// Where the costs come from.
fn origin(known: &Costs, is_ranked: bool, args: &ChooseArgs) -> String {
    if !is_ranked && !known.runs.is_empty() {
        return "Recorded results of these stacks lack costs of this mix; omit --no-measuring or --recorded to measure them."
            .to_owned();
    }
    let machine = known.classes.iter().map(String::as_str).collect::<Vec<_>>().join("; ");
    let mut runs = known.runs.iter();
    match (runs.next(), known.runs.len()) {
        (None, _) => {
            "No results of these stacks are recorded; omit --no-measuring to measure them.".to_owned()
        }
        (Some(run), 1) => {
            format!("Measured in run {run} on {machine}; another processor may rank them differently.")
        }
        (Some(_), number) => {
            let again = match args.recorded.is_some() || args.no_measuring {
                true => "",
                false => "\n`tlslab choose --again` measures all of them in one run.",
            };
            // One stack's costs, or those of different stacks, come from several runs.
            let words = match known.pairs.is_empty() {
                true => ", so not measured side by side",
                false => ", some of them side by side",
            };
            format!("From {number} separate runs on {machine}{words} (`--format json` names them).{again}")
        }
    }
}

/// Fails if counts were to rank libraries.
fn refused(several: &SeveralLibraries) -> Problem {
    let next = "rank them by time, `tlslab choose`, or name versions and builds of one library, such as --stack NAME@VERSION --stack NAME";
    Problem::invalid("by", several.names().join(", "), SeveralLibraries::WHY, next)
}
