//! Runs the steps of `action.yml` as GitHub's runner does; unsupported features panic.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// `action.yml`.
#[derive(Deserialize)]
pub(crate) struct Action {
    pub inputs: BTreeMap<String, Input>,
    pub runs: Runs,
}

#[derive(Deserialize)]
pub(crate) struct Input {
    pub description: String,
    #[serde(default)]
    pub default: String,
}

#[derive(Deserialize)]
pub(crate) struct Runs {
    pub steps: Vec<Step>,
}

#[derive(Deserialize)]
pub(crate) struct Step {
    #[serde(default)]
    pub id: String,
    #[serde(rename = "if", default)]
    pub condition: String,
    #[serde(default)]
    pub run: String,
    #[serde(default)]
    pub shell: String,
    #[serde(default)]
    pub uses: String,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    #[serde(default)]
    pub with: BTreeMap<String, serde_json::Value>,
}

pub(crate) fn action() -> Action {
    serde_saphyr::from_str(&fs::read_to_string(Path::new(ROOT).join("action.yml")).unwrap()).unwrap()
}

/// A job: its event, its workspace, its token, and the forge's address.
pub(crate) struct Job<'a> {
    pub event: &'a str,
    pub payload: serde_json::Value,
    pub workspace: &'a Path,
    pub temp: &'a Path,
    pub api: &'a str,
    pub token: &'a str,
    pub more: &'a [(&'a str, &'a str)],
}

/// The outcome of a job.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit status of the first failed step; 0 if none failed.
    pub status: i32,
    pub summary: String,
    /// The uploads, by name.
    pub artifacts: BTreeMap<String, PathBuf>,
    /// The whole output.
    pub log: String,
}

impl Job<'_> {
    /// Runs the action with these inputs.
    pub(crate) fn run(&self, inputs: &[(&str, &str)]) -> Ended {
        let action = action();
        let mut values: BTreeMap<String, String> = BTreeMap::new();
        for (name, input) in &action.inputs {
            values.insert(format!("inputs.{name}"), self.filled(&input.default, &BTreeMap::new()));
        }
        for (name, value) in inputs {
            let known = values.insert(format!("inputs.{name}"), (*value).to_owned());
            assert!(known.is_some(), "action.yml has no input {name}");
        }
        fs::create_dir_all(self.temp).unwrap();
        let file = |name: &str| self.temp.join(name);
        fs::write(file("event.json"), self.payload.to_string()).unwrap();
        fs::write(file("summary"), "").unwrap();
        let mut ended =
            Ended { status: 0, summary: String::new(), artifacts: BTreeMap::new(), log: String::new() };
        for step in &action.runs.steps {
            if !is_due(&step.condition, &values, ended.status == 0) {
                continue;
            }
            if step.uses.starts_with("actions/upload-artifact@") {
                let with = |name: &str| self.filled(step.with[name].as_str().unwrap(), &values);
                ended.artifacts.insert(with("name"), with("path").into());
                continue;
            }
            assert!(step.uses.is_empty(), "{}", step.uses);
            assert_eq!(step.shell, "sh");
            fs::write(file("output"), "").unwrap();
            let mut command = Command::new("sh");
            command.args(["-e", "-c", &step.run]).current_dir(self.workspace);
            for (name, _) in std::env::vars() {
                if ["GITHUB", "CI", "TLSLAB", "GITLAB"].iter().any(|start| name.starts_with(start))
                    || name.to_lowercase().ends_with("_proxy")
                {
                    command.env_remove(name);
                }
            }
            // As on a forge, where the lab decides what runs in a sandbox. The cache is the tests'.
            command.env("CI", "true");
            command.envs(std::env::var_os("TLSLAB_CACHE").map(|cache| ("TLSLAB_CACHE", cache)));
            command.env("GITHUB_ACTION_PATH", ROOT).env("GITHUB_WORKSPACE", self.workspace);
            command.env("GITHUB_EVENT_NAME", self.event).env("GITHUB_EVENT_PATH", file("event.json"));
            command.env("GITHUB_API_URL", self.api).env("GITHUB_SERVER_URL", "https://github.example");
            command.env("GITHUB_REPOSITORY", "o/r").env("GITHUB_RUN_ID", "11");
            command.env("GITHUB_OUTPUT", file("output")).env("GITHUB_STEP_SUMMARY", file("summary"));
            command.env("RUNNER_TEMP", self.temp).envs(self.more.iter().copied());
            command.envs(step.env.iter().map(|(name, value)| (name, self.filled(value, &values))));
            let output = command.output().unwrap();
            ended.log += &String::from_utf8_lossy(&output.stdout);
            ended.log += &String::from_utf8_lossy(&output.stderr);
            if !output.status.success() && ended.status == 0 {
                ended.status = output.status.code().unwrap();
            }
            for line in fs::read_to_string(file("output")).unwrap().lines() {
                let (name, value) = line.split_once('=').unwrap();
                values.insert(format!("steps.{}.outputs.{name}", step.id), value.to_owned());
            }
        }
        ended.summary = fs::read_to_string(file("summary")).unwrap();
        ended
    }

    /// A text with its expressions replaced.
    fn filled(&self, text: &str, values: &BTreeMap<String, String>) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${{") {
            let (name, after) = after.split_once("}}").unwrap();
            filled += before;
            filled += &match name.trim() {
                "github.token" => self.token.to_owned(),
                "github.server_url" => "https://github.example".to_owned(),
                "github.action_repository" => "owner/tlslab".to_owned(),
                "runner.temp" => self.temp.display().to_string(),
                name if name.starts_with("inputs.") => values[name].clone(),
                name if name.starts_with("steps.") => values.get(name).cloned().unwrap_or_default(),
                other => panic!("no such expression: {other}"),
            };
            rest = after;
        }
        filled + rest
    }
}

/// A step's condition: terms with && between them. Without a status function, a step requires that all before
/// it succeeded.
fn is_due(condition: &str, values: &BTreeMap<String, String>, all_is_well: bool) -> bool {
    let mut terms: Vec<&str> = condition.split("&&").map(str::trim).filter(|term| !term.is_empty()).collect();
    let any_way = terms.contains(&"!cancelled()");
    terms.retain(|term| *term != "!cancelled()");
    let holds = |term: &&str| {
        let (name, wanted, is_same) = match (term.split_once(" == "), term.split_once(" != ")) {
            (Some((name, wanted)), None) => (name, wanted, true),
            (None, Some((name, wanted))) => (name, wanted, false),
            _ => panic!("no such term: {term}"),
        };
        let wanted = wanted.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap();
        let value = values.get(name).map_or("", String::as_str);
        assert!(name.starts_with("inputs.") || name.starts_with("steps."), "{name}");
        (value == wanted) == is_same
    };
    (any_way || all_is_well) && terms.iter().all(holds)
}
