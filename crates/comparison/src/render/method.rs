//! How a comparison was measured and decided, from what was done.

use tlslab_text::number::{counted, measured_percent, percent};

use crate::compared::Compared;
use crate::model::{Comparison, Effect};
use crate::significance::APART;

use super::scatter::scatter;

/// The same, a sentence each.
pub fn method(comparison: &Comparison) -> Vec<String> {
    let design = &comparison.design;
    let has =
        |wanted: &dyn Fn(Compared) -> bool| comparison.changes.iter().any(|change| wanted(change.metric));
    let is_timed = has(&|metric| metric == Compared::Time);
    let is_counted = has(&|metric| metric == Compared::Instructions);
    let is_contended = has(&|metric| metric == Compared::ContendedAtomics);
    let is_weighed = has(&|metric| metric == Compared::Peak);
    let is_sized = has(&|metric| metric == Compared::CodeSize);
    let mut lines = Vec::new();
    if design.arrangement == APART {
        lines.push(
            "Two recorded runs, measured at different times: changes of the machine count as changes."
                .to_owned(),
        );
    } else if is_timed && !design.looks.is_empty() {
        lines.extend(timed(comparison));
    }
    if is_counted {
        lines.extend(repeated(comparison, Compared::Instructions, "Counts use", "seed"));
        lines.extend(design.counter.iter().cloned());
    }
    if is_weighed {
        lines.extend(repeated(comparison, Compared::Peak, "Memory was measured in", "process"));
    }
    if is_contended {
        lines.extend(repeated(comparison, Compared::ContendedAtomics, "Contention was noted in", "process"));
    }
    if is_sized {
        lines.push(
            "Sizes were read once from the programs that were built: any byte is a change, and one of at least the floor a regression \
             or an improvement."
                .to_owned(),
        );
    }
    lines.extend(comparison.pairs.iter().flat_map(|pair| pair.fixed_layout.iter().cloned()));
    if is_timed {
        lines.extend(scatter(comparison));
        lines.extend(design.canary.iter().chain(&design.chosen).cloned());
        lines.push(format!(
            "A time must change by more than {}; of the flagged times at most {} are false.",
            measured_percent(design.time_floor_percent / 100.0),
            percent(design.false_discovery_rate)
        ));
        if design.arrangement != APART {
            lines.push(format!(
                "Timed cells whose interval lies within ±{} were not measured further.",
                measured_percent(design.negligible_percent / 100.0)
            ));
        }
    }
    let exact = match (is_counted || is_contended, is_weighed) {
        (true, true) => "A count or memory",
        (true, false) => "A count",
        (false, true) => "Memory",
        (false, false) => return lines,
    };
    lines.push(format!(
        "{exact} must change by more than {}.",
        measured_percent(design.exact_floor_percent / 100.0)
    ));
    lines
}

fn timed(comparison: &Comparison) -> Vec<String> {
    let design = &comparison.design;
    let fresh = match design.fixed_layout {
        true => "new processes in each round and the code where the linker put it",
        false => "new processes and code layouts in each round",
    };
    let looks: Vec<String> = design.looks.iter().map(u32::to_string).collect();
    let confirmed = match design.confirmation {
        0 => String::new(),
        rounds => format!("; what was flagged was confirmed in {}", counted(rounds, "further round")),
    };
    vec![
        format!("Baseline and candidate were timed together ({}), with {fresh}.", design.arrangement),
        format!("Times could be decided after {} rounds{confirmed}.", looks.join(", ")),
    ]
}

/// How often something was counted or weighed.
fn repeated(comparison: &Comparison, of: Compared, begin: &str, what: &str) -> Option<String> {
    let effects: Vec<&Effect> = comparison
        .changes
        .iter()
        .filter(|change| change.metric == of)
        .filter_map(|change| change.effect())
        .collect();
    let again = |effect: &Effect| effect.confirmation.as_ref().map_or(0, |confirmation| confirmation.n);
    let most = effects.iter().map(|effect| effect.n).max().filter(|n| *n > 0)?;
    let first = match (of, comparison.design.seeds) {
        // Where seeds are recorded, a confirmed cell's number is of all.
        (Compared::Instructions, seeds) if seeds > 0 => seeds,
        _ => most,
    };
    let further: Vec<usize> = effects.iter().map(|effect| again(effect)).filter(|n| *n > 0).collect();
    let further = match (further.iter().min(), further.iter().max()) {
        (Some(fewest), Some(most)) if fewest == most => {
            format!("; flagged cells were repeated with {most} more")
        }
        (Some(fewest), Some(most)) => format!("; flagged cells were repeated with {fewest} to {most} more"),
        _ => String::new(),
    };
    Some(format!("{begin} {}{further}.", counted(first, what)))
}
