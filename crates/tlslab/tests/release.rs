//! A release: its files are pinned by the tree, downloaded by `ci/build` and installed by
//! `packaging/install`, and files with another digest are rejected. The programs are small scripts here;
//! `make test-install ROOTS=bookworm` takes those of a real release.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const VERSION: &str = env!("CARGO_PKG_VERSION");
const TARGET: &str = "x86_64-unknown-linux-gnu";

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(name)).unwrap()
}

/// The files that `crates/tree/build.rs` embeds.
fn embedded() -> Vec<String> {
    let text = read("crates/tree/build.rs");
    let list = text.split_once("const EMBEDDED").unwrap().1.split_once("];").unwrap().0;
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A tree with the scripts of this one, small sources, and the files of a release.
struct Tree {
    folder: TempDir,
}

impl Tree {
    fn new() -> Self {
        let tree = Self { folder: tempfile::tempdir().unwrap() };
        for name in embedded().iter().map(String::as_str).chain(["crates", "rust-toolchain.toml"]) {
            let path = tree.path("tree").join(name);
            match Path::new(ROOT).join(name).is_dir() {
                true => {
                    fs::create_dir_all(&path).unwrap();
                    fs::write(path.join("source"), name).unwrap();
                }
                false => {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, format!("version = \"{VERSION}\"\n")).unwrap();
                }
            }
        }
        for name in ["ci/build", "ci/sources", "packaging/release", "packaging/install"] {
            let path = tree.path("tree").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::copy(Path::new(ROOT).join(name), path).unwrap();
        }
        script(&tree.path("tree/setup"), "");
        let build = format!(
            "mkdir -p $CARGO_TARGET_DIR/debug\nprintf '#!/bin/sh\\necho tlslab {VERSION} built\\n' >$CARGO_TARGET_DIR/debug/tlslab\n\
             chmod +x $CARGO_TARGET_DIR/debug/tlslab"
        );
        script(&tree.path("bin/cargo"), &build);
        for name in ["tlslab", "tlslab-service"] {
            tree.archive(name, &format!("echo {name} {VERSION}"));
        }
        tree.prove();
        tree.sum();
        tree
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn archive_path(&self, name: &str) -> PathBuf {
        self.path("release").join(format!("{name}-v{VERSION}-{TARGET}.tar.gz"))
    }

    /// Creates the archive of a program that does this.
    fn archive(&self, name: &str, does: &str) {
        let (folder, archive) = (format!("{name}-v{VERSION}-{TARGET}"), self.archive_path(name));
        script(&self.path("parts").join(&folder).join("bin").join(name), does);
        let share = self.path("parts").join(&folder).join("share/doc").join(name);
        fs::create_dir_all(&share).unwrap();
        fs::write(share.join("copyright"), "free").unwrap();
        fs::create_dir_all(self.path("release")).unwrap();
        let mut tar = Command::new("tar");
        tar.arg("-czf").arg(archive).arg("-C").arg(self.path("parts")).arg(folder);
        assert!(tar.status().unwrap().success());
    }

    /// Writes the provenance.
    fn prove(&self) {
        let sources = self.command("ci/sources").output().unwrap().stdout;
        let build = json!({
            "internalParameters": { "sources": String::from_utf8(sources).unwrap().trim() },
            "resolvedDependencies": [{ "digest": { "gitCommit": "0123" } }],
        });
        let statement = json!({ "predicate": { "buildDefinition": build } });
        fs::write(self.path("release/provenance.json"), statement.to_string()).unwrap();
    }

    /// Writes SHA256SUMS.
    fn sum(&self) {
        let sums = "rm -f SHA256SUMS; sha256sum * >sums; mv sums SHA256SUMS";
        let status = Command::new("sh").args(["-ec", sums]).current_dir(self.path("release")).status();
        assert!(status.unwrap().success());
    }

    /// A command of the tree, with a home, a cache and a cargo of its own.
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.path("tree").join(name));
        for (name, _) in std::env::vars() {
            if ["GITHUB", "TLSLAB", "CARGO_"].iter().any(|start| name.starts_with(start)) {
                command.env_remove(name);
            }
        }
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        command.env("HOME", self.path("home")).env("PATH", path).env("OUT", self.path("release"));
        command.env_remove("XDG_CACHE_HOME").env("TLSLAB_RELEASE", self.address());
        command
    }

    fn address(&self) -> String {
        format!("file://{}", self.path("release").display())
    }

    fn pin(&self) {
        let output = self.command("packaging/release").arg("pin").output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
    }

    /// The output of `ci/build`, and how its program was obtained.
    fn build(&self) -> Result<(String, String), String> {
        let output = self.command("ci/build").output().unwrap();
        if !output.status.success() {
            return Err(errors(&output));
        }
        let program = String::from_utf8(output.stdout.clone()).unwrap();
        let said = Command::new(program.trim()).output().unwrap();
        Ok((errors(&output), String::from_utf8(said.stdout).unwrap().trim().to_owned()))
    }

    /// How the installer ended, its output, and whether there is a program.
    fn install(&self, arguments: &[&str]) -> (bool, String, bool) {
        let prefix = self.path("prefix");
        let mut command = self.command("packaging/install");
        let output = command.arg("--prefix").arg(&prefix).args(arguments).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &errors(&output);
        (output.status.success(), printed, prefix.join("bin/tlslab").exists())
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn built() -> String {
    format!("tlslab {VERSION} built")
}

#[test]
fn the_pinned_release_is_downloaded_and_anything_else_is_refused() {
    let tree = Tree::new();
    let (why, program) = tree.build().unwrap();
    assert_eq!(program, built());
    assert!(why.contains("this tree is not that of a release; it is built"), "{why}");

    tree.pin();
    let (_, program) = tree.build().unwrap();
    assert_eq!(program, format!("tlslab {VERSION}"));
    assert!(tree.command("packaging/release").arg("check").output().unwrap().status.success());
    let other_tag =
        tree.command("packaging/release").arg("check").env("GITHUB_REF_NAME", "v9.9.9").output().unwrap();
    assert!(errors(&other_tag).contains("the tag is v9.9.9"), "{}", errors(&other_tag));

    // Someone who can replace files of the release can replace its checksums, too. A file that was downloaded before stays valid.
    tree.archive("tlslab", "echo forged");
    tree.sum();
    assert_eq!(tree.build().unwrap().1, format!("tlslab {VERSION}"));
    fs::remove_dir_all(tree.path("home/.cache")).unwrap();
    let refused = tree.build().unwrap_err();
    assert!(refused.contains("has not the digest") && refused.contains("it was not used"), "{refused}");
    let refused = tree.command("packaging/release").arg("check").output().unwrap();
    assert!(!refused.status.success() && errors(&refused).contains("than ci/release says"));
}

#[test]
fn a_program_is_built_where_no_release_fits() {
    let tree = Tree::new();
    tree.pin();
    let why = |said: &str| {
        let (why, program) = tree.build().unwrap();
        assert_eq!(program, built(), "{why}");
        assert!(why.contains(said), "{why}");
    };
    // Sources of another commit. Files that are not compiled do not count.
    fs::write(tree.path("tree/README.md"), "more").unwrap();
    fs::create_dir(tree.path("tree/crates/target")).unwrap();
    fs::write(tree.path("tree/crates/target/product"), "made").unwrap();
    assert_eq!(tree.build().unwrap().1, format!("tlslab {VERSION}"));
    let source = tree.path("tree/crates/source");
    fs::rename(&source, tree.path("tree/crates/other")).unwrap();
    why("this tree has other sources than release");
    let refused = tree.command("packaging/release").arg("pin").output().unwrap();
    assert!(errors(&refused).contains("check out commit 0123"), "{}", errors(&refused));
    fs::rename(tree.path("tree/crates/other"), &source).unwrap();

    fs::remove_dir_all(tree.path("home/.cache")).unwrap();
    script(&tree.path("bin/uname"), "echo Linux aarch64");
    why("is for Linux on x86-64");
    assert!(tree.install(&[]).1.contains("releases are for Linux on x86-64"));
    fs::remove_file(tree.path("bin/uname")).unwrap();

    fs::rename(tree.path("release"), tree.path("away")).unwrap();
    why("cannot be downloaded");
    fs::rename(tree.path("away"), tree.path("release")).unwrap();

    let none = tree.command("ci/build").env("TLSLAB_RELEASE", "none").output().unwrap();
    assert!(String::from_utf8(none.stdout).unwrap().ends_with("/lab-target/debug/tlslab\n"));

    // A system whose C library is older than the program's.
    tree.archive("tlslab", "echo 'version GLIBC_2.35 not found' >&2; exit 1");
    tree.sum();
    tree.pin();
    why("does not start on this system");
}

#[test]
fn a_pin_that_is_not_plain_is_an_error() {
    let tree = Tree::new();
    tree.pin();
    let pin = tree.path("tree/ci/release");
    let good = fs::read_to_string(&pin).unwrap();
    for (from, to) in
        [("sha256 ", "sha256 0"), ("sha256 ", "sha "), ("file ", "file ../"), ("version ", "version $(id)")]
    {
        fs::write(&pin, good.replace(from, to)).unwrap();
        let refused = tree.build().unwrap_err();
        assert!(refused.contains("ci/release names no"), "{to}: {refused}");
    }
}

#[test]
fn the_installer_installs_what_the_sums_name_and_nothing_else() {
    let tree = Tree::new();
    let (well, printed, is_there) = tree.install(&["--service"]);
    assert!(well && is_there, "{printed}");
    assert!(printed.contains("is not in PATH"), "{printed}");
    assert!(tree.path("prefix/bin/tlslab-service").exists());
    assert!(tree.path("prefix/share/doc/tlslab/copyright").exists());
    fs::remove_dir_all(tree.path("prefix")).unwrap();

    let refused = |arguments: &[&str], said: &str| {
        let (well, printed, is_there) = tree.install(arguments);
        assert!(!well && !is_there && printed.contains(said), "{printed}");
    };
    refused(&["--version", "9.9.9"], "SHA256SUMS does not name tlslab-v9.9.9-");
    refused(&["--version", "1/../2"], "is no version");
    refused(&["--sums", &"0".repeat(64)], "nothing was installed");
    refused(&["--prefix"], "--prefix needs a value");
    refused(&["--force"], "there is no option --force");
    let mut nowhere = tree.command("packaging/install");
    let nowhere = nowhere.env_remove("TLSLAB_RELEASE").output().unwrap();
    assert!(errors(&nowhere).contains("set TLSLAB_RELEASE"), "{}", errors(&nowhere));

    // One of two is wrong: neither is installed.
    fs::write(tree.archive_path("tlslab-service"), "cut short").unwrap();
    refused(&["--service"], "SHA256SUMS says");
    tree.archive("tlslab", "echo 'version GLIBC_2.35 not found' >&2; exit 1");
    tree.sum();
    refused(&[], "does not start here, nothing was installed");
    fs::remove_file(tree.path("release/SHA256SUMS")).unwrap();
    refused(&[], "cannot be downloaded");
}

#[test]
fn names_and_versions_agree() {
    let sources = read("ci/sources");
    for name in embedded() {
        // All of a folder.
        let first = name.split('/').next().unwrap();
        assert!(sources.split_whitespace().any(|word| word == first), "ci/sources has no {first}");
    }
    assert!(read("packaging/install").contains(&format!("\nversion={VERSION}\n")));
    assert!(
        read("CHANGELOG.md").contains(&format!("\n## {VERSION} ")),
        "CHANGELOG.md has no section of {VERSION}"
    );
    for name in ["tlslab", "service"] {
        let manifest: toml::Value = toml::from_str(&read(&format!("crates/{name}/Cargo.toml"))).unwrap();
        let (package, binstall) = (&manifest["package"], &manifest["package"]["metadata"]["binstall"]);
        let fill = |key: &str| {
            let name = package["name"].as_str().unwrap();
            let text = binstall[key].as_str().unwrap().replace("{ name }", name).replace("{ bin }", name);
            text.replace("{ version }", VERSION).replace("{ target }", TARGET)
        };
        let package = package["name"].as_str().unwrap();
        let folder = format!("{package}-v{VERSION}-{TARGET}");
        assert_eq!(fill("pkg-url"), format!("{{ repo }}/releases/download/v{VERSION}/{folder}.tar.gz"));
        assert_eq!(fill("bin-dir"), format!("{folder}/bin/{package}"));
    }
    // The pin of a release, if there is one, is of this version.
    if let Ok(pin) = fs::read_to_string(Path::new(ROOT).join("ci/release")) {
        assert!(pin.contains(&format!("version {VERSION}\n")), "{pin}");
    }
}

#[test]
fn the_workflow_calls_the_script_with_no_more_rights_than_it_needs() {
    let workflow: Value = serde_saphyr::from_str(&read(".github/workflows/release.yml")).unwrap();
    assert_eq!(workflow["permissions"], json!({}));
    let jobs = workflow["jobs"].as_object().unwrap();
    assert_eq!(
        jobs["programs"]["permissions"],
        json!({ "contents": "read" }),
        "what compiles may write nothing"
    );
    let mut calls = 0;
    for (name, job) in jobs {
        for step in job["steps"].as_array().unwrap() {
            if let Some(uses) = step["uses"].as_str() {
                let commit = uses.strip_prefix("actions/").and_then(|uses| uses.split_once('@')).unwrap().1;
                assert!(
                    commit.len() == 40 && commit.bytes().all(|digit| digit.is_ascii_hexdigit()),
                    "{uses}"
                );
            }
            let Some(run) = step["run"].as_str() else { continue };
            assert!(!run.contains("${{"), "{run}");
            calls += usize::from(run.contains("packaging/release"));
            assert!(name == "programs" || !run.contains("cargo"), "{run}");
        }
    }
    assert_eq!(calls, 4);
}
