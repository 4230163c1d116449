//! Credentials that expire while git fetches: the code host rejects them for a while, whatever the service gives out. No candidate is blamed.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tlslab_process::{Channel, Heard};

use crate::support::write_secret;

const TOKEN: &str = "reads-and-nothing-else";
/// While this file exists the code host rejects every token.
const EXPIRED: &str = "expired";
/// How long an answer may take while faults happen.
const PATIENCE: Duration = Duration::from_secs(90);
/// Between the two attempts of a fetch.
const AGAIN: Duration = Duration::from_millis(100);

/// The project of a configuration becomes a private one.
pub(crate) fn make_private(folder: &Path) {
    write_secret(&folder.join("reader"), TOKEN);
    let path = folder.join("service.toml");
    let text = fs::read_to_string(&path).unwrap();
    let line = "watch_regressions = false";
    assert!(text.contains(line), "{text}");
    let private = format!("{line}\nprivate = true\nfetch_token = {{ file = \"reader\" }}");
    fs::write(path, format!("public_reading = false\n{}", text.replace(line, &private))).unwrap();
}

/// The code host rejects every token from now on.
pub(crate) fn expire(folder: &Path) {
    fs::write(folder.join(EXPIRED), "").unwrap();
}

/// It accepts them again.
pub(crate) fn renew(folder: &Path) {
    let _ = fs::remove_file(folder.join(EXPIRED));
}

/// The errors at the end: no credential was given out, or one is in a log.
pub(crate) fn wrong(folder: &Path) -> Vec<String> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let mut wrong = Vec::new();
    if !read("service.log").contains("was given a credential") {
        wrong.push("no runner was given a credential".to_owned());
    }
    let names = ["service.log", "runner-0.log", "runner-1.log", "runner-2.log"];
    wrong.extend(
        names.iter().filter(|name| read(name).contains(TOKEN)).map(|name| format!("{name} has the token")),
    );
    wrong
}

/// As the lab fetches: git asks for a credential, and once more if the code host rejects it.
pub(crate) fn fetch(folder: &Path, url: &str) -> Result<(), String> {
    let channel = Channel::inherited().map_err(|cause| cause.to_string())?;
    for number in 1..=2 {
        let ask = json!({"number": number, "url": url}).to_string();
        channel.send(ask.as_bytes()).map_err(|cause| cause.to_string())?;
        let Ok(Heard::Message(text)) = channel.hear(PATIENCE) else { return Err("no answer".to_owned()) };
        let answer: Value = serde_json::from_slice(&text).map_err(|cause| cause.to_string())?;
        if answer["password"] != TOKEN {
            return Err(format!("no credential: {}", answer["refusal"]));
        }
        if !folder.join(EXPIRED).exists() {
            return Ok(());
        }
        std::thread::sleep(AGAIN);
    }
    Err(format!("fatal: Authentication failed for '{url}'"))
}
