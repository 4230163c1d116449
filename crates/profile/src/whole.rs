//! The totals that a file states: it is complete if they agree.

/// The sums of each part.
#[derive(Default)]
pub(crate) struct Sums {
    /// At a part's end.
    pub totals: Vec<Vec<u64>>,
    /// At callgrind's beginning of a part, or cachegrind's end.
    pub summaries: Vec<Vec<u64>>,
}

/// The numbers of a line of sums.
pub(crate) fn numbers(text: &str) -> Vec<u64> {
    text.split_whitespace().map_while(|number| number.parse().ok()).collect()
}

impl Sums {
    /// The cost of the whole file. A file that ends within a part has its summary but not its totals.
    fn whole(&self) -> Option<Vec<u64>> {
        let parts = if self.totals.len() < self.summaries.len() { &self.summaries } else { &self.totals };
        let events = parts.iter().map(Vec::len).max()?;
        let of_event =
            |at: usize| parts.iter().filter_map(|part| part.get(at)).copied().fold(0, u64::saturating_add);
        Some((0..events).map(of_event).collect())
    }

    /// Compares the costs that were found with the sums, if there are any.
    ///
    /// # Errors
    /// Fails if the totals differ, with both numbers.
    pub(crate) fn check(&self, events: &[String], found: &[u64]) -> Result<(), String> {
        let Some(said) = self.whole() else { return Ok(()) };
        // Trailing zero costs may be omitted.
        let said = said.into_iter().chain(std::iter::repeat(0));
        match events.iter().zip(found).zip(said).find(|((_, found), said)| *found != said) {
            Some(((event, found), said)) => Err(format!(
                "the file gives a total of {said} {event}, and its lines have {found}: it is incomplete or damaged"
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parse;

    fn said(text: &str) -> Result<(), String> {
        parse(text).map(drop).map_err(|error| error.what)
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
