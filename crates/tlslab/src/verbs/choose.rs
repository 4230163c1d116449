//! `tlslab choose`: which stack suits a mix of work. What is not known yet is measured.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, anyhow, bail};
use tlslab_choice::{Candidate, Mix, Ranking, Work, profiles, scenarios_of};
use tlslab_lab::request::RunRequest;
use tlslab_lab::{Asked, Costs, Error, Request, Results, Status, Wanted, costs, host_class};
use tlslab_protocol::{Metric, Scenario};
use tlslab_record::Policy;
use tlslab_site::Source;

use crate::cli::{ChooseArgs, ChosenBy, Invocation, ListFormat};
use crate::session::{Lab, carried_out};

/// Chooses.
pub fn choose(lab: &Lab, args: &ChooseArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let mix = mix(args)?;
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
        let wanted = args.stacks.iter().map(|stack| Wanted::parse(stack)).collect::<Result<Vec<_>, _>>()?;
        let known = costs(source.store(), &mix, Asked::Anywhere, &all, &wanted)?;
        return Ok(print(&mix, &known, args));
    }
    let results = args.kept.results();
    let asked = match args.stacks.is_empty() {
        true => lab.environment.run.stacks.clone(),
        false => args.stacks.clone(),
    };
    let wanted = asked.iter().map(|stack| Wanted::parse(stack)).collect::<Result<Vec<_>, _>>()?;
    let measures = !args.no_measuring;
    let class = host_class();
    let here = if measures { Asked::On(&class) } else { Asked::Anywhere };
    let known = recorded(&results, &mix, here, &all, &wanted)?;
    let unknown: Vec<String> = asked
        .iter()
        .zip(&wanted)
        .filter(|(_, wanted)| args.again || !is_known(wanted, &known, &mix))
        .map(|(stack, _)| stack.clone())
        .collect();
    if !measures || unknown.is_empty() {
        return Ok(print(&mix, &known, args));
    }
    let request = request(unknown, &needed, args);
    let outcome = match carried_out(lab, &results, &lab.new_job(), &Request::Run(Box::new(request))) {
        Ok(outcome) => outcome,
        Err(Error::Interrupted { run }) => {
            let again =
                run.map_or_else(|| "tlslab choose".to_owned(), |run| format!("tlslab run --resume {run}"));
            errln!(
                "interrupted; everything measured is kept. Go on with: {}",
                invocation.complete(&format!("`{again}`"))
            );
            return Ok(Status::Interrupted);
        }
        Err(Error::Failed(cause)) => return Err(cause),
    };
    let known = recorded(&results, &mix, here, &all, &wanted)?;
    let printed = print(&mix, &known, args);
    Ok(if printed == Status::Done { outcome.status() } else { printed })
}

fn mix(args: &ChooseArgs) -> anyhow::Result<Mix> {
    let mix = match &args.mix {
        Some(file) => {
            let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
            Mix::read(&file.display().to_string(), &text)
                .map_err(|cause| anyhow!("{}: {cause}", file.display()))?
        }
        None => profiles()
            .into_iter()
            .find(|mix| mix.name == args.profile)
            .with_context(|| format!("there is no profile {:?}", args.profile))?,
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

fn is_known(wanted: &Wanted, known: &Costs, mix: &Mix) -> bool {
    let found = known.candidates.get(&wanted.text);
    wanted.is_release && found.is_some_and(|candidate| candidate.is_measured(mix))
}

fn request(stacks: Vec<String>, scenarios: &[&Scenario], args: &ChooseArgs) -> RunRequest {
    RunRequest {
        stacks,
        scenarios: scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
        metrics: match args.by {
            ChosenBy::Time => vec![Metric::Time, Metric::Heap],
            ChosenBy::Instructions => vec![Metric::Count, Metric::Heap],
        },
        budget_s: args.budget,
        ..RunRequest::default()
    }
}

fn print(mix: &Mix, known: &Costs, args: &ChooseArgs) -> Status {
    let candidates: Vec<Candidate> = known.candidates.values().cloned().collect();
    let ranking = Ranking::of(mix, &candidates);
    if args.format != ListFormat::Table {
        out!("{}", ranking.text(args.format.into()));
        return status(&ranking);
    }
    outln!("{}.\n", ranking.answer());
    outln!("{}: {}.\n", mix.title, mix.assumes);
    out!("{}", ranking.text(tlslab_text::ListFormat::Table));
    if !ranking.missing.is_empty() {
        outln!("\nWithout a place:");
    }
    for one in &ranking.missing {
        outln!("  {}: {}", one.stack, one.why);
    }
    let listed = |texts: &BTreeSet<String>, between: &str| {
        texts.iter().map(String::as_str).collect::<Vec<_>>().join(between)
    };
    let (runs, machine) = (listed(&known.runs, ", "), listed(&known.classes, "; "));
    let is_only_read = args.recorded.is_some() || args.no_measuring;
    match known.runs.len() {
        0 => outln!("\nNothing is recorded of these stacks; without --no-measuring they are measured."),
        1 => outln!("\nMeasured in run {runs} on {machine}; another processor may rank them otherwise."),
        number => {
            outln!("\nMeasured in {number} runs on {machine}, not beside each other: {runs}.");
            if !is_only_read {
                outln!("`tlslab choose --again` measures all together.");
            }
        }
    }
    if args.by == ChosenBy::Instructions {
        outln!(
            "Valgrind counts what runs on a processor with fewer features than this one; times may rank them otherwise."
        );
    }
    status(&ranking)
}

fn status(ranking: &Ranking) -> Status {
    if ranking.ranked.is_empty() { Status::WithFailures } else { Status::Done }
}
