//! This host's noise, the smallest detectable change, and disturbances.

use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_comparison::{Compared, Comparison, Effect, TimeRule};
use tlslab_protocol::{Measure, Side};
use tlslab_recipe::StackRequest;
use tlslab_record::{Arrangement, ComparisonPlan, Policy};
use tlslab_stats::standard_deviation;

use crate::compare::{ComparisonDesign, DecisionRule, judge_unrecorded, planned, scenarios};
use crate::error::Error;
use crate::host::line_moves::LineMove;
use crate::host::{Watch, line_moves};
use crate::progress::steps::RunEvents;
use crate::request::DoctorRequest;
use crate::session::Session;
use crate::session::job_id::JobId;
use tlslab_text::number::percent;

/// The time limit of a driver's answer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The result of a diagnosis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// The stack, which was compared with itself.
    pub stack: String,
    /// Rounds of new processes.
    pub rounds: u32,
    /// The duration of each visit, s.
    pub visit_s: f64,
    /// Every arrangement of slices.
    pub arrangements: Vec<ArrangementNoise>,
    /// The cost of a contended write between some pairs of processors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line_moves: Vec<LineMove>,
    /// Disturbances of measurements here, with remedies.
    pub warnings: Vec<String>,
}

/// The noise of an arrangement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArrangementNoise {
    /// The arrangement.
    pub arrangement: Arrangement,
    /// Every timed cell.
    pub cells: Vec<CellNoise>,
}

/// The noise of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellNoise {
    /// The scenario.
    pub scenario: String,
    /// The side.
    pub side: Side,
    /// The standard deviation of a round's log ratio, without a unit.
    pub spread: f64,
    /// For each budget of a cell, the smallest detectable change.
    pub detectable: Vec<Detectable>,
}

/// The smallest change that is detected four times out of five within a budget, or why it is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Detectable {
    /// The budget of a cell, s.
    pub budget_s: f64,
    /// The change, as a share.
    pub change: Option<f64>,
    /// Why the change is unknown.
    pub reason: Option<String>,
}

/// Compares a stack with itself in every arrangement.
///
/// # Errors
/// Fails if the stack or a scenario does not exist, or if the comparison is impossible.
pub fn doctor(session: &Session<'_>, request: &DoctorRequest) -> Result<Diagnosis, Error> {
    let (scenarios, _) = scenarios(session.environment(), &request.suite, &request.scenarios)?;
    let policy = session.policy();
    let rounds = policy.examination.doctor_rounds;
    let watch = Watch::start();
    session.reporter().note(watch.at_start());
    let cpus: Vec<u32> = tlslab_host::usable_cpus(Path::new("/")).into_iter().collect();
    let line_moves = line_moves::measure(&cpus);
    let mut arrangements = vec![Arrangement::Interleaved, Arrangement::Turns];
    if cpus.len() > 1 {
        arrangements.push(Arrangement::Duet);
    }
    let visits = rounds * arrangements.len() as u32 * scenarios.len() as u32;
    let visit = (request.budget_s.duration() / visits).max(Duration::from_millis(40));
    let stack = session.reporter().finished(None, StackRequest::parse(&request.stack).map_err(Into::into))?;
    let mut found = Vec::new();
    for arrangement in arrangements {
        let rule = DecisionRule { looks: vec![rounds], visit, arrangement, ..DecisionRule::from(policy) };
        let design = ComparisonDesign {
            id: JobId::new().to_string(),
            request: serde_json::Value::Null,
            pairs: vec![[stack.clone(), stack.clone()]],
            scenarios: scenarios.clone(),
            suite: "custom".to_owned(),
            metrics: vec![Measure::Time],
            canaries: Vec::new(),
            counting: None,
            rule,
            seed: 1,
            timeout: TIMEOUT,
            planted: Default::default(),
            // Twins: code layout is part of the noise.
            new_first_layout: 1_000,
            detects_identical: false,
        };
        let (plan, programs) = session.reporter().finished(None, planned(&session.workshop, &design))?;
        let judged = judge_unrecorded(
            &session.workshop,
            &plan,
            &programs,
            TIMEOUT,
            &mut RunEvents::of(&session.workshop, &plan),
        );
        let comparison = session.reporter().finished(None, judged)?;
        let mut cells = Vec::new();
        let timed: Vec<_> =
            comparison.changes.iter().filter(|change| change.metric == Compared::Time).collect();
        for change in &timed {
            let (Some(effect), Some(side)) = (change.effect(), change.side) else { continue };
            let logarithms: Vec<f64> = effect.ratios.iter().map(|ratio| ratio.ln()).collect();
            let spread = standard_deviation(&logarithms).map_err(anyhow::Error::from)?;
            let detectable = request
                .budgets_s
                .iter()
                .map(|budget| Detectable::of(effect, spread, (budget.get(), visit), &comparison, policy));
            cells.push(CellNoise {
                scenario: change.scenario.clone(),
                side,
                spread,
                detectable: detectable.collect(),
            });
        }
        found.push(ArrangementNoise { arrangement, cells });
    }
    Ok(Diagnosis {
        stack: request.stack.clone(),
        rounds,
        visit_s: visit.as_secs_f64(),
        arrangements: found,
        line_moves,
        warnings: watch.warnings(),
    })
}

