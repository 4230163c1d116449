//! The sources that a job may name, depending on its trust, and the place of uploads.

use std::path::Path;

use tlslab_lab::canary::{NO_CANARY, OF_PROJECT};
use tlslab_lab::request::FunctionSource;
use tlslab_lab::{ErrorKind, Problem, Trust};
use tlslab_recipe::{Place, StackRequest, is_remote};

use crate::request::Request;

/// The identifier of an upload: the SHA-256 of an archive, hex.
const UPLOAD: &str = "upload:";
/// Letters of a SHA-256 in hex.
const DIGEST: usize = 64;
/// Letters of a full commit: SHA-1, or SHA-256.
const COMMITS: [usize; 2] = [40, 64];

/// A request with uploads replaced by archives in their folder, if its trust allows its sources.
///
/// # Errors
/// Fails if a source is not allowed, or if an upload does not exist.
pub fn admit(request: &Request, trust: Trust, uploads: &Path) -> Result<Request, Problem> {
    let mut request = request.clone();
    if trust != Trust::Owner {
        check_places(&request)?;
    }
    for (field, stack) in stacks(&mut request) {
        if trust != Trust::Owner {
            check_stack(field, stack)?;
        }
        if stack.contains(UPLOAD) {
            *stack = with_uploads(field, stack, uploads)?;
        }
    }
    Ok(request)
}

/// Every stack that a request names, with its field.
pub(crate) fn named_stacks(request: &Request) -> Vec<(&'static str, String)> {
    let mut request = request.clone();
    stacks(&mut request).into_iter().map(|(field, stack)| (field, stack.clone())).collect()
}

/// The same, mutable.
pub(crate) fn stacks(request: &mut Request) -> Vec<(&'static str, &mut String)> {
    let of_list = |stacks: &'static str, list| -> Vec<(&'static str, &mut String)> {
        let list: &mut Vec<String> = list;
        list.iter_mut().map(|stack| (stacks, stack)).collect()
    };
    match request {
        Request::Run(run) => {
            let mut all = of_list("stacks", &mut run.stacks);
            all.extend(run.baseline.iter_mut().map(|stack| ("baseline", stack)));
            all.extend(named_canary(&mut run.canary));
            all
        }
        Request::Count(count) => of_list("stacks", &mut count.stacks),
        Request::Compare(compare) => {
            let both = |(baseline, candidate)| [("pairs", baseline), ("pairs", candidate)];
            compare
                .pairs
                .iter_mut()
                .map(|(baseline, candidate)| (baseline, candidate))
                .flat_map(both)
                .chain(named_canary(&mut compare.canary))
                .collect()
        }
        Request::CompareRuns(_) | Request::CompareFolders(_) => Vec::new(),
        Request::Profile(profile) => vec![("stack", &mut profile.stack)],
        Request::Diff(diff) => {
            let both = [("baseline", &mut diff.baseline), ("candidate", &mut diff.candidate)];
            let mut all = Vec::new();
            for (field, source) in both {
                if let FunctionSource::Stack { stack, .. } = source {
                    all.push((field, stack));
                }
            }
            all
        }
        Request::Fidelity(fidelity) => vec![("stack", &mut fidelity.stack)],
        Request::Bisect(bisect) => vec![("stack", &mut bisect.stack)],
        Request::Reproduce(reproduce) => of_list("stacks", &mut reproduce.stacks),
        Request::Validate(validate) => vec![("stack", &mut validate.stack)],
        Request::Neighbours(neighbours) => of_list("stacks", &mut neighbours.stacks),
        Request::Doctor(doctor) => vec![("stack", &mut doctor.stack)],
        Request::Backfill(backfill) => {
            let canary = backfill.canary.iter_mut().map(|stack| ("canary", stack));
            std::iter::once(("stack", &mut backfill.stack)).chain(canary).collect()
        }
        Request::Build(build) => of_list("stacks", &mut build.stacks),
    }
}

