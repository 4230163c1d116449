//! A document's claim on many or most of some rows, judged over them.

use crate::here::{Figure, Here};
use crate::judged::{Judged, Verdict};
use crate::model::Case;
use crate::terms::{Band, Quantifier, Terms};

impl Quantifier {
    /// The terms for the rows together: the share of them that must support the claim.
    pub(crate) fn terms(self) -> Terms {
        Terms {
            size: Some(Band { from: Some(self.least()), to: None }),
            own_size: true,
            share: true,
            quantifier: Some(self),
            ..Terms::default()
        }
    }

    /// One case of all rows: the share that supports it, from the rows that certainly do to those that may.
    /// Rows without a figure are excluded.
    pub(crate) fn over(self, of: String, rows: &[Case]) -> Case {
        let count = |wanted: Verdict| rows.iter().filter(|row| row.judged.verdict == wanted).count();
        let (yes, open) = (count(Verdict::Holds), count(Verdict::Inconclusive));
        let all = yes + open + count(Verdict::DoesNotHold);
        let group = rows.first().map_or_else(Default::default, |row| row.group);
        let case = |found, judged| Case::new(of, group, found, judged);
        if all == 0 {
            let has_failed = count(Verdict::NotMeasured) > 0;
            let reason = if has_failed {
                "failed: no row has a figure"
            } else {
                "unsupported: no row can be measured"
            };
            let found = Here::Hole { hole: reason.to_owned() };
            let judged = Judged::of(&self.terms(), &found, 0.0);
            return case(found, judged);
        }
        let share = |count: usize| count as f64 / all as f64;
        let found = Here::Figure(Figure::within(share(yes), [share(yes), share(yes + open)]));
        let mut reason = format!("in {yes} of {all} rows");
        if open > 0 {
            reason += &format!(", {open} open");
        }
        let judged = Judged { needs: None, reason: Some(reason), ..Judged::of(&self.terms(), &found, 0.0) };
        case(found, judged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::Group;

    fn whole(quantifier: Quantifier, rows: &[(usize, Verdict)]) -> (Verdict, String) {
        let rows = rows.iter().flat_map(|(count, verdict)| std::iter::repeat_n(*verdict, *count));
        let row = |verdict| {
            let judged = Judged::because(verdict, String::new());
            Case::new("row".to_owned(), Group::Document, Here::Hole { hole: String::new() }, judged)
        };
        let case = quantifier.over("one".to_owned(), &rows.map(row).collect::<Vec<_>>());
        (case.judged.verdict, case.judged.reason.unwrap())
    }

    #[test]
    fn many_rows_are_a_third_and_most_are_more_than_half() {
        use Verdict::{DoesNotHold, Holds, Inconclusive, NotApplicable, NotMeasured};
        let many = |rows: &[(usize, Verdict)]| whole(Quantifier::Many, rows);
        assert_eq!(many(&[(4, Holds), (8, DoesNotHold)]), (Holds, "in 4 of 12 rows".to_owned()));
        assert_eq!(many(&[(3, Holds), (9, DoesNotHold)]).0, DoesNotHold);
        let open = many(&[(3, Holds), (1, Inconclusive), (8, DoesNotHold), (5, NotApplicable)]);
        assert_eq!(open, (Inconclusive, "in 3 of 12 rows, 1 open".to_owned()));
        let most = |yes, no| whole(Quantifier::Most, &[(yes, Holds), (no, DoesNotHold)]).0;
        assert_eq!([most(7, 5), most(6, 6)], [Holds, DoesNotHold]);
        assert_eq!(many(&[(2, NotMeasured)]), (NotMeasured, "no row has a figure".to_owned()));
        assert_eq!(many(&[(2, NotApplicable)]).0, NotApplicable);
    }
}
