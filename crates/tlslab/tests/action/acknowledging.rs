//! A maintainer accepts a regression by a workflow: it is recorded in the history, for a commit that the
//! history does not have.

use serde_json::json;
use tlslab_store::Address;

use crate::changes::{PROGRAM, git};
use crate::workflow::Job;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

#[test]
fn what_a_maintainer_accepts_is_noted_in_the_history() {
    let folder = tempfile::tempdir().unwrap();
    let clone = folder.path().join("clone");
    git(folder.path(), &["init", "--quiet", "--bare", "origin.git"]);
    git(folder.path(), &["init", "--quiet", "--initial-branch", "main", "clone"]);
    git(&clone, &["commit", "--quiet", "--allow-empty", "-m", "first"]);
    git(&clone, &["remote", "add", "origin", folder.path().join("origin.git").to_str().unwrap()]);
    git(&clone, &["push", "--quiet", "origin", "--all"]);
    let temp = folder.path().join("temp");
    let run = |reference: &str| {
        let job = Job {
            event: "workflow_dispatch",
            payload: json!({ "repository": { "default_branch": "main" } }),
            workspace: &clone,
            temp: &temp,
            api: "http://127.0.0.1:9",
            token: "",
            more: &[("GITHUB_REF", reference), ("TLSLAB_PATIENCE", "0")],
        };
        job.run(&[
            ("program", PROGRAM),
            ("history", "branch"),
            ("acknowledge-commit", COMMIT),
            ("acknowledge-stack", "rustls/ring"),
            ("acknowledge-text", "-v $(touch pwned) a fix"),
            ("acknowledge-up-to", "2.5"),
        ])
    };
    let elsewhere = run("refs/heads/feature");
    assert_eq!(elsewhere.status, 1);
    assert!(elsewhere.log.contains("run it on the branch main"), "{}", elsewhere.log);
    let ended = run("refs/heads/main");
    assert_eq!(ended.status, 0, "{}", ended.log);
    assert!(ended.log.contains("acknowledged up to +2.50 %"), "{}", ended.log);
    assert!(ended.artifacts.is_empty(), "nothing is measured: {:?}", ended.artifacts);
    assert!(!clone.join("pwned").exists());
    let arguments = ["clone", "--quiet", "--branch", "tlslab-history", "origin.git", "kept"];
    git(folder.path(), &arguments);
    let database = folder.path().join("kept/tlslab.sqlite");
    let store = tlslab_store::open_to_read(&Address::Sqlite(database)).unwrap();
    let noted = tlslab_lab::acknowledged(&*store).unwrap();
    let [noted] = &noted[..] else { panic!("{noted:?}") };
    assert_eq!((noted.stack.as_str(), noted.label.as_str()), ("rustls/ring", COMMIT));
    assert_eq!(noted.text, "-v $(touch pwned) a fix");
}
