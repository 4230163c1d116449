//! The program in a folder of its own, as `cargo install` leaves it: no checkout is here, above it or around
//! it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// The checkout.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A program, a home and a working folder.
struct Installed {
    folder: TempDir,
}

impl Installed {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bin", "home", "here"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let (built, installed) = (env!("CARGO_BIN_EXE_tlslab"), folder.path().join("bin/tlslab"));
        if fs::hard_link(built, &installed).is_err() {
            fs::copy(built, &installed).unwrap();
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.path("bin/tlslab"));
        command.current_dir(self.path("here")).args(arguments).env("HOME", self.path("home"));
        // Rustup would install a toolchain into a home that has none.
        if let (None, Some(home)) = (std::env::var_os("RUSTUP_HOME"), std::env::home_dir()) {
            command.env("RUSTUP_HOME", home.join(".rustup"));
        }
        for name in ["TLSLAB_ROOT", "TLSLAB_CACHE", "TLSLAB_STORE", "XDG_CACHE_HOME"] {
            command.env_remove(name);
        }
        command
    }

    fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn text(&self, arguments: &[&str]) -> String {
        text(&self.output(arguments))
    }

    /// The path of the program's own files.
    fn unpacked(&self) -> PathBuf {
        self.path("home/.cache/tlslab/lab")
    }
}

fn text(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn verbs_that_need_the_labs_files_bring_them_along() {
    let installed = Installed::new();
    let listed = installed.text(&["stacks", "openssl"]);
    assert!(listed.contains("openssl"), "{listed}");
    let of_checkout = installed.text(&["stacks", "openssl", "--root", ROOT]);
    let rest =
        |text: &str| text.lines().filter(|line| !line.contains('`')).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rest(&listed), rest(&of_checkout));

    let folders: Vec<_> = fs::read_dir(installed.unpacked()).unwrap().flatten().collect();
    let trees: Vec<_> = folders.iter().filter(|entry| entry.path().is_dir()).collect();
    let [tree] = &trees[..] else { panic!("{trees:?}") };
    // A recipe in the cache that the program did not unpack is ignored.
    let planted = tree.path().join("stacks/planted.toml");
    fs::write(&planted, "no recipe").unwrap();
    assert!(installed.text(&["stacks", "openssl"]).contains("openssl"));
    assert!(!planted.exists());
}

#[test]
fn verbs_that_show_what_is_recorded_need_no_files() {
    let installed = Installed::new();
    for arguments in [&["--version"][..], &["schema", "results"], &["runs"], &["doctor", "--help"]] {
        installed.text(arguments);
    }
    for arguments in [&["report"][..], &["history"], &["compare", "--from", "none.json"]] {
        let output = installed.output(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!said.contains("tlslab.toml"), "{said}");
    }
    assert!(!installed.path("home/.cache").exists());
}

#[test]
fn a_folder_of_ones_own_stands_beside_the_programs_files() {
    let installed = Installed::new();
    fs::write(installed.path("here/tlslab.toml"), "").unwrap();
    fs::create_dir_all(installed.path("here/scenarios/suites")).unwrap();
    assert!(installed.text(&["stacks", "openssl"]).contains("openssl"));
    // A checkout that is named wins.
    fs::remove_dir_all(installed.unpacked()).unwrap();
    installed.text(&["stacks", "openssl", "--root", ROOT]);
    assert!(!installed.unpacked().exists());
}

#[test]
fn a_home_that_cannot_be_written_is_named_with_the_option() {
    let installed = Installed::new();
    fs::write(installed.path("home/.cache"), "no folder").unwrap();
    let output = installed.output(&["stacks"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let place = installed.unpacked();
    assert!(said.contains(&place.display().to_string()) && said.contains("--cache"), "{said}");
    assert_eq!(output.status.code(), Some(1));
}
