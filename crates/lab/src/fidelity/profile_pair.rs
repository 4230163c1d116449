//! Two profiles of the same work, one by an emulator and one on the processor itself: which functions
//! dominated each.

use std::collections::BTreeMap;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_profile::Profile;
use tlslab_record::Dominating;

/// The most functions in a table.
const MOST_ROWS: usize = 16;

/// One side's functions with their instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "ContrastRows", into = "ContrastRows")]
#[schemars(with = "ContrastRows")]
pub struct Contrast {
    /// (object, function) → instructions, in the emulator's count and in the native one.
    functions: BTreeMap<(String, String), [u64; 2]>,
    totals: [u64; 2],
}

/// The same in JSON, where a pair cannot be a key.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct ContrastRows {
    functions: Vec<ContrastRow>,
    totals: [u64; 2],
}

/// A function's instructions, emulated and native.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct ContrastRow {
    object: String,
    function: String,
    instructions: [u64; 2],
}

impl From<Contrast> for ContrastRows {
    fn from(contrast: Contrast) -> Self {
        let row = |((object, function), instructions)| ContrastRow { object, function, instructions };
        Self { functions: contrast.functions.into_iter().map(row).collect(), totals: contrast.totals }
    }
}

impl From<ContrastRows> for Contrast {
    fn from(rows: ContrastRows) -> Self {
        let entry = |row: ContrastRow| ((row.object, row.function), row.instructions);
        Self { functions: rows.functions.into_iter().map(entry).collect(), totals: rows.totals }
    }
}

impl Contrast {
    /// Both in the event `Ir`.
    pub fn of(counted: &Profile, native: &Profile) -> Self {
        let mut functions: BTreeMap<(String, String), [u64; 2]> = BTreeMap::new();
        for (which, profile) in [counted, native].into_iter().enumerate() {
            let Some(event) = profile.event("Ir") else { continue };
            for (function, costs) in &profile.functions {
                let key = (function.object.clone(), function.name.clone());
                let sum = &mut functions.entry(key).or_default()[which];
                *sum = sum.saturating_add(costs[event]);
            }
        }
        let totals = [0, 1]
            .map(|which| functions.values().fold(0, |sum: u64, counts| sum.saturating_add(counts[which])));
        Self { functions, totals }
    }

    /// Instructions of the emulator's count by those of the native one.
    pub fn ratio(&self) -> f64 {
        self.totals[0] as f64 / self.totals[1].max(1) as f64
    }

    /// The totals, emulated and native.
    pub fn totals(&self) -> [u64; 2] {
        self.totals
    }

    /// The fewest functions that make up half of the emulator's count.
    pub fn dominating(&self) -> Vec<Dominating> {
        let share = |counts: &[u64; 2]| counts[0] as f64 / self.totals[0].max(1) as f64;
        let function = |key: &(String, String)| {
            let counts = &self.functions[key];
            Dominating { name: key.1.clone(), share: share(counts), runs_natively: counts[1] > 0 }
        };
        self.halves(0).iter().map(|key| function(key)).collect()
    }

    fn halves(&self, which: usize) -> Vec<&(String, String)> {
        let mut sorted: Vec<_> = self.functions.iter().filter(|(_, counts)| counts[which] > 0).collect();
        sorted.sort_by(|one, other| other.1[which].cmp(&one.1[which]).then_with(|| one.0.cmp(other.0)));
        let mut sum = 0;
        let mut taken = Vec::new();
        for (key, counts) in sorted {
            if 2 * sum >= self.totals[which] {
                break;
            }
            sum += counts[which];
            taken.push(key);
        }
        taken
    }

    /// The functions that dominate one of the two, each with its shares.
    pub fn table(&self) -> String {
        let mut keys: Vec<&(String, String)> = self.halves(0);
        for key in self.halves(1) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let most = |key: &(String, String)| {
            let counts = self.functions[key];
            [0, 1].map(|which| counts[which] as f64 / self.totals[which].max(1) as f64)
        };
        keys.sort_by(|one, other| {
            let largest = |key| most(key).into_iter().fold(0.0, f64::max);
            largest(other).total_cmp(&largest(one))
        });
        let mut text = "    valgrind   native\n".to_owned();
        for key in keys.iter().take(MOST_ROWS) {
            let shares = most(key);
            let never = match self.functions[*key] {
                [_, 0] => "  (never runs natively)",
                [0, _] => "  (never runs under valgrind)",
                _ => "",
            };
            let cell =
                |share: f64| if share > 0.0 { format!("{:.1} %", 100.0 * share) } else { "–".to_owned() };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {:>8} {:>8}  {}{never}", cell(shares[0]), cell(shares[1]), key.1);
        }
        if keys.len() > MOST_ROWS {
            let _ = writeln!(text, "    and {} others", keys.len() - MOST_ROWS);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use tlslab_profile::parse;

    use super::*;

    #[test]
    fn what_dominates_either_is_reported_with_where_it_never_ran() {
        let counted =
            parse("events: Ir Dr\nob=x\nfn=sha_avx\n0 60 1\nfn=mul\n0 30 1\nfn=rest\n0 10 1\n").unwrap();
        let native = parse("events: Ir\nob=x\nfn=sha_ni\n0 5\nfn=mul\n0 30\nfn=rest\n0 5\n").unwrap();
        let comparison = Contrast::of(&counted, &native);
        assert_eq!((comparison.totals(), comparison.ratio()), ([100, 40], 2.5));
        let dominating = comparison.dominating();
        assert_eq!(dominating.len(), 1);
        assert_eq!(
            (&*dominating[0].name, dominating[0].share, dominating[0].runs_natively),
            ("sha_avx", 0.6, false)
        );
        let expected = "    valgrind   native\n\
                        \u{20}     30.0 %   75.0 %  mul\n\
                        \u{20}     60.0 %        –  sha_avx  (never runs natively)\n";
        assert_eq!(comparison.table(), expected);
    }
}
