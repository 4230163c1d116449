//! States, times and names in words.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use tlslab_pages::service::Moment;
use tlslab_pages::site::ComparisonLine;
use tlslab_queue::{Fault, JobRow, State, Verdict};

use super::command::engine_job;
use crate::subject::Subject;

/// Longer texts are shown shortened, in characters.
pub(crate) const LONGEST: usize = 2_000;

/// This moment, milliseconds since 1970.
pub(crate) fn now_unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A moment that is known, or none.
pub(crate) fn moment(unix_ms: u64) -> Option<Moment> {
    let unix_ms = i64::try_from(unix_ms).ok().filter(|unix_ms| *unix_ms > 0)?;
    let time = Timestamp::from_second(unix_ms / 1000).ok()?;
    let iso = time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    Some(Moment { iso, text: time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string() })
}

/// How long something took or takes, in full seconds that have passed: `2 min 5 s`.
pub(crate) fn duration(ms: u64) -> String {
    tlslab_text::number::duration((ms / 1000) as f64)
}

/// The expected duration: `about 3 min`.
pub(crate) fn about(ms: u64) -> String {
    let seconds = ms.div_ceil(1000);
    match seconds {
        0..60 => "less than a minute".to_owned(),
        60..5_400 => format!("about {} min", seconds.div_ceil(60)),
        5_400..172_800 => format!("about {} h", (seconds + 1_800) / 3_600),
        _ => format!("about {} d", (seconds + 43_200) / 86_400),
    }
}

/// A commit as people read it.
pub(crate) fn short(commit: &str) -> String {
    commit.chars().take(10).collect()
}

/// A text of at most [`LONGEST`] characters in one line.
pub(crate) fn line(text: &str) -> String {
    limited(&tlslab_text::clean(text), LONGEST)
}

/// The same with its lines.
pub(crate) fn lines(text: &str) -> String {
    limited(&tlslab_text::clean_lines(text), 4 * LONGEST)
}

/// A text of at most so many characters.
pub(crate) fn limited(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The subject of a job, in a few words.
pub(crate) fn title(job: &JobRow) -> String {
    Subject::of(job).map_or_else(|| job.id.clone(), |subject| limited(&line(&subject.title()), 200))
}

/// The state of a job, in words: with the cause if it failed.
pub(crate) fn state_words(job: &JobRow) -> String {
    match (job.state, job.fault) {
        (State::Failed, Some(fault)) => format!("failed: {}", fault_words(fault)),
        (State::Reported, _) => match &job.verdict {
            Some(verdict) => verdict_words(verdict),
            None if is_comparison(job) => "measured".to_owned(),
            None => "done".to_owned(),
        },
        (state, _) if job.cancel.is_some() && !state.is_ended() => format!("{state}, to be cancelled"),
        (state, _) => state.to_string(),
    }
}

/// The comparison of a job in a list: both commits, and the conclusion.
pub(crate) fn comparison_line(job: &JobRow, title: &str, branch: Option<&str>) -> Option<ComparisonLine> {
    let verdict = job.verdict.as_ref()?;
    let against = |commit: &str, baseline: &str| match branch {
        Some(branch) => format!("{} against {branch} {}", short(commit), short(baseline)),
        None => format!("{} against {}", short(commit), short(baseline)),
    };
    let title = match Subject::of(job) {
        Some(Subject::Pull(pull)) => format!("{title}: {}", against(&pull.commit, &pull.baseline)),
        Some(Subject::Merging(merging)) => {
            format!("{}: {}", merging.branch, against(&merging.commit, &merging.baseline))
        }
        _ => title.to_owned(),
    };
    let project = if job.project.is_empty() { String::new() } else { format!("{} ", job.project) };
    Some(ComparisonLine {
        id: job.id.clone(),
        ended: moment(job.ended_unix_ms).map(|at| at.iso).unwrap_or_default(),
        title: limited(&line(&format!("{project}{title}")), 300),
        sentence: line(&verdict.sentence),
        mark: verdict_class(verdict).to_owned(),
        verdict: verdict_words(verdict),
    })
}

/// The conclusion of a comparison, in two words: the largest group of its cells that decides.
fn verdict_words(verdict: &Verdict) -> String {
    let mut parts = verdict.title.split(", ");
    let decides = match verdict.mark.as_str() {
        "failed" => parts.find(|part| part.ends_with(WITHOUT_RESULT)),
        _ => None,
    };
    let words = decides.or_else(|| verdict.title.split(", ").next()).unwrap_or_default();
    limited(&line(words.split(" (").next().unwrap_or_default()), 100)
}

/// How the title of a comparison ends that lost cells.
const WITHOUT_RESULT: &str = "without a result";

/// Whether the job is a comparison.
pub(crate) fn is_comparison(job: &JobRow) -> bool {
    engine_job(&job.body).and_then(|job| job.pointer("/request/kind")).is_some_and(|kind| kind == "compare")
}

/// The class of a verdict, which a database names.
fn verdict_class(verdict: &Verdict) -> &'static str {
    const KNOWN: [&str; 6] = ["regression", "improvement", "unchanged", "inconclusive", "failed", "warning"];
    KNOWN.into_iter().find(|known| *known == verdict.mark).unwrap_or("quiet")
}

