//! A private repository with a private submodule: only git gets the token, and a build that searches for it
//! finds nothing.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tlslab_queue::{Fault, State};

use crate::world::{Pulled, World};

#[test]
#[ignore = "make test-forge: takes minutes"]
fn a_private_repository_is_fetched_and_its_token_is_seen_by_git_alone() {
    let world = World::start_private();
    let token = fs::read_to_string(world.folder().join("reader")).unwrap();
    let (over, looks) = (AtomicBool::new(false), AtomicUsize::new(0));
    let seen = std::thread::scope(|scope| {
        let watch = scope.spawn(|| watch(&token, &over, &looks));
        let built = catch_unwind(AssertUnwindSafe(|| a_hostile_build(&world, &token)));
        // The watchers must end, whatever they found.
        over.store(true, Ordering::SeqCst);
        let seen = watch.join().unwrap();
        built.unwrap_or_else(|panic| resume_unwind(panic));
        seen
    });
    assert_eq!(seen, Vec::<String>::new(), "processes that had the token in an argument or a variable");
    assert!(looks.load(Ordering::SeqCst) > 100);
    a_submodule_that_is_not_listed(&world);
    a_branch(&world);
    assert_eq!(
        files_with(&token, &[world.folder().join("service"), world.folder().join("cache")]),
        Vec::<PathBuf>::new()
    );
    let log = fs::read_to_string(world.folder().join("service.log")).unwrap();
    assert!(log.contains("was given a credential") && !log.contains(&token), "{log}");
    nobody_reads_without_a_token(&world);
    world.check_log();
}

/// If it finds anything, its build fails.
fn a_hostile_build(world: &World, token: &str) {
    let (first, second) = token.split_at(token.len() / 2);
    let url = world.gitea.clone_url(&world.repository);
    let filled =
        |text: String| text.replace("@FIRST@", first).replace("@SECOND@", second).replace("@URL@", &url);
    let files: Vec<(String, String)> =
        world.variant("probing").into_iter().map(|(path, text)| (path, filled(text))).collect();
    let pull = own_pull(world, "probing", &files);
    let job = world.ended(&pull);
    assert_eq!(job.state, State::Reported, "{}", job.reason);
    world.status_is(&pull, "success", "identical binary");
}

/// The token's account may read it, and the author of a commit chooses its submodules.
fn a_submodule_that_is_not_listed(world: &World) {
    let other = world.gitea.create_private_repository("owner", "other").unwrap();
    world.gitea.add_collaborator(&other, "reader", "read").unwrap();
    let text = "what nobody else may read";
    let commit = world.gitea.push("owner", &other, "main", &[("present", text)], "Another").unwrap();
    let module = ["dependency", &*world.gitea.clone_url(&other), &*commit];
    let head = world.gitea.push_submodule("owner", &world.repository, "other", module, &[]).unwrap();
    let number = world.gitea.open_pull("owner", &world.repository, "other", "main", "other").unwrap();
    let job = world.ended(&Pulled { number, commit: head, branch: "other".to_owned() });
    assert_eq!((job.state, job.fault), (State::Failed, Some(Fault::Runner)), "{}", job.reason);
    assert!(job.reason.contains("submodules") && job.reason.contains("owner/other"), "{}", job.reason);
    let found = files_with(text, &[world.folder().join("service"), world.folder().join("cache")]);
    assert_eq!(found, Vec::<PathBuf>::new());
}

fn a_branch(world: &World) {
    let commit = world.push_main("no-op");
    let job = world.ended_commit(&commit);
    assert_eq!(job.state, State::Reported, "{}", job.reason);
}

fn nobody_reads_without_a_token(world: &World) {
    for path in ["/", "/jobs", "/runs", "/api/v1/jobs", "/feed.atom", "/data/runs.json"] {
        assert_eq!(world.status_of(path), 401, "{path}");
    }
}

fn own_pull(world: &World, branch: &str, files: &[(String, String)]) -> Pulled {
    let commit = world.push_files("owner", &world.repository, branch, files, branch);
    let number = world.gitea.open_pull("owner", &world.repository, branch, "main", branch).unwrap();
    Pulled { number, commit, branch: branch.to_owned() }
}

/// Looks at the arguments and variables of all processes of this machine for as long as a job lasts.
fn watch(token: &str, over: &AtomicBool, looks: &AtomicUsize) -> Vec<String> {
    let mut seen = Vec::new();
    while !over.load(Ordering::SeqCst) {
        for process in fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path()) {
            let has = |name: &str| contains(&fs::read(process.join(name)).unwrap_or_default(), token);
            if has("cmdline") || has("environ") {
                let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
                // The probe works: a program of its own search has the token in an argument.
                if !matches!(name.trim(), "" | "grep" | "xargs") {
                    seen.push(name);
                }
            }
        }
        looks.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    seen
}

fn files_with(text: &str, folders: &[PathBuf]) -> Vec<PathBuf> {
    folders
        .iter()
        .flat_map(|folder| files_below(folder))
        .filter(|file| contains(&fs::read(file).unwrap_or_default(), text))
        .collect()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files_below(&entry.path())),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
    found
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}
