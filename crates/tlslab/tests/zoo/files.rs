//! Files and databases of the zoo, each given to the command that reads its kind.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support;
use crate::zoo::{Specimen, judge, try_all};

#[test]
fn files() {
    try_all("files", 2, |specimen| given(specimen, false));
}

#[test]
fn databases() {
    try_all("databases", 2, |specimen| given(specimen, true));
}

/// Gives the specimen to the command. `stays` is whether its content must not change.
fn given(specimen: &Specimen, stays: bool) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("specimen"), folder.path().join("out"));
    if specimen.script.is_empty() {
        std::fs::write(&file, &specimen.text).unwrap();
    } else {
        let made = Command::new("sh").args(["-ec", &specimen.script]).env("FILE", &file).status().unwrap();
        assert!(made.success(), "{} cannot be made", specimen.name);
    }
    let before = if stays { std::fs::read(&file).ok() } else { None };
    let fill = |word: &String| {
        word.replace("{file}", &file.display().to_string()).replace("{out}", &out.display().to_string())
    };
    let output = within(support::tlslab().args(specimen.arguments.iter().map(fill)))?;
    if stays && std::fs::read(&file).ok() != before {
        return Err("was changed".to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    if said.chars().any(|letter| letter.is_control() && letter != '\n') {
        return Err(format!("steers the terminal: {said:?}"));
    }
    if said.contains("panicked") || said.len() > 20_000 {
        return Err(format!("says too much: {}", said.chars().take(500).collect::<String>()));
    }
    judge(specimen, (!output.status.success()).then_some(&said))
}

/// A command that must end soon.
fn within(command: &mut Command) -> Result<Output, String> {
    let start = Instant::now();
    let mut running =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while running.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            running.kill().unwrap();
            running.wait().unwrap();
            return Err("is waited for".to_owned());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(running.wait_with_output().unwrap())
}