/// The cause of a failure.
pub(crate) fn fault_words(fault: Fault) -> &'static str {
    match fault {
        Fault::Candidate => "the candidate does not build, or does not work",
        Fault::Baseline => "the baseline does not build, or does not work",
        Fault::Lab => "a fault of the lab, not of the candidate",
        Fault::Runner => "a fault of the runner, not of the candidate",
    }
}

/// The class by which a style sheet knows a state: its sign and its colour.
pub(crate) fn state_class(job: &JobRow) -> &'static str {
    match job.state {
        State::WaitingForApproval => "warning",
        State::Queued | State::Cancelled | State::Superseded => "quiet",
        State::Reported => match &job.verdict {
            Some(verdict) => verdict_class(verdict),
            None if is_comparison(job) => "quiet",
            None => "good",
        },
        State::Failed => "failed",
        _ => "running",
    }
}

/// An address that may be a link: HTTP without anything that browsers interpret differently.
pub(crate) fn link(address: &str) -> Option<String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._~:/?#%&=+,@".contains(letter);
    let starts = address.starts_with("https://") || address.starts_with("http://");
    let rest = address.split_once("://").map_or("", |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_link = starts
        && address.len() <= 500
        && !host.is_empty()
        && !host.contains('@')
        && address.chars().all(is_plain);
    is_link.then(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_utc_and_durations_in_two_units() {
        let moment = moment(1_795_575_600_999).unwrap();
        assert_eq!(
            (moment.iso.as_str(), moment.text.as_str()),
            ("2026-11-25T03:00:00Z", "2026-11-25 03:00:00 UTC")
        );
        assert_eq!(super::moment(0), None);
        assert_eq!(super::moment(u64::MAX), None);
        assert_eq!(duration(125_000), "2 min 5 s");
        assert_eq!(duration(7_260_000), "2 h 1 min");
        assert_eq!(about(30_000), "less than a minute");
        assert_eq!(about(125_000), "about 3 min");
        assert_eq!(about(7_300_000), "about 2 h");
    }

    #[test]
    fn only_plain_addresses_are_links() {
        assert_eq!(
            link("https://git.example/o/n/commit/abc").as_deref(),
            Some("https://git.example/o/n/commit/abc")
        );
        for wrong in [
            "javascript:alert(1)",
            "https://",
            "https://user@host/",
            "https://host/\"onclick=",
            "https://host/<b>",
            "//host/x",
            "https://host/a b",
        ] {
            assert_eq!(link(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn long_texts_are_shortened_between_characters() {
        assert_eq!(limited("äöü", 2), "äö…");
        assert_eq!(limited("äöü", 3), "äöü");
        assert_eq!(line("a\nb\u{1b}[31m"), "a b\u{fffd}[31m");
    }
}
