//! Lists the files of the lab's tree that a program needs, and the commit from which it is compiled.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// What is embedded, relative to the workspace.
const EMBEDDED: [&str; 15] = [
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "crates/driver-kit",
    "crates/protocol",
    "documents",
    "drivers",
    "instruments",
    "parts.toml",
    "processors.toml",
    "scenarios",
    "stacks",
    "tlslab.toml",
    "variants",
];

/// Folders that neither builds nor runs read.
const UNUSED: [&str; 4] = ["target", "tests", "snapshots", "__pycache__"];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let root = root.canonicalize()?;
    let mut files = Vec::new();
    for name in EMBEDDED {
        println!("cargo::rerun-if-changed={}", root.join(name).display());
        list(&root, Path::new(name), &mut files)?;
    }
    files.sort();
    let mut text = String::from("&[\n");
    for file in &files {
        let content = root.join(file);
        // A string in debug format is a valid Rust literal.
        let _ = writeln!(text, "    ({file:?}, include_bytes!({content:?})),");
    }
    text.push(']');
    let to = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(to.join("files.rs"), text)?;
    let commit = commit(&root).map_or("unknown commit".to_owned(), |commit| format!("commit {commit}"));
    println!("cargo::rustc-env=TLSLAB_BUILT_FROM={commit}");
    Ok(())
}

/// The file, or all files below the folder.
fn list(root: &Path, path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let here = root.join(path);
    if !here.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(here)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with('.') && !name.ends_with('~') && !UNUSED.contains(&&*name) {
            list(root, &path.join(&*name), files)?;
        }
    }
    Ok(())
}

/// The commit that is checked out, or the one that a packager names. `None` without a repository.
fn commit(root: &Path) -> Option<String> {
    println!("cargo::rerun-if-env-changed=TLSLAB_COMMIT");
    if let Ok(named) = env::var("TLSLAB_COMMIT") {
        return Some(named);
    }
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(root).args(["-c", "core.fsmonitor=false"]).args(arguments);
        let output = git.env("GIT_OPTIONAL_LOCKS", "0").output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // A repository above the tree has other commits.
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != root {
        return None;
    }
    for name in ["HEAD", "logs/HEAD"] {
        let file = git(&["rev-parse", "--path-format=absolute", "--git-path", name])?;
        if Path::new(&file).exists() {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}
