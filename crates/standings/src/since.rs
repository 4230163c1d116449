//! What changed since an earlier report.

use tlslab_text::number::{change, signed_percent};

use crate::model::{Entry, Ranked, Since, Standings};

impl Standings {
    /// The same with what changed since an earlier report. Stacks are the same by their names in the report,
    /// results by scenario and side.
    #[must_use]
    pub fn since(self, earlier: &Standings) -> Self {
        let same_host = self.host == earlier.host;
        let mut since = Since {
            run: earlier.run.clone(),
            started: earlier.started.clone(),
            same_host,
            versions: Vec::new(),
            places: Vec::new(),
            rates: Vec::new(),
        };
        for stack in &self.stacks {
            let Some(before) = earlier.stacks.iter().find(|before| before.name == stack.name) else {
                since.versions.push(format!("{}: new in this report", stack.name));
                continue;
            };
            if before.version != stack.version {
                let version = |version: &Option<String>| version.clone().unwrap_or_else(|| "none".to_owned());
                since.versions.push(format!(
                    "{}: {} → {}",
                    stack.name,
                    version(&before.version),
                    version(&stack.version)
                ));
            }
        }
        for result in self.groups.iter().flat_map(|group| &group.results) {
            let is_it = |other: &&Ranked| (&other.scenario, other.side) == (&result.scenario, result.side);
            let Some(before) = earlier.groups.iter().flat_map(|group| &group.results).find(is_it) else {
                continue;
            };
            for (stack, now) in self.stacks.iter().zip(&result.entries) {
                let place = earlier.stacks.iter().position(|known| known.name == stack.name);
                let Some(then) = place.and_then(|place| before.entries.get(place)) else { continue };
                let name = format!("{}, {}", stack.name, result.name);
                if let (Some(from), Some(to)) = (then.place, now.place)
                    && from != to
                {
                    since.places.push(format!("{name}: place {from} → {to}"));
                }
                if same_host && let Some(ratio) = apart(then, now) {
                    let by = if ratio >= 2.0 { change(ratio) } else { signed_percent(ratio - 1.0) };
                    since.rates.push(format!("{name}: {by}"));
                }
            }
        }
        Self { since: Some(since), ..self }
    }
}

/// The rate now over the rate then, if their intervals have no value in common.
fn apart(then: &Entry, now: &Entry) -> Option<f64> {
    let is_apart = now.lower? > then.upper? || now.upper? < then.lower?;
    let ratio = now.value? / then.value?;
    (is_apart && ratio.is_finite()).then_some(ratio)
}
