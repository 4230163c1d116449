//! A miniature of a lab's tree, and a library to build: everything is fast and needs no network.
#![allow(dead_code)] // Each test program uses a part of it.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use tempfile::TempDir;
use tlslab_artifact::Environment;
use tlslab_build::{BuildFailure, Builder, BuiltStack, Event, Happening, Options};
use tlslab_recipe::{Recipe, RecipeError};

/// A lab's tree and a cache in a folder of their own.
pub(crate) struct Lab {
    pub folder: TempDir,
}

impl Lab {
    /// With a stub of the kit, and a driver in C.
    pub(crate) fn new() -> Self {
        let lab = Self { folder: tempfile::tempdir().unwrap() };
        lab.write("Cargo.toml", WORKSPACE);
        lab.write("Cargo.lock", LOCK);
        lab.write("crates/protocol/Cargo.toml", PROTOCOL);
        lab.write("crates/protocol/src/lib.rs", "");
        lab.write("crates/driver-kit/Cargo.toml", KIT);
        lab.write("crates/driver-kit/src/lib.rs", KIT_SOURCE);
        lab.write("crates/driver-kit/include/tlslab_endpoint.h", "int tlslab_driver_main(int);\n");
        lab.write("drivers/demo/main.c", DRIVER);
        lab.write_library("library", 42);
        fs::create_dir(lab.path("stacks")).unwrap();
        lab
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(path)).unwrap();
        assert!(text.contains(from), "{path} has no {from:?}");
        self.write(path, &text.replace(from, to));
    }

    /// A library with one function and a two-line Makefile.
    pub(crate) fn write_library(&self, folder: &str, answer: u32) {
        self.write(&format!("{folder}/Makefile"), MAKEFILE);
        self.write(&format!("{folder}/answer.c"), &format!("int answer(void) {{ return {answer}; }}\n"));
        self.write(&format!("{folder}/answer.h"), "int answer(void);\n");
    }

    pub(crate) fn builder(&self) -> Builder {
        Builder::new(self.folder.path(), &self.path("cache"))
    }

    /// A tool that builders with tools of their own find before the installed one.
    pub(crate) fn write_tool(&self, name: &str, script: &str) {
        self.write(&format!("tools/{name}"), &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(self.path("tools").join(name), Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn builder_with_tools(&self) -> Builder {
        let path = format!("{}:{}", self.path("tools").display(), std::env::var("PATH").unwrap());
        let variables = std::env::vars_os().chain([("PATH".into(), path.into())]);
        self.builder().with_environment(Environment::choose(variables.collect::<BTreeMap<_, _>>()))
    }

    /// A recipe in `stacks/` for the driver in C.
    pub(crate) fn recipe(&self, name: &str, source: &str) -> Recipe {
        self.recipe_with_steps(name, source, r#"["make", "install", "PREFIX={prefix}"]"#)
    }

    pub(crate) fn recipe_with_steps(&self, name: &str, source: &str, steps: &str) -> Recipe {
        let text = format!(
            "name = \"{name}\"\ntitle = \"Demo\"\nlicence = \"MIT\"\ndriver = \"demo\"\n\n[source]\n{source}\n\n\
             [build]\nsteps = [{steps}]\n\n[link]\nargs = [\"-lanswer\"]\n"
        );
        self.parse(&text)
    }

    pub(crate) fn parse(&self, text: &str) -> Recipe {
        let file = self.path("stacks/test.toml");
        Recipe::parse(file.to_str().unwrap(), text).unwrap()
    }

    /// A recipe's file in `stacks/`, to be requested by [`named`](Self::named).
    pub(crate) fn shelve(&self, name: &str, text: &str) {
        self.write(&format!("stacks/{name}.toml"), &format!("name = \"{name}\"\nlicence = \"MIT\"\n{text}"));
    }

    pub(crate) fn named(&self, spec: &str) -> Recipe {
        self.try_named(spec).unwrap()
    }

    pub(crate) fn try_named(&self, spec: &str) -> Result<Recipe, RecipeError> {
        self.builder().recipe_index()?.named(spec)
    }

    pub(crate) fn build(&self, recipes: &[Recipe]) -> Vec<Result<BuiltStack, BuildFailure>> {
        self.build_seen(recipes).0
    }

    pub(crate) fn build_one(&self, recipe: &Recipe) -> Result<BuiltStack, BuildFailure> {
        self.build(std::slice::from_ref(recipe)).remove(0)
    }

    /// Builds, and returns the new (not cached) products, as `stage: stacks`.
    pub(crate) fn build_seen(
        &self,
        recipes: &[Recipe],
    ) -> (Vec<Result<BuiltStack, BuildFailure>>, Vec<String>) {
        Self::build_seen_by(&self.builder(), recipes)
    }

    /// The same with another builder.
    pub(crate) fn build_seen_by(
        builder: &Builder,
        recipes: &[Recipe],
    ) -> (Vec<Result<BuiltStack, BuildFailure>>, Vec<String>) {
        let seen = Mutex::new(Vec::new());
        let observer = |event: &Event| {
            if let Happening::Finished { .. } = event.what {
                let line = format!("{}: {}", event.task.stage, event.task.stacks.join(", "));
                seen.lock().unwrap().push(line);
            }
        };
        let options = Options { jobs: 2, side_by_side: 2 };
        let outcomes = builder.build(recipes, options, &observer, &AtomicBool::new(false));
        let names: Vec<_> = outcomes.iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(names, recipes.iter().map(|recipe| recipe.name.clone()).collect::<Vec<_>>());
        let mut seen = seen.into_inner().unwrap();
        seen.sort();
        (outcomes.into_iter().map(|(_, outcome)| outcome).collect(), seen)
    }
}

/// A driver's output.
pub(crate) fn output(driver: &Path) -> String {
    let output = std::process::Command::new(driver).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The digest that `sha256sum` prints.
pub(crate) fn sha256(file: &Path) -> String {
    run(file.parent().unwrap(), "sha256sum", &[file.to_str().unwrap()])[..64].to_owned()
}

/// Runs a program of the test's own.
pub(crate) fn run(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = std::process::Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

const WORKSPACE: &str = r#"[workspace]
resolver = "3"
members = ["crates/*"]
exclude = ["drivers"]

[workspace.dependencies]
tlslab-protocol = { path = "crates/protocol" }
plotly = "0.14"

[profile.release]
debug = "line-tables-only"
"#;

const LOCK: &str = r#"# This file is automatically @generated by Cargo.
# It is not intended for manual editing.
version = 4

[[package]]
name = "plotly"
version = "0.14.0"
source = "registry+https://registry.example/index"
checksum = "0000000000000000000000000000000000000000000000000000000000000000"

[[package]]
name = "tlslab-driver-kit"
version = "0.1.0"
dependencies = [
 "plotly",
 "tlslab-protocol",
]

[[package]]
name = "tlslab-protocol"
version = "0.1.0"
"#;

const PROTOCOL: &str = "[package]\nname = \"tlslab-protocol\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

const KIT: &str = r#"# A comment.
[package]
name = "tlslab-driver-kit"
version = "0.1.0"
edition = "2024"

[features]
c = []

[dependencies]
tlslab-protocol.workspace = true

[dev-dependencies]
plotly.workspace = true
"#;

const KIT_SOURCE: &str = r#"#[unsafe(no_mangle)]
pub extern "C" fn tlslab_driver_main(answer: i32) -> i32 {
    println!("the kit says {answer}");
    0
}

pub fn serve(text: &str) {
    // Every kit reads a clock, and a driver that does not import the C library's is rejected.
    std::hint::black_box(std::time::Instant::now());
    println!("the kit serves {text}");
}
"#;

const DRIVER: &str = r#"#include <answer.h>
#include <tlslab_endpoint.h>

int main(void) { return tlslab_driver_main(answer()); }
"#;

const MAKEFILE: &str = "install:\n\tmkdir -p $(PREFIX)/include $(PREFIX)/lib && cp answer.h $(PREFIX)/include && \
                        $(CC) -c answer.c && ar rcs $(PREFIX)/lib/libanswer.a answer.o\n";

/// Commits everything in a repository.
pub(crate) fn commit(folder: &Path, message: &str) -> String {
    run(folder, "git", &["add", "."]);
    let author = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
    run(folder, "git", &[&author[..], &["commit", "--quiet", "--message", message]].concat());
    run(folder, "git", &["rev-parse", "HEAD"])
}

/// A driver in Rust that needs the package `answer`, and its lock file.
pub(crate) const RUST_DRIVER: &str = r#"[package]
name = "rust"
version = "0.1.0"
edition = "2024"

[workspace]

[[bin]]
name = "driver"
path = "src/main.rs"

[dependencies]
answer = "1"
tlslab-driver-kit = { path = "../../crates/driver-kit" }
"#;

pub(crate) const RUST_LOCK: &str = r#"version = 4

[[package]]
name = "answer"
version = "1.0.0"

[[package]]
name = "rust"
version = "0.1.0"
dependencies = [
 "answer",
 "tlslab-driver-kit",
]

[[package]]
name = "tlslab-driver-kit"
version = "0.1.0"
dependencies = [
 "tlslab-protocol",
]

[[package]]
name = "tlslab-protocol"
version = "0.1.0"
"#;
