//! A line with a forge and an event, then a body: the body is refused without its signature, and what it means is stored and read to the
//! same, with values that a later stage need not check again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_forge::Kind;
use tlslab_forge::webhook::{Incoming, Repository, read, verify};

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(2, |byte| *byte == b'\n');
    let line = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let body = parts.next().unwrap_or_default();
    let (kind, event) = line.split_once(' ').unwrap_or(("github", &line));
    let Ok(kind) = kind.parse::<Kind>() else { return };
    assert!(verify(kind, b"a secret that no input has", &|_| Some(event.to_owned()), body).is_err());
    match read(kind, event, body) {
        Ok(incoming) => {
            let stored = serde_json::to_string(&incoming).expect("what was read can be stored");
            assert_eq!(serde_json::from_str::<Incoming>(&stored).expect("what was stored is read"), incoming);
            check(&incoming);
        }
        Err(cause) => assert!(cause.to_string().len() < 2_000),
    }
});

fn check(incoming: &Incoming) {
    let commits = match incoming {
        Incoming::Push { repository, branch, before, commit } => {
            check_repository(repository);
            check_branch(branch);
            vec![before, commit]
        }
        Incoming::Pull { repository, number, pull, .. } => {
            check_repository(repository);
            check_branch(&pull.base_branch);
            assert!(*number > 0);
            vec![&pull.head]
        }
        Incoming::Approved { repository, number, commit, .. } => {
            check_repository(repository);
            assert!(*number > 0);
            vec![commit]
        }
        Incoming::Command { repository, number, text, .. } => {
            check_repository(repository);
            assert!(*number > 0 && text.chars().count() <= Incoming::LONGEST_TEXT);
            vec![]
        }
        Incoming::Merging { repository, branch, commit, base, .. } => {
            check_repository(repository);
            check_branch(branch);
            [commit, base].into_iter().for_each(check_commit);
            vec![]
        }
        Incoming::Again { repository, commit, context, .. } => {
            check_repository(repository);
            check_commit(commit);
            assert!(context.as_ref().is_none_or(|context| context.len() <= 1_000));
            vec![]
        }
        Incoming::Installation { id, .. } => {
            assert!(*id > 0);
            vec![]
        }
        Incoming::Ignored { why } => {
            assert!(!why.is_empty() && why.len() < 500);
            vec![]
        }
    };
    commits.into_iter().flatten().for_each(check_commit);
}

fn check_commit(commit: &String) {
    assert!(matches!(commit.len(), 40 | 64) && commit.bytes().all(|digit| digit.is_ascii_hexdigit()));
}

fn check_branch(branch: &str) {
    // It becomes an argument of git.
    assert!(
        !branch.is_empty()
            && branch.len() <= 255
            && !branch.starts_with('-')
            && !branch.contains(char::is_whitespace)
    );
}

fn check_repository(repository: &Repository) {
    assert!(repository.id > 0 && repository.id <= i64::MAX as u64);
    assert!(
        repository.path.split('/').count() > 1
            && !repository.path.split('/').any(|part| part.is_empty() || part == "..")
    );
    assert!(repository.clone_url.starts_with("http"));
}
