//! Pull requests of a library on a self-hosted forge, measured by jobs of trust `candidate`.

use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tlslab_testing::gitea::Gitea;
use tlslab_testing::variant_files;

/// The shared parts of the forge tests: `tests/forge`.
fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/forge").join(name)
}

/// A forge with the library, and a lab with a trusted cache and one that is not.
struct Bench {
    folder: tempfile::TempDir,
    gitea: Gitea,
    base: String,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The server's user passes through here.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(folder.path(), open).unwrap();
        let gitea = Gitea::start(folder.path().join("forge")).unwrap();
        for user in ["alice", "bob"] {
            gitea.create_user(user).unwrap();
        }
        gitea.create_repository("alice", "tiny").unwrap();
        let base =
            gitea.push_folder("alice", "alice/tiny", "main", &self::folder("tiny"), "The library").unwrap();
        gitea.fork("alice/tiny", "bob").unwrap();
        Self { folder, gitea, base }
    }

    /// A pull request of bob's, and its commit, which no branch of alice's repository has.
    fn propose(&self, branch: &str, files: &[(String, String)]) -> String {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        let commit = self.gitea.push("bob", "bob/tiny", branch, &files, branch).unwrap();
        self.gitea.open_pull("bob", "alice/tiny", &format!("bob:{branch}"), "main", branch).unwrap();
        commit
    }

    fn stack(&self, commit: &str) -> String {
        format!("tiny@git:{}#{commit}", self.gitea.clone_url("alice/tiny"))
    }

    /// The lines that a job of trust `candidate` prints, and the program's standard error.
    fn work(&self, options: &[&str], id: &str, request: Value) -> (Vec<Value>, String) {
        let job = json!({ "id": id, "trust": "candidate", "request": request }).to_string();
        let mut work = Command::new(env!("CARGO_BIN_EXE_tlslab"));
        work.arg("--root").arg(folder("lab")).args(["work", "--out", "results"]).args(options);
        let work = work.current_dir(self.folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = work.stderr(Stdio::piped()).spawn().unwrap();
        process.stdin.take().unwrap().write_all(job.as_bytes()).unwrap();
        let output = process.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (lines, String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn build_baseline(&self) {
        let origin = self.gitea.git_url();
        let request = json!({ "kind": "build", "stacks": [self.stack(&self.base)] });
        let options = ["--cache", "trusted", "--allow-host", &origin];
        let (lines, errors) = self.work(&options, "baseline", request);
        assert_eq!(lines.last().unwrap()["status"], "done", "{errors}");
    }

    /// The outcome of a comparison of a commit with the base.
    fn compare(&self, id: &str, commit: &str) -> Value {
        let origin = self.gitea.git_url();
        let options = ["--cache", "own", "--trusted-cache", "trusted", "--allow-host", &origin];
        let (lines, errors) = self.work(&options, id, self.comparison(commit));
        lines.last().cloned().unwrap_or_else(|| panic!("{errors}"))
    }

    fn comparison(&self, commit: &str) -> Value {
        let pair = [self.stack(&self.base), self.stack(commit)];
        json!({ "kind": "compare", "pairs": [pair], "metrics": ["count"], "suite": "tiny" })
    }

    /// Every file of the trusted cache with the time of its last change.
    fn trusted(&self) -> Vec<(PathBuf, std::time::SystemTime)> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().join("trusted")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let about = entry.path().symlink_metadata().unwrap();
                if about.is_dir() {
                    folders.push(entry.path());
                }
                found.push((entry.path(), about.modified().unwrap()));
            }
        }
        found.sort();
        found
    }
}

/// A field of every compared cell.
fn of_changes(ended: &Value, field: &str) -> Vec<Value> {
    let changes = ended["outcome"]["value"]["changes"].as_array().cloned().unwrap_or_default();
    changes.iter().map(|change| change[field].clone()).collect()
}

#[test]
#[ignore = "builds Gitea, which needs Go and minutes"]
fn a_commit_of_a_fork_is_compared_with_a_baseline_that_was_built_before() {
    let bench = Bench::new();
    bench.build_baseline();
    let before = bench.trusted();
    for (name, verdict) in
        [("regression", "regression"), ("improvement", "improvement"), ("no-op", "identical")]
    {
        let commit = bench.propose(name, &variant_files(name));
        let ended = bench.compare(name, &commit);
        assert_eq!(ended["status"], "done", "{name}: {ended:#}");
        assert_eq!(of_changes(&ended, "verdict"), [verdict; 3], "{name}: {ended:#}");
    }
    for (name, reason) in
        [("does-not-compile", "not built: prefix: `make` failed"), ("wrong-result", "the digest is ")]
    {
        let commit = bench.propose(name, &variant_files(name));
        let ended = bench.compare(name, &commit);
        assert_eq!(ended["status"], "with-failures", "{name}: {ended:#}");
        assert!(ended["outcome"]["value"]["changes"].to_string().contains(reason), "{name}: {ended:#}");
    }
    assert_eq!(bench.trusted(), before);
    let has_kit = |cache: &str| bench.folder.path().join(cache).join("kit").exists();
    assert_eq!([has_kit("trusted"), has_kit("own")], [true, false]);
}

#[test]
#[ignore = "builds Gitea, which needs Go and minutes"]
fn a_hostile_pull_request_reaches_nothing() {
    let bench = Bench::new();
    bench.build_baseline();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("secret"), "canary-4b1d").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let mut files = variant_files("hostile");
    for (_, text) in &mut files {
        *text = text.replace("@HOME@", home.path().to_str().unwrap()).replace("@PORT@", &port);
    }
    let commit = bench.propose("hostile", &files);
    let ended = bench.compare("hostile", &commit);
    // The build failed if it reached anything.
    assert_eq!(of_changes(&ended, "verdict"), ["identical"; 3], "{ended:#}");
    assert!(!ended.to_string().contains("canary-4b1d"));
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err());
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
}

#[test]
#[ignore = "builds Gitea, which needs Go and minutes"]
fn an_origin_that_is_not_allowed_is_refused() {
    let bench = Bench::new();
    let options = ["--cache", "own", "--allow-host", "127.0.0.1"];
    let (lines, errors) = bench.work(&options, "refused", bench.comparison(&bench.base));
    let ended = lines.last().unwrap_or_else(|| panic!("{errors}"));
    assert_eq!(ended["status"], "failed", "{ended:#}");
    let expected = format!("{} is not an allowed origin", bench.gitea.git_url());
    assert!(ended["error"]["cause"].as_str().unwrap().contains(&expected), "{ended:#}");
}
