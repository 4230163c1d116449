//! `tlslab doctor` with this machine's settings. Nothing here changes one; `make test-doctor` does, as root.

mod support;

use std::fs;
use std::path::Path;
use std::process::Output;

use support::tlslab;
use tlslab_tuning::{Host, Plan, probe};

fn doctor(args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = tlslab().arg("doctor").args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

fn this_machine() -> Plan {
    probe(&Host::this(), None).unwrap()
}

#[test]
fn a_plan_of_this_machine_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("doctor.json");
    let before = this_machine();
    let (status, printed, error) = doctor(&["--plan", "--state", state.to_str().unwrap()]);
    assert_eq!((status, error.as_str()), (0, ""));
    assert!(printed.starts_with(&before.text()), "{printed}");
    assert!(printed.contains("would change: `sudo tlslab doctor --apply --state "), "{printed}");
    assert_eq!(this_machine(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "no state file is written");
}

#[test]
fn without_a_state_file_nothing_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("doctor.json");
    let (status, printed, error) = doctor(&["--undo", "--state", state.to_str().unwrap()]);
    let cause = match this_machine().is_root {
        true => format!("there is nothing to undo: {} does not exist", state.display()),
        false => "only root changes settings of the host: run the command as root".to_owned(),
    };
    assert_eq!((status, printed, error), (1, String::new(), format!("tlslab: {cause}\n")));
}

#[test]
fn one_thing_is_done_at_a_time() {
    for args in [
        &["--plan", "--undo"][..],
        &["--plan", "--effects", "a", "b"],
        &["--undo", "--cpus", "1"],
        &["--plan", "--save", "x"],
    ] {
        let (status, _, error) = doctor(args);
        assert!(status == 2 && error.contains("cannot be used with"), "{args:?}: {error}");
    }
    let (status, _, error) = doctor(&["--plan", "--cpus", "one"]);
    assert!(status == 2 && error.contains("numbers and ranges of CPUs"), "{error}");
    let (status, _, error) = doctor(&["--plan", "--cpus", "8191"]);
    assert!(status == 2 && error.starts_with("tlslab: --cpus: CPUs 8191 cannot be chosen"), "{error}");
}

fn diagnosis(spread: f64) -> String {
    format!(
        r#"{{"kind":"diagnosis","value":{{"stack":"library","rounds":12,"visit_s":0.4,"warnings":["load: high"],"arrangements":[
            {{"arrangement":"interleaved","cells":[{{"scenario":"handshake","side":"client","spread":{spread},
              "detectable":[{{"budget_s":10.0,"change":{spread},"reason":null}}]}}]}}]}}}}"#
    )
}

#[test]
fn effects_of_settings_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let (before, after) = (write("before", &diagnosis(0.02)), write("after", &diagnosis(0.005)));
    let (status, printed, error) = doctor(&["--effects", &before, &after]);
    assert_eq!((status, error.as_str()), (0, ""));
    assert!(printed.contains("2 % → 0.5 %") && printed.contains("×0.25 [0.13, 0.47]"), "{printed}");
    assert!(printed.contains("less noise in 1 cell, more in 0 cells"), "{printed}");
    assert!(printed.ends_with("- noise before: load: high\n- noise after: load: high\n"), "{printed}");
    let other = write("other", "{}");
    let (status, _, error) = doctor(&["--effects", &before, &other]);
    assert!(status == 2 && error.contains(&other) && error.contains("--save FILE"), "{error}");
    let missing = Path::new(&other).with_file_name("missing");
    assert_eq!(doctor(&["--effects", &before, missing.to_str().unwrap()]).0, 1);
}
