//! `tlslab doctor`: what this host's noise lets be seen, what disturbs it, and what to do about that.

use std::time::Duration;

use tlslab_comparison::Metric as Compared;
use tlslab_protocol::Metric;
use tlslab_record::Arrangement;
use tlslab_stats::{minimum_detectable_effect_of, standard_deviation};

use crate::Ended;
use crate::cli::DoctorArgs;
use crate::compare::{Job, Terms, judged, planned};
use crate::host::Watch;
use crate::house::House;
use crate::progress::RunProgress;
use crate::signals::cancel_flag;
use crate::validation::share_text;
use crate::verbs::compare::scenarios;

/// Rounds of fresh processes.
const ROUNDS: u32 = 12;
/// Of the test that the smallest change is told for.
const ALPHA: f64 = 0.005;

/// Compares a stack with itself in every arrangement, and tells.
pub fn doctor(house: &House, args: &DoctorArgs) -> anyhow::Result<Ended> {
    let cancel = cancel_flag()?;
    let (scenarios, _) = scenarios(house, &args.suite, &args.scenarios)?;
    let watch = Watch::start();
    let processors = tlslab_host::usable_cpus(std::path::Path::new("/")).len();
    let mut arrangements = vec![Arrangement::Interleaved, Arrangement::Turns];
    if processors > 1 {
        arrangements.push(Arrangement::Duet);
    }
    let visits = ROUNDS * arrangements.len() as u32 * scenarios.len() as u32;
    let visit = (args.budget / visits).max(Duration::from_millis(40));
    println!(
        "{} against itself, {ROUNDS} rounds of fresh processes, {:.2} s each\n",
        args.stack,
        visit.as_secs_f64()
    );
    for arrangement in arrangements {
        let job = Job {
            pairs: vec![(args.stack.clone(), args.stack.clone())],
            scenarios: scenarios.clone(),
            suite: "custom".to_owned(),
            metrics: vec![Metric::Time],
            counting: None,
            terms: Terms {
                looks: vec![ROUNDS],
                confirmation: 0,
                visit,
                arrangement,
                moves: true,
                ..Terms::default()
            },
            seed: 1,
            timeout: Duration::from_secs(30),
            burdens: Default::default(),
            // Twins: where code lies is part of the noise.
            new_first_layout: 1_000,
            tells_identical: false,
        };
        let Some((plan, programs)) = planned(house, &job, &cancel)? else { return Ok(Ended::Interrupted) };
        let mut progress = RunProgress::new();
        let comparison = judged(&plan, house, &programs, job.timeout, &mut progress, &cancel)?;
        progress.finish();
        let Some(comparison) = comparison else { return Ok(Ended::Interrupted) };
        println!(
            "{}: how much a round differs from the next, and the smallest change of time that would be found four",
            arrangement.name()
        );
        println!("times in five, by what is spent on a cell");
        for change in comparison.changes.iter().filter(|change| change.metric == Compared::Time) {
            let Some(effect) = change.effect() else { continue };
            let logarithms: Vec<f64> = effect.ratios.iter().map(|ratio| ratio.ln()).collect();
            let spread = standard_deviation(&logarithms)?;
            let found: Vec<String> = args.budgets.iter().map(|budget| told(spread, *budget, visit)).collect();
            println!(
                "  {:<66} {:<7} {:>9}  {}",
                change.scenario,
                change.side.to_string(),
                share_text((spread * 1e5).round() / 1e5),
                found.join("  ")
            );
        }
        println!();
    }
    let warnings = watch.warnings();
    if warnings.is_empty() {
        println!("nothing that disturbs measurements was seen");
    } else {
        println!("what disturbs measurements here, and what to do about it:");
        for warning in warnings {
            println!("- {warning}");
        }
    }
    println!("\ninstructions do not vary with a host's noise: `tlslab compare --metric count` counts them");
    Ok(Ended::Well)
}

/// The smallest change within a budget, for one cell of the two of a visit: more rounds, as long as those that were tried.
fn told(spread: f64, budget: Duration, visit: Duration) -> String {
    let rounds = (2.0 * budget.as_secs_f64() / visit.as_secs_f64()).floor().max(1.0) as usize;
    match minimum_detectable_effect_of(spread, rounds, ALPHA) {
        Ok(effect) => format!("{:.0} s: {}", budget.as_secs_f64(), share_text((effect * 1e5).ceil() / 1e5)),
        Err(refused) => refused.to_string(),
    }
}
