//! The first line of a page: when it was measured, and what that lacks.

use jiff::civil::Date;
use tlslab_text::capitalised;
use tlslab_text::number::counted;

use crate::model::{HostOf, Reproduction};
use crate::processor::processor;
use crate::provenance::Provenance;
use crate::standing::{Lack, Standing};

/// A sentence of a page's first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingLine {
    /// The sentence.
    pub text: String,
    /// Whether the measurements that it is of lack something.
    pub is_preliminary: bool,
}

/// The first line of a page of documents: `Measured on 30 November 2026 on Intel Xeon.` of the records that
/// lack nothing, and `Preliminary, measured on 26 November 2026 on AMD EPYC in a tenth of the time; placement
/// in memory was not always random; 2 cells failed.` of the others. Empty if no run is known and nothing is
/// missing.
pub fn standing<'r>(reproductions: impl IntoIterator<Item = &'r Reproduction>) -> Vec<StandingLine> {
    let reproductions: Vec<&Reproduction> = reproductions.into_iter().collect();
    let all: Vec<Recorded> = reproductions.iter().flat_map(|one| recorded(one)).collect();
    let noun = if all.len() > reproductions.len() { "records" } else { "documents" };
    let (lacking, whole): (Vec<Recorded>, Vec<Recorded>) =
        all.into_iter().partition(Recorded::lacks_something);
    // The number of each document's own page is that of its hosts, which are named.
    let counts = match reproductions.len() > 1 && !lacking.is_empty() {
        true => format!(": {} of {} {noun}", whole.len(), whole.len() + lacking.len()),
        false => String::new(),
    };
    let whole = measured(&whole).map(|measured| StandingLine {
        text: format!("{}{counts}.", capitalised(&measured)),
        is_preliminary: false,
    });
    let lacking = (!lacking.is_empty())
        .then(|| StandingLine { text: preliminary(&lacking, noun), is_preliminary: true });
    whole.into_iter().chain(lacking).collect()
}

/// The sentences in one line, with what ends it; empty without a record.
pub(super) fn standing_text<'r>(
    reproductions: impl IntoIterator<Item = &'r Reproduction>,
    end: &str,
) -> String {
    let texts: Vec<String> = standing(reproductions).into_iter().map(|line| line.text).collect();
    if texts.is_empty() { String::new() } else { texts.join(" ") + end }
}

/// `measured on 26 November 2026 on AMD EPYC`
fn measured(all: &[Recorded<'_>]) -> Option<String> {
    let on = hosts(all).map(|hosts| format!(" on {hosts}")).unwrap_or_default();
    days(all).map(|days| format!("measured {days}{on}"))
}

/// When records were made, and what they lack.
fn preliminary(all: &[Recorded<'_>], noun: &str) -> String {
    let in_some = |count: usize, one: &str| match count {
        count if count == all.len() => one.to_owned(),
        count => format!("{one} in {count} of {} {noun}", all.len()),
    };
    let shares: Vec<f64> = all.iter().filter_map(|of| of.share).filter(|share| *share < 1.0).collect();
    let ends =
        shares.iter().copied().min_by(f64::total_cmp).zip(shares.iter().copied().max_by(f64::total_cmp));
    let share = ends.map(|(least, most)| {
        let [least, most] = [least, most].map(part);
        let of = if least == most { least } else { format!("{least} to {most}") };
        in_some(shares.len(), &format!("in {of} of the time"))
    });
    let lacks = Lack::ALL.into_iter().filter_map(|lack| {
        let count = all.iter().filter(|of| of.standing.lacks.contains(&lack)).count();
        (count > 0).then(|| in_some(count, lack.words()))
    });
    let failed: usize = all.iter().map(|of| of.standing.failed).sum();
    let failed = (failed > 0).then(|| format!("{} failed", counted(failed, "cell")));
    let clauses: Vec<String> = lacks.chain(failed).collect();
    let measured = match (measured(all), share) {
        (Some(measured), Some(share)) => Some(format!("{measured} {share}")),
        (None, Some(share)) => Some(format!("measured {share}")),
        (measured, None) => measured,
    };
    let text = match measured {
        Some(measured) => {
            [format!("Preliminary, {measured}")].into_iter().chain(clauses).collect::<Vec<_>>().join("; ")
        }
        None => format!("Preliminary: {}", clauses.join("; ")),
    };
    format!("{text}.")
}

/// The record of one host.
struct Recorded<'r> {
    standing: &'r Standing,
    /// The share of the time.
    share: Option<f64>,
    /// What the host is called; empty if that is not known.
    host: String,
}

impl Recorded<'_> {
    /// Whether it is not all that today's program would measure.
    fn lacks_something(&self) -> bool {
        let Standing { lacks, failed, .. } = self.standing;
        !lacks.is_empty() || *failed > 0 || self.share.is_some_and(|share| share < 1.0)
    }
}

/// The hosts, each once.
fn hosts(all: &[Recorded<'_>]) -> Option<String> {
    let mut names: Vec<String> =
        all.iter().map(|of| &of.host).filter(|name| !name.is_empty()).cloned().collect();
    names.sort();
    names.dedup();
    match names.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        [others @ .., last] => Some(format!("{} and {last}", others.join(", "))),
    }
}

