//! Whether a file has all that it says it has.

use crate::Profile;

/// The sums that a file gives of itself.
#[derive(Default)]
struct Sums {
    /// Of each part, at its end.
    totals: Vec<Vec<u64>>,
    /// Of each part, at callgrind's beginning or cachegrind's end.
    summaries: Vec<Vec<u64>>,
}

impl Sums {
    fn of(text: &str) -> Self {
        let mut sums = Self::default();
        for line in text.lines() {
            let numbers =
                |text: &str| text.split_whitespace().map_while(|number| number.parse().ok()).collect();
            if let Some(text) = line.strip_prefix("totals:") {
                sums.totals.push(numbers(text));
            } else if let Some(text) = line.strip_prefix("summary:") {
                sums.summaries.push(numbers(text));
            }
        }
        sums
    }

    /// What the whole file costs. A file that ends within a part has its summary and not its totals.
    fn whole(&self) -> Option<Vec<u64>> {
        let parts = if self.totals.len() < self.summaries.len() { &self.summaries } else { &self.totals };
        let events = parts.iter().map(Vec::len).max()?;
        let of_event =
            |at: usize| parts.iter().filter_map(|part| part.get(at)).copied().fold(0, u64::saturating_add);
        Some((0..events).map(of_event).collect())
    }
}

impl Profile {
    /// Compares the costs with the totals of the file's text, if it gives any.
    ///
    /// # Errors
    /// Both numbers, if they differ.
    pub fn is_whole(&self, text: &str) -> Result<(), String> {
        let Some(said) = Sums::of(text).whole() else { return Ok(()) };
        let found = self.totals();
        // Costs that are zero at the end may be left out.
        let differing =
            found.iter().enumerate().find(|(at, found)| said.get(*at).copied().unwrap_or(0) != **found);
        let Some((at, found)) = differing else { return Ok(()) };
        let (event, said) = (&self.events[at], said.get(at).copied().unwrap_or(0));
        Err(format!(
            "the file gives a total of {said} {event}, and its lines have {found}: it is incomplete or damaged"
        ))
    }
}

#[cfg(test)]
mod tests {
    use crate::parse;

    fn said(text: &str) -> Result<(), String> {
        parse(text).unwrap().is_whole(text)
    }

    #[test]
    fn what_is_cut_short_is_found_by_its_own_totals() {
        let whole =
            "creator: callgrind-3.19.0\nevents: Ir Dr\nsummary: 12 3\nfn=f\n1 5 3\nfn=g\n2 7\ntotals: 12 3\n";
        assert_eq!(said(whole), Ok(()));
        let cut = &whole[..whole.find("fn=g").unwrap()];
        let problem = "the file gives a total of 12 Ir, and its lines have 5: it is incomplete or damaged";
        assert_eq!(said(cut), Err(problem.to_owned()));
        assert_eq!(
            said(&whole.replace("totals: 12", "totals: 13")).map_err(|text| text.len() > 20),
            Err(true)
        );
        // Parts add up, and the last may be cut.
        let two = format!("{whole}\npart: 2\nsummary: 4 0\nfn=f\n1 4\ntotals: 4\n");
        assert_eq!(said(&two), Ok(()));
        assert!(said(&two.replace("fn=f\n1 4\ntotals: 4\n", "")).is_err());
        // Cachegrind has one sum, at the end; other programs may have none.
        assert_eq!(said("events: Ir\nfn=f\n1 5\nsummary: 5\n"), Ok(()));
        assert!(said("events: Ir\nfn=f\n1 5\nsummary: 6\n").is_err());
        assert_eq!(said("events: Ir\nfn=f\n1 5\n"), Ok(()));
    }
}