/// A canary, unless it is the project's own or none.
fn named_canary(canary: &mut Option<String>) -> Option<(&'static str, &mut String)> {
    let is_stack = |canary: &&mut String| ![OF_PROJECT, NO_CANARY].contains(&canary.as_str());
    canary.as_mut().filter(is_stack).map(|stack| ("canary", stack))
}

/// Folders, files and repositories are on the sender's machine.
fn check_places(request: &Request) -> Result<(), Problem> {
    let is_place = |source: &FunctionSource| !matches!(source, FunctionSource::Stack { .. });
    let field = match request {
        Request::CompareFolders(_) => "baseline",
        Request::Bisect(bisect) if bisect.repository.is_some() => "repository",
        Request::Diff(diff) if is_place(&diff.baseline) => "baseline",
        Request::Diff(diff) if is_place(&diff.candidate) => "candidate",
        _ => return Ok(()),
    };
    Err(refused(field, "a folder, file or repository of a machine", "it is for jobs of trust owner"))
}

fn check_stack(field: &str, stack: &str) -> Result<(), Problem> {
    // Other forms are reported when their recipe is looked up.
    let Ok(StackRequest { spec, .. }) = StackRequest::parse(stack) else { return Ok(()) };
    for place in spec.places() {
        match place {
            Place::Path(_) | Place::Patch(_) => {
                return Err(refused(
                    field,
                    stack,
                    "a folder or patch of a machine is for jobs of trust owner",
                ));
            }
            Place::Archive { location, .. } if !is_remote(location) => {
                return Err(refused(field, stack, "a file of a machine is for jobs of trust owner"));
            }
            Place::Git { repository, revision } => {
                let is_elsewhere = repository.as_deref().is_none_or(is_remote);
                let is_hex = revision.bytes().all(|letter| letter.is_ascii_hexdigit());
                if !is_elsewhere || !is_hex || !COMMITS.contains(&revision.len()) {
                    return Err(refused(
                        field,
                        stack,
                        "a repository is named by its address and a full commit",
                    ));
                }
            }
            Place::Archive { .. } | Place::System => {}
        }
    }
    Ok(())
}

fn refused(field: &str, thing: &str, cause: &str) -> Problem {
    let next = "name a release, an address with a full commit, or an upload by its digest";
    Problem::refused(thing, cause, next).with_field(field)
}