impl Detectable {
    /// By the rule of a comparison in which one of a scenario's two cells has so much time. Longer visits
    /// have more slices, which reduces the scatter between slices, but not between processes.
    fn of(
        effect: &Effect,
        round: f64,
        (budget_s, measured): (f64, Duration),
        comparison: &Comparison,
        policy: &Policy,
    ) -> Self {
        let because = |reason: String| Self { budget_s, change: None, reason: Some(reason) };
        let rule = match DecisionRule::from(policy).within(Duration::from_secs_f64(2.0 * budget_s)) {
            Ok(rule) => rule,
            Err(least) => return because(format!("needs {:.1} s", least.as_secs_f64() / 2.0)),
        };
        let slices = effect.spread.map_or(0.0, |spread| spread.slices).min(round);
        let longer = rule.visit.as_secs_f64() / measured.as_secs_f64().max(f64::MIN_POSITIVE);
        let spread = (round.powi(2) - slices.powi(2) + slices.powi(2) / longer).sqrt();
        let cells = comparison.changes.iter().filter(|change| change.metric == Compared::Time).count();
        let time_floor = (comparison.design.time_floor_percent / 100.0).ln_1p();
        let plan = ComparisonPlan { time_floor, ..ComparisonPlan::by(policy, &rule.rounds()) };
        let whole = TimeRule::of(&plan, policy)
            .map(|rule| rule.whole(cells, 1))
            .map_err(|refused| refused.to_string());
        match whole {
            Ok(Some(whole)) => match whole.detectable_share(spread) {
                Some(change) => Self { budget_s, change: Some(change), reason: None },
                None => because("no change is detectable".to_owned()),
            },
            Ok(None) => because("no cell is timed".to_owned()),
            Err(refused) => because(refused),
        }
    }
}

/// A diagnosis as text for a terminal.
pub fn diagnosis_text(diagnosis: &Diagnosis) -> String {
    let Diagnosis { stack, rounds, visit_s, .. } = diagnosis;
    let mut lines = vec![
        format!(
            "{stack} against itself, {} of fresh processes, {visit_s:.2} s each",
            tlslab_text::number::counted(rounds, "round")
        ),
        String::new(),
    ];
    for noise in &diagnosis.arrangements {
        lines.push(format!(
            "{}: spread between rounds, and the smallest change of time that is detected four times out of five,",
            noise.arrangement.name()
        ));
        lines.push("by the time spent on a cell".to_owned());
        for cell in &noise.cells {
            let detectable =
                cell.detectable.iter().map(|Detectable { budget_s, change, reason }| match change {
                    Some(share) => format!("{budget_s:.0} s: {}", percent((share * 1e5).ceil() / 1e5)),
                    None => reason.clone().unwrap_or_default(),
                });
            lines.push(format!(
                "  {:<66} {:<7} {:>9}  {}",
                cell.scenario,
                cell.side.to_string(),
                percent((cell.spread * 1e5).round() / 1e5),
                detectable.collect::<Vec<_>>().join("  ")
            ));
        }
        lines.push(String::new());
    }
    lines.extend(Some(line_moves::text(&diagnosis.line_moves)).filter(|text| !text.is_empty()));
    match diagnosis.warnings.is_empty() {
        true => lines.push("no disturbance of measurements was found".to_owned()),
        false => lines.push("disturbances of measurements on this host, with remedies:".to_owned()),
    }
    lines.extend(diagnosis.warnings.iter().map(|warning| format!("- {warning}")));
    lines.join("\n") + "\n"
}
