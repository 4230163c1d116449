//! In place of the lab: builds leave files on the runner's disk, and measurements a run in the job's database.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tlslab_store::Address;

use crate::{clock, credential, run};

const VARIABLE: &str = "TLSLAB_FAULTS_LAB";
/// The size of a build's output.
const BUILT: usize = 1 << 20;

/// The program that runners start: this one again, with the runner's clock.
pub(crate) fn write(folder: &Path) {
    let program = std::env::current_exe().unwrap();
    let text = format!(
        r#"#!/bin/sh
arguments=$*
number=${{arguments#*/runner-}}
number=${{number%%/*}}
echo started >> '{folder}/starts'
export {VARIABLE}="$arguments" TLSLAB_FAULTS_CLOCK="{clock}$number" LD_PRELOAD='{library}'
exec '{program}' --exact lab_process --nocapture
"#,
        folder = folder.display(),
        clock = clock::offset(folder, "runner-").display(),
        library = clock::library(folder).display(),
        program = program.display(),
    );
    let path = folder.join("lab");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The work of a process that was started as the lab.
pub(crate) fn be_lab() {
    let Ok(arguments) = std::env::var(VARIABLE) else { return };
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|argument| *argument == name)?;
        arguments.get(at + 1).copied()
    };
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let job: Value = serde_json::from_str(&text).unwrap();
    let id = job["id"].as_str().unwrap_or("none").to_owned();
    // The same for each attempt: between 0.3 s and 1.2 s, a step of a pull request a third of that.
    let dice = id.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let time_ms = (300 + dice % 900) / if text.contains("git.example") { 3 } else { 1 };
    say(&json!({"event": "step", "stage": "prove", "what": "a"}));
    std::thread::sleep(Duration::from_millis(time_ms));
    if let Some(url) = option("--private").filter(|_| text.contains("\"build\"")) {
        let (folder, _) = option("--out").and_then(|out| out.split_once("/runner-")).unwrap();
        if let Err(line) = credential::fetch(Path::new(folder), url) {
            return say(&not_built("source", "`git` failed: exit status 128", &line));
        }
    }
    say(&match text.contains("\"build\"") {
        // There is no shared cache here: what would be in it is in the job's folder.
        true => build(Path::new(option("--cache").or(option("--out")).unwrap())),
        false => measure(option("--store").unwrap(), &id),
    });
}

fn say(line: &Value) {
    println!("\n{line}");
}

/// A build that has no room ends as the lab's do.
fn build(cache: &Path) -> Value {
    let built = fs::create_dir_all(cache).and_then(|()| fs::write(cache.join("object"), vec![7; BUILT]));
    match built {
        Ok(()) => ended(json!({"kind": "builds", "value": {"stacks": [{"outcome": {"built": {}}}]}})),
        Err(cause) => not_built("driver", "the build failed", &format!("cc: {cause}")),
    }
}

fn not_built(stage: &str, reason: &str, line: &str) -> Value {
    let failed = json!({"stage": stage, "reason": reason, "last_lines": [line]});
    let outcome = json!({"kind": "builds", "value": {"stacks": [{"outcome": {"failed": failed}}]}});
    json!({"event": "ended", "status": "with-failures", "outcome": outcome})
}

fn measure(store: &str, id: &str) -> Value {
    let path = PathBuf::from(store.trim_start_matches("sqlite:"));
    let made = fs::create_dir_all(path.parent().unwrap()).map_err(anyhow::Error::from);
    let measured = made.and_then(|()| Ok(run::measure(&Address::Sqlite(path), id, id)?));
    match measured {
        Ok(()) => ended(json!({"kind": "nothing", "value": {}})),
        // In the lab's form of errors.
        Err(cause) => {
            json!({"event": "ended", "status": "failed", "error": tlslab_lab::problem_in(&cause)})
        }
    }
}

fn ended(outcome: Value) -> Value {
    json!({"event": "ended", "status": "done", "outcome": outcome})
}
