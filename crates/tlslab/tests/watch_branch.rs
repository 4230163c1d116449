//! `watch --branch`: a library's commits are built with its driver, and the one that broke it is named.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A library in a repository, its lab, and a place for results.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// With one commit, which is release 1.0.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/forge");
        copy(&fixtures.join("tiny"), &folder.path().join("library"));
        copy(&fixtures.join("lab"), &folder.path().join("lab"));
        let place = Self { folder };
        place.git(&["init", "--quiet", "--initial-branch", "main"]);
        place.commit("the first");
        place.git(&["tag", "v1.0"]);
        let lab = fixtures.join("../..").canonicalize().unwrap();
        let settings = format!("lab = \"{}\"\n", lab.display());
        fs::write(place.path("lab/tlslab.toml"), settings).unwrap();
        place.edit("lab/stacks/tiny.toml", "[source]\npath = \"../../tiny\"\n", "");
        place.edit("lab/stacks/tiny.toml", "driver = \"tiny\"\n", "driver = \"tiny\"\nversion = \"1.0\"\n");
        for version in ["1.0", "2.0"] {
            let source = format!("git = \"../../library\", revision = \"v{version}\"");
            let table = format!("\n[versions.\"{version}\"]\nsource = {{ {source} }}\n");
            let recipe = place.path("lab/stacks/tiny.toml");
            fs::write(&recipe, fs::read_to_string(&recipe).unwrap() + &table).unwrap();
        }
        place
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(file)).unwrap();
        assert!(text.contains(from), "{file} has no {from:?}");
        fs::write(self.path(file), text.replace(from, to)).unwrap();
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]);
        git.args(arguments).current_dir(self.path("library")).env("GIT_CONFIG_GLOBAL", "/dev/null");
        support::stdout(&git.output().unwrap()).trim().to_owned()
    }

    /// A commit of the library's current files.
    fn commit(&self, subject: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", subject]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Another name for a function that the driver calls.
    fn rename(&self, from: &str, to: &str) {
        for file in ["library/include/tiny.h", "library/src/hmac.c"] {
            self.edit(file, from, to);
        }
    }

    fn watch(&self, repository: &str, more: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab"));
        command.current_dir(self.path("lab")).args(["watch", "tiny", "--branch", "main"]);
        command.args(["--repository", repository]).arg("--out").arg(self.path("out")).args(more);
        command.output().unwrap()
    }

    /// The exit status and the output.
    fn watched(&self) -> (Option<i32>, String) {
        let output = self.watch("../library", &[]);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output.stderr));
        (output.status.code(), text(&output.stdout))
    }

    /// The same for a program.
    fn listed(&self) -> Value {
        let output = self.watch("../library", &["--format", "json"]);
        let listed: Value = serde_json::from_slice(&output.stdout).unwrap();
        listed[0].clone()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

#[test]
fn the_commit_that_broke_the_driver_is_named_in_a_line() {
    let place = Place::new();
    for subject in ["a", "b", "c"] {
        place.commit(subject);
    }
    let day = place.git(&["log", "-1", "--format=%cs"]);
    let tip = place.git(&["rev-parse", "HEAD"]);
    assert_eq!(place.watched(), (Some(0), format!("tiny: main builds at {} ({day}, \"c\")\n", &tip[..12])));

    for subject in ["d", "e"] {
        place.commit(subject);
    }
    place.rename("tiny_hmac_finish", "tiny_hmac_end");
    let culprit = place.commit("rename\u{1b}[2J the end\u{202e} `of` it\n\nand more");
    place.git(&["tag", "v2.0"]);
    for subject in ["f", "g", "h", "i"] {
        place.commit(subject);
    }
    let (status, line) = place.watched();
    assert_eq!((status, line.lines().count()), (Some(3), 1), "{line}");
    let subject = "rename\u{fffd}[2J the end\u{fffd} `of` it";
    let expected =
        format!("tiny: main does not build since {} ({day}, \"{subject}\"); driver: ", &culprit[..12]);
    assert!(line.starts_with(&expected) && line.contains("tiny_hmac_finish"), "{line}");
    assert!(line.ends_with("; the last release that builds is 1.0\n"), "{line}");
    // Nothing of it is built again, only the next commit.
    assert_eq!(place.watched(), (Some(3), line));
    assert_eq!(place.listed()["built"], 0);
    let newest = place.commit("j");
    let listed = place.listed();
    assert_eq!((listed["built"].as_u64(), listed["since"].as_str()), (Some(1), Some(&*culprit)), "{listed}");
    assert_eq!((listed["newest"].as_str(), listed["builds"].as_bool()), (Some(&*newest), Some(false)));

    place.rename("tiny_hmac_end", "tiny_hmac_finish");
    place.commit("as it was");
    assert_eq!(place.watched().0, Some(0));
}

#[test]
fn a_branch_elsewhere_is_searched_from_its_end_if_no_revision_is_known_to_build() {
    let place = Place::new();
    for subject in ["a", "b"] {
        place.commit(subject);
    }
    place.rename("tiny_hmac_begin", "tiny_hmac_start");
    let culprit = place.commit("rename the beginning");
    place.git(&["tag", "v2.0"]);
    for subject in ["c", "d", "e"] {
        place.commit(subject);
    }
    let elsewhere = format!("file://{}", place.path("library").display());
    let output = place.watch(&elsewhere, &["--format", "json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    let listed: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
    assert_eq!(listed[0]["since"], Value::from(culprit), "{listed}");
    assert_eq!(output.status.code(), Some(3));
    assert!(said.contains("bisect"), "it says how far it is: {said}");
}

#[test]
fn a_repository_is_the_same_however_it_is_named_and_one_of_another_library_is_no_broken_branch() {
    let place = Place::new();
    let built = |repository: &str| {
        let output = place.watch(repository, &["--format", "json"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let listed: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
        (listed[0]["built"].as_u64(), output.status.code())
    };
    assert_eq!(built("../library"), (Some(1), Some(0)));
    assert_eq!(built(place.path("library").to_str().unwrap()), (Some(0), Some(0)));
    assert_eq!(built("../lab/../library"), (Some(0), Some(0)));

    place.git(&["rm", "--quiet", "-r", "."]);
    place.git(&["checkout", "--quiet", "--orphan", "main2"]);
    fs::write(place.path("library/README"), "another library").unwrap();
    place.commit("another library for @name <b>");
    place.git(&["branch", "--quiet", "--move", "--force", "main2", "main"]);
    let output = place.watch("../library", &["--format", "markdown"]);
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{listed}");
    let line = String::from_utf8_lossy(&place.watch("../library", &[]).stdout).into_owned();
    assert!(line.contains("is it the repository of tiny?"), "{line}");
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let place = Place::new();
    let nowhere = place.watch("/nowhere/nope", &[]);
    let said = String::from_utf8_lossy(&nowhere.stderr);
    assert!(said.contains("/nowhere/nope") && !said.contains("and the repository exists"), "{said}");
    assert!(
        said.contains("does not appear to be a git repository") || said.contains("does not exist"),
        "{said}"
    );
    for (arguments, cause) in [
        (&["--branch", "main:x"][..], "not a name of a branch"),
        (&["--branch", "lost"], "no branch lost"),
        (&["--good", "0123456789"], "not one of the revisions of main"),
        (&["--metric", "count"], "cannot be used with"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab"));
        command.current_dir(place.path("lab")).args(["watch", "tiny", "--repository", "../library"]);
        if !arguments.contains(&"--branch") {
            command.args(["--branch", "main"]);
        }
        let output = command.args(arguments).arg("--out").arg(place.path("out")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(cause), "{arguments:?}: {said}");
    }
}
