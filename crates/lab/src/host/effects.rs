//! Two diagnoses of a host, before and after its settings changed.

use tlslab_stats::student_quantile;

use crate::host::doctor::{ArrangementNoise, CellNoise, Diagnosis};
use crate::problem::Problem;
use tlslab_text::number::percent;

/// The confidence of the interval of each ratio of two spreads.
const CONFIDENCE: f64 = 0.95;

/// By which factor a measured ratio of two standard deviations of `rounds` normal values may exceed the true
/// one.
///
/// F of equal degrees ν is such that (√ν/2)·(√F − 1/√F) has Student's t distribution of ν degrees (Cacoullos
/// 1965), so that its quantile needs that of t alone: √F = u + √(1 + u²) with u = t/√ν.
fn reach(rounds: u32) -> f64 {
    let degrees = f64::from(rounds.saturating_sub(1).max(1));
    let u = student_quantile((1.0 + CONFIDENCE) / 2.0, degrees) / degrees.sqrt();
    u + (1.0 + u * u).sqrt()
}

/// A table for both: spreads, their ratio with its interval, and the smallest detectable changes.
///
/// # Errors
/// Fails if the diagnoses are of different stacks, or have different options.
pub fn effects_text(before: &Diagnosis, after: &Diagnosis) -> Result<String, Problem> {
    let of = |diagnosis: &Diagnosis| {
        let Diagnosis { stack, rounds, visit_s, .. } = diagnosis;
        format!("{stack}, {} of {visit_s:.2} s", tlslab_text::number::counted(rounds, "round"))
    };
    if of(before) != of(after) || before.rounds < 2 {
        let cause = format!("{} before and {} after cannot be compared", of(before), of(after));
        return Err(Problem::invalid("effects", "effects", cause, "measure both with the same options"));
    }
    let reach = reach(before.rounds);
    let mut lines = vec![
        format!("{} each: spread between rounds before and after, their ratio with its 95 % interval,", of(before)),
        "and the smallest change of time that is detected four times out of five, by the time spent on a cell".to_owned(),
    ];
    let (mut less, mut more, mut neither, mut missing) = (0, 0, 0, 0);
    for noise in &before.arrangements {
        let ArrangementNoise { arrangement, cells } = noise;
        let afterwards = after.arrangements.iter().find(|other| other.arrangement == *arrangement);
        lines.push(format!("{}:", arrangement.name()));
        for cell in cells {
            let is_same = |other: &&CellNoise| other.scenario == cell.scenario && other.side == cell.side;
            let Some(other) = afterwards.and_then(|noise| noise.cells.iter().find(is_same)) else {
                missing += 1;
                continue;
            };
            let ratio = other.spread / cell.spread;
            let interval = (ratio / reach, ratio * reach);
            match interval {
                (_, high) if high < 1.0 => less += 1,
                (low, _) if low > 1.0 && low.is_finite() => more += 1,
                _ => neither += 1,
            }
            lines.push(line(cell, other, ratio, interval));
        }
    }
    let cells = |after: usize| tlslab_text::number::counted(after, "cell");
    lines.push(String::new());
    lines.push(format!(
        "less noise in {}, more in {}, inconclusive in {} (the interval of the ratio contains 1)",
        cells(less),
        cells(more),
        cells(neither)
    ));
    if missing > 0 {
        lines.push(format!("{} only measured before", cells(missing)));
    }
    lines.push(format!(
        "spreads of {} rounds are uncertain: a ratio between {:.2} and {reach:.2} may be due to chance",
        before.rounds,
        1.0 / reach
    ));
    for (when, diagnosis) in [("before", before), ("after", after)] {
        lines.extend(diagnosis.warnings.iter().map(|warning| format!("- noise {when}: {warning}")));
    }
    Ok(lines.join("\n") + "\n")
}

fn line(before: &CellNoise, after: &CellNoise, ratio: f64, (low, high): (f64, f64)) -> String {
    let spread = |cell: &CellNoise| percent((cell.spread * 1e5).round() / 1e5);
    let change = |change: Option<f64>| match change {
        Some(share) => percent((share * 1e5).ceil() / 1e5),
        None => "none".to_owned(),
    };
    let of_budget = |budget_s: f64| after.detectable.iter().find(|other| other.budget_s == budget_s);
    let detectable = before.detectable.iter().filter_map(|was| {
        let is = of_budget(was.budget_s)?;
        Some(format!("{:.0} s: {} → {}", was.budget_s, change(was.change), change(is.change)))
    });
    let ratio = match ratio.is_finite() {
        true => format!("×{ratio:.2} [{low:.2}, {high:.2}]"),
        false => "no ratio".to_owned(),
    };
    format!(
        "  {:<66} {:<7} {:>9} → {:<9} {ratio:<20}  {}",
        before.scenario,
        before.side.to_string(),
        spread(before),
        spread(after),
        detectable.collect::<Vec<_>>().join("  ")
    )
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::Side;
    use tlslab_record::Arrangement;

    use super::*;
    use crate::host::doctor::Detectable;

    fn diagnosis(spreads: [f64; 3]) -> Diagnosis {
        let names = ["handshake", "transfer", "key"];
        let cell = |(name, spread): (&str, f64)| CellNoise {
            scenario: name.to_owned(),
            side: Side::Client,
            spread,
            detectable: vec![Detectable { budget_s: 10.0, change: Some(spread / 2.0), reason: None }],
        };
        let cells = names.into_iter().zip(spreads).map(cell).collect();
        let arrangements = vec![ArrangementNoise { arrangement: Arrangement::Interleaved, cells }];
        Diagnosis {
            stack: "library".to_owned(),
            rounds: 12,
            visit_s: 0.4,
            arrangements,
            line_moves: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The 97.5 % points of F are 3.4737 for 11 and 11 degrees, 9.6045 for 4 and 4, and 1.6668 for 60 and 60
    /// (tables of F).
    #[test]
    fn the_reach_is_the_root_of_f() {
        for (rounds, f) in [(12, 3.4737_f64), (5, 9.6045), (61, 1.6668)] {
            assert!((reach(rounds) / f.sqrt() - 1.0).abs() < 1e-4, "{rounds}: {}", reach(rounds).powi(2));
        }
    }

    #[test]
    fn a_table_of_both() {
        let text = effects_text(&diagnosis([0.01, 0.01, 0.0]), &diagnosis([0.005, 0.007, 0.0])).unwrap();
        let line =
            |name: &str| text.lines().find(|line| line.trim_start().starts_with(name)).unwrap().to_owned();
        // Half as large, and √F = 1.8638 either way.
        let halved = line("handshake");
        assert!(halved.contains("1 % → 0.5 %") && halved.contains("×0.50 [0.27, 0.93]"), "{halved}");
        assert!(halved.ends_with("10 s: 0.5 % → 0.25 %"), "{halved}");
        assert!(line("transfer").contains("×0.70 [0.38, 1.30]"));
        assert!(line("key").contains("no ratio"));
        assert!(text.contains("less noise in 1 cell, more in 0 cells, inconclusive in 2 cells"), "{text}");
        assert!(text.contains("a ratio between 0.54 and 1.86 may be due to chance"), "{text}");
    }

    #[test]
    fn unlike_diagnoses_are_not_compared() {
        let before = diagnosis([0.01; 3]);
        let after = Diagnosis { rounds: 24, ..before.clone() };
        assert!(effects_text(&before, &after).is_err());
        assert!(effects_text(&before, &before).is_ok());
    }
}