/// What a document was made of.
fn recorded<'r>(reproduction: &'r Reproduction) -> Vec<Recorded<'r>> {
    let share = |provenance: &Option<Provenance>| provenance.as_ref().map(|of| of.share);
    match reproduction.hosts.as_slice() {
        [] => vec![Recorded {
            standing: &reproduction.standing,
            share: share(&reproduction.provenance),
            host: processor(&reproduction.host),
        }],
        hosts => {
            let of = |of: &'r HostOf| Recorded {
                standing: &of.standing,
                share: share(&of.provenance),
                host: of.name.clone(),
            };
            hosts.iter().map(of).collect()
        }
    }
}

/// A share of the time.
fn part(share: f64) -> String {
    match (share * 1000.0).round() as u32 {
        100 => "a tenth".to_owned(),
        thousandths => format!("{} %", f64::from(thousandths) / 10.0),
    }
}

/// `on 26 November 2026`, or from the first to the last day.
fn days(all: &[Recorded<'_>]) -> Option<String> {
    let days = all.iter().filter_map(|of| of.standing.days.as_ref()).flatten();
    let days: Vec<Date> = days.filter_map(|day| day.parse().ok()).collect();
    let (first, last) = (*days.iter().min()?, *days.iter().max()?);
    let whole = "%-d %B %Y";
    let start = match () {
        () if first == last => return Some(format!("on {}", last.strftime(whole))),
        () if (first.year(), first.month()) == (last.year(), last.month()) => "%-d",
        () if first.year() == last.year() => "%-d %B",
        () => whole,
    };
    Some(format!("from {} to {}", first.strftime(start), last.strftime(whole)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(share: f64, days: [&str; 2], lacks: &[Lack], failed: usize) -> Reproduction {
        let text = r#"{ "document": "it", "title": "It", "by": "x", "on": "y", "flaws": [], "runs": [], "tables": [], "claims": [] }"#;
        let read: Reproduction = serde_json::from_str(text).unwrap();
        let standing = Standing { days: Some(days.map(str::to_owned)), lacks: lacks.to_vec(), failed };
        Reproduction { provenance: Some(Provenance { share, ..Provenance::default() }), standing, ..read }
    }

    fn line(all: &[Reproduction]) -> String {
        standing_text(all, "")
    }

    #[test]
    fn a_page_says_first_what_its_record_lacks() {
        let day = ["2026-11-26"; 2];
        let all = of(0.1, day, &Lack::ALL, 2);
        assert_eq!(
            line(&[all]),
            "Preliminary, measured on 26 November 2026 in a tenth of the time; placement in memory was not always random; intervals \
             exclude the variance between runs; intervals and verdicts follow an earlier rule; the host was busy with other work; the lab \
             had changes that were not committed; 2 cells failed."
        );
        let failed = line(&[of(1.0, day, &[], 1)]);
        assert_eq!(failed, "Preliminary, measured on 26 November 2026; 1 cell failed.");
        assert_eq!(line(&[of(1.5, day, &[], 0)]), "Measured on 26 November 2026.");
        assert!(line(&[of(0.25, day, &[], 0)]).contains("in 25 % of the time"));
    }

    #[test]
    fn hosts_are_named_and_shares_of_the_time_with_both_ends() {
        let on = |name: &str, share: f64, lacks: &[Lack]| {
            let mut one = of(share, ["2026-11-26"; 2], lacks, 0);
            one.host.cpu.name = Some(name.to_owned());
            one
        };
        assert_eq!(
            line(&[on("Intel(R) Xeon(R) Processor", 1.0, &[])]),
            "Measured on 26 November 2026 on Intel Xeon."
        );
        let all = [
            on("AMD EPYC", 0.333, &[Lack::QuietHost]),
            on("B", 0.05, &[]),
            on("B", 1.0, &[Lack::CommittedLab]),
            on("C", 1.0, &[]),
        ];
        assert_eq!(
            line(&all),
            "Measured on 26 November 2026 on C: 1 of 4 documents. Preliminary, measured on 26 November 2026 on AMD EPYC and B in 5 % \
             to 33.3 % of the time in 2 of 3 documents; the host was busy with other work in 1 of 3 documents; the lab had changes that were not \
             committed in 1 of 3 documents."
        );
    }

    #[test]
    fn days_are_named_as_far_as_they_differ() {
        let to = |last: &str| line(&[of(1.0, ["2026-11-06", last], &[], 0)]);
        assert_eq!(to("2026-11-28"), "Measured from 6 to 28 November 2026.");
        assert_eq!(to("2026-12-02"), "Measured from 6 November to 2 December 2026.");
        assert_eq!(to("2027-01-02"), "Measured from 6 November 2026 to 2 January 2027.");
    }

    #[test]
    fn of_several_documents_it_says_in_how_many() {
        let early = of(0.1, ["2026-11-26"; 2], &[Lack::RandomPlacement], 1);
        let late = of(1.0, ["2026-11-29"; 2], &[], 2);
        assert_eq!(line(&[of(1.0, ["2026-11-29"; 2], &[], 0)]), "Measured on 29 November 2026.");
        assert_eq!(
            line(&[early, late]),
            "Preliminary, measured from 26 to 29 November 2026 in a tenth of the time in 1 of 2 documents; placement in memory \
             was not always random in 1 of 2 documents; 3 cells failed."
        );
    }

    #[test]
    fn nothing_is_said_where_nothing_was_measured() {
        let nothing =
            Reproduction { provenance: None, standing: Standing::default(), ..of(1.0, ["", ""], &[], 0) };
        assert_eq!(standing([&nothing]), Vec::new());
    }
}
