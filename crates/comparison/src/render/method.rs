//! How a comparison was measured and decided.

use tlslab_text::number::{counted, measured_percent, percent};

use crate::compared::Compared;
use crate::model::{Comparison, Effect};
use crate::significance::APART;

use super::scatter::scatter;

/// The method, one sentence each.
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
            "Two recorded runs, measured at different times: a change of the machine looks like one of the code."
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
    lines.extend(without_floor(comparison));
    if is_sized {
        lines.push(
            "Sizes were read once from the built programs. Any difference is a change; from the floor on it is a regression \
             or an improvement."
                .to_owned(),
        );
    }
    lines.extend(comparison.pairs.iter().flat_map(|pair| pair.fixed_layout.iter().cloned()));
    if is_timed {
        lines.extend(scatter(comparison));
        lines.extend(design.canary.iter().chain(&design.chosen).cloned());
        lines.push(format!(
            "A time must change by more than {}; the false discovery rate is at most {}.",
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
    let floor = design.floor(Compared::Instructions);
    let mut line = format!(
        "{exact} has changed if it differs by more than {}",
        measured_percent(design.exact_floor_percent / 100.0)
    );
    if floor > design.exact_floor_percent / 100.0 {
        line += &format!("; changes below {} are tiny", measured_percent(floor));
    }
    lines.push(line + ".");
    lines
}

fn timed(comparison: &Comparison) -> Vec<String> {
    let design = &comparison.design;
    let fresh = match design.fixed_layout {
        true => "new processes in each round and the linker's code layout",
        false => "new processes and code layouts in each round",
    };
    let looks: Vec<String> = design.looks.iter().map(u32::to_string).collect();
    let confirmed = match design.confirmation {
        0 => String::new(),
        rounds => format!("; flagged cells were confirmed in {}", counted(rounds, "further round")),
    };
    vec![
        format!("Baseline and candidate were timed together ({}), with {fresh}.", design.arrangement),
        format!("Interim looks after {} rounds{confirmed}.", looks.join(", ")),
    ]
}

/// How figures are judged of which any difference is a change.
fn without_floor(comparison: &Comparison) -> Vec<String> {
    const VARIES: &str = "has changed if its values lie apart, or occur more or less often than chance explains once in a million \
                          comparisons.";
    let has = |of: fn(Compared) -> bool| comparison.changes.iter().any(|change| of(change.metric));
    let wire = has(Compared::is_of_wire).then(|| {
        format!(
            "What each side sends was read from the wire: any byte is a change. A length that varies between connections {VARIES}"
        )
    });
    let kernel = has(Compared::is_of_kernel).then(|| {
        format!(
            "System calls and page faults were counted in processes that are not timed: any difference is a change. A figure that \
             varies between connections {VARIES}"
        )
    });
    wire.into_iter().chain(kernel).collect()
}

/// The number of counts or weighings.
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
        // If seeds are recorded, the `n` of a confirmed cell includes the confirmation.
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
