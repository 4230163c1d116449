//! The result of watching a branch, in a line. Names and first lines of commits are untrusted.

use tlslab_text::{clean, shortened};

use super::execute::{BranchOutcome, BranchRevision, Broken, Watched};

/// The longest first line of a commit that is shown, columns.
const LONGEST_SUBJECT: usize = 100;

/// The outcome as one line of text.
pub fn branch_line(watched: &Watched) -> String {
    let (stack, branch) = (clean(&watched.stack), clean(&watched.branch));
    let broken = match &watched.outcome {
        BranchOutcome::Builds => {
            return format!("{stack}: {branch} builds at {}", revision(&watched.tip));
        }
        BranchOutcome::Broken(broken) => broken,
    };
    let since = match &broken.suspects[..] {
        [] => format!(
            "at {}, and no revision of {} was found that builds; is it the repository of {stack}?",
            revision(&watched.tip),
            clean(&watched.repository)
        ),
        [one] => format!("since {}", revision(one)),
        [first, .., last] => format!(
            "since one of {} revisions from {} to {}",
            broken.suspects.len(),
            revision(first),
            revision(last)
        ),
    };
    format!("{stack}: {branch} does not build {since}; {}; {}", clean(&broken.reason), release(broken))
}

fn revision(revision: &BranchRevision) -> String {
    let commit: String = clean(&revision.commit).chars().take(12).collect();
    let subject = shortened(&clean(&revision.subject), LONGEST_SUBJECT);
    format!("{commit} ({}, \"{subject}\")", clean(&revision.date))
}

fn release(broken: &Broken) -> String {
    match &broken.last_release {
        Some(release) => format!("the last release that builds is {}", clean(release)),
        None => "no release was found that builds".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(commit: &str, subject: &str) -> BranchRevision {
        let (commit, subject) = (commit.repeat(40), subject.to_owned());
        BranchRevision { commit, date: "2026-08-05".to_owned(), subject }
    }

    fn line(outcome: BranchOutcome) -> String {
        let (stack, branch) = ("mini".to_owned(), "main".to_owned());
        let tip = at("c", "the newest");
        branch_line(&Watched {
            stack,
            branch,
            repository: "/r".to_owned(),
            tip,
            built: 3,
            outcome,
            took_s: 1.0,
        })
    }

    #[test]
    fn every_outcome_is_one_line_that_steers_no_terminal() {
        assert_eq!(
            line(BranchOutcome::Builds),
            "mini: main builds at cccccccccccc (2026-08-05, \"the newest\")"
        );
        let broken = |suspects: Vec<BranchRevision>, release: Option<&str>| {
            let (reason, last_release) =
                ("driver: a.c:3: error: no 'f'".to_owned(), release.map(str::to_owned));
            line(BranchOutcome::Broken(Broken { suspects, reason, log: None, last_release }))
        };
        assert_eq!(
            broken(vec![at("b", "drop f\u{1b}[2J\nand more")], Some("1.2.0")),
            "mini: main does not build since bbbbbbbbbbbb (2026-08-05, \"drop f\u{fffd}[2J and more\"); driver: \
             a.c:3: error: no 'f'; the last release that builds is 1.2.0"
        );
        assert_eq!(
            broken(vec![at("a", "x"), at("b", "y")], None),
            "mini: main does not build since one of 2 revisions from aaaaaaaaaaaa (2026-08-05, \"x\") to bbbbbbbbbbbb \
             (2026-08-05, \"y\"); driver: a.c:3: error: no 'f'; no release was found that builds"
        );
        let none = broken(vec![], None);
        assert!(none.contains("at cccccccccccc") && none.contains("of /r was found"), "{none}");
        assert!(none.contains("is it the repository of mini?"), "{none}");
    }
}
