//! Archives and checkouts of the zoo: their attempts end with an error or do no harm.

mod lab;
#[path = "../../../tests/zoo/mod.rs"]
mod zoo;

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use lab::{Lab, sha256};
use zoo::{Specimen, judge, try_all};

#[test]
fn archives() {
    try_all("archives", 4, built);
}

#[test]
fn checkouts() {
    try_all("checkouts", 4, built);
}

/// Builds a library from the specimen next to a file that must not change.
fn built(specimen: &Specimen) -> Result<(), String> {
    let lab = Lab::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("precious"), "kept").unwrap();
    let mut script = Command::new("sh");
    script.args(["-ec", &specimen.script]).current_dir(lab.folder.path()).env("OUTSIDE", outside.path());
    let made = script.output().unwrap();
    if !made.status.success() {
        return Err(format!("cannot be made: {}", String::from_utf8_lossy(&made.stderr)));
    }
    let archive = lab.path("evil.tar");
    let digest = if archive.is_file() { sha256(&archive) } else { String::new() };
    let recipe = lab.recipe("demo", &specimen.source.replace("{sha256}", &digest));
    let start = Instant::now();
    let error = lab.build_one(&recipe).err().map(|failure| failure.to_string());
    if start.elapsed() > Duration::from_secs(120) {
        return Err(format!("took {:?}", start.elapsed()));
    }
    let there: Vec<_> =
        fs::read_dir(outside.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    if there != ["precious"] || fs::read_to_string(outside.path().join("precious")).unwrap() != "kept" {
        return Err(format!("changed a file outside: {there:?}"));
    }
    judge(specimen, error.as_deref())
}