/// `NAME@upload:SHA256` as `NAME@archive:FILE#SHA256`.
fn with_uploads(field: &str, stack: &str, uploads: &Path) -> Result<String, Problem> {
    let mut text = String::new();
    let mut rest = stack;
    while let Some(at) = rest.find(UPLOAD) {
        let after = &rest[at + UPLOAD.len()..];
        let digest = after.get(..DIGEST).unwrap_or(after);
        let is_digest = digest.len() == DIGEST
            && digest.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if !is_digest {
            let next = "write upload: and 64 lowercase hexadecimal digits";
            return Err(Problem::invalid(
                field,
                stack,
                "an upload is named by the SHA-256 of its archive",
                next,
            ));
        }
        let file = uploads.join(digest);
        if !file.is_file() {
            let next = "upload the archive before the job is carried out";
            let problem =
                Problem::new(ErrorKind::NotFound, stack, "this upload is not on this machine", next);
            return Err(problem.with_field(field));
        }
        text.push_str(&rest[..at]);
        text.push_str(&format!("archive:{}#{digest}", file.display()));
        rest = &after[DIGEST..];
    }
    Ok(text + rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tlslab_lab::{request::BuildRequest, request::CompareRequest};

    fn build(stack: &str) -> Request {
        Request::Build(BuildRequest { stacks: vec![stack.to_owned()], ..BuildRequest::default() })
    }

    #[test]
    fn what_lies_on_a_machine_is_for_its_owner() {
        let nowhere = Path::new("/nowhere");
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let sha256 = "0".repeat(64);
        for (stack, is_allowed) in [
            ("rustls/ring".to_owned(), true),
            ("rustls/ring@0.23.30+lto".to_owned(), true),
            ("mine=rustls/ring@path:/etc".to_owned(), false),
            ("rustls/ring@patch:/etc/passwd".to_owned(), false),
            (format!("openssl@archive:/tmp/a.tar#{sha256}"), false),
            (format!("openssl@archive:https://example.com/a.tar#{sha256}"), true),
            ("rustls/ring@git:/srv/rustls#main".to_owned(), false),
            (format!("rustls/ring@git:/srv/rustls#{commit}"), false),
            (format!("rustls/ring@git:https://example.com/r.git#{commit}"), true),
            ("rustls/ring@git:https://example.com/r.git#main".to_owned(), false),
            (format!("rustls/ring@git:#{commit}"), true),
            ("rustls/ring,ring=path:/srv/ring".to_owned(), false),
        ] {
            assert!(admit(&build(&stack), Trust::Owner, nowhere).is_ok(), "{stack}");
            for trust in [Trust::Reviewed, Trust::Candidate] {
                let admitted = admit(&build(&stack), trust, nowhere);
                assert_eq!(admitted.is_ok(), is_allowed, "{stack}: {admitted:?}");
                if let Err(problem) = admitted {
                    assert_eq!(
                        (problem.kind, problem.field.as_deref()),
                        (ErrorKind::Refused, Some("stacks"))
                    );
                }
            }
        }
    }

    #[test]
    fn other_places_are_for_the_owner_too() {
        let refused = |text: &str| {
            let request: Request = serde_json::from_str(text).unwrap();
            assert!(admit(&request, Trust::Owner, Path::new("/nowhere")).is_ok());
            admit(&request, Trust::Candidate, Path::new("/nowhere")).unwrap_err().field.clone().unwrap()
        };
        assert_eq!(refused(r#"{"kind":"compare-folders","baseline":"/etc","candidate":"/etc"}"#), "baseline");
        assert_eq!(
            refused(r#"{"kind":"bisect","stack":"s","repository":"/r","good":"a","bad":"b"}"#),
            "repository"
        );
        let releases = r#"{"kind":"bisect","stack":"openssl","good":"a","bad":"b"}"#;
        let request: Request = serde_json::from_str(releases).unwrap();
        assert!(admit(&request, Trust::Candidate, Path::new("/nowhere")).is_ok());
        let stack = r#"{"stack":{"stack":"s","scenario":"c"}}"#;
        assert_eq!(
            refused(&format!(r#"{{"kind":"diff","baseline":{stack},"candidate":{{"file":"/f"}}}}"#)),
            "candidate"
        );
        let pairs = r#"{"kind":"compare","pairs":[["openssl","openssl@path:/etc"]]}"#;
        assert_eq!(refused(pairs), "pairs");
    }

    #[test]
    fn an_upload_is_an_archive_of_its_digest() {
        let folder = tempfile::tempdir().unwrap();
        let digest = "ab".repeat(32);
        let stack = format!("mine=openssl@upload:{digest}+lto");
        let request = Request::Compare(Box::new(CompareRequest {
            pairs: vec![("openssl".to_owned(), stack)],
            ..CompareRequest::default()
        }));
        let problem = admit(&request, Trust::Candidate, folder.path()).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::NotFound);
        std::fs::write(folder.path().join(&digest), "").unwrap();
        let Request::Compare(admitted) = admit(&request, Trust::Candidate, folder.path()).unwrap() else {
            panic!()
        };
        let file = folder.path().join(&digest);
        assert_eq!(admitted.pairs[0].1, format!("mine=openssl@archive:{}#{digest}+lto", file.display()));
        let problem =
            admit(&build("openssl@upload:../../etc/passwd"), Trust::Candidate, folder.path()).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Invalid);
    }
}
