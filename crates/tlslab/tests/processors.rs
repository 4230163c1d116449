//! Stacks that are run as if the processor lacked features. What the host's processor has decides nothing
//! here but the way in which features are hidden: every processor on which the lab runs has AES
//! instructions.
#![cfg(target_arch = "x86_64")]

mod support;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use support::own_folder::{lab_in, own_folder};
use support::stdout;

const SCENARIO: &str = "primitive/aead-seal/aes-128-gcm/16KiB";

/// Whether the kernel can have every CPUID instruction of a process fault.
fn can_fault() -> bool {
    std::fs::read_to_string("/proc/cpuinfo").unwrap().contains(" cpuid_fault")
}

fn timed(mut command: Command, stacks: &[&str], out: &Path) -> Output {
    let stacks = stacks.iter().flat_map(|stack| ["--stack", stack]);
    command.arg("run").args(stacks).args(["--scenario", SCENARIO, "--budget", "3s", "--rounds", "2"]);
    command.args(["--format", "json", "--out"]).arg(out).output().unwrap()
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stdout(output)))
}

fn stack<'r>(report: &'r Value, name: &str) -> &'r Value {
    let found = report["stacks"].as_array().unwrap().iter().find(|stack| stack["name"] == name);
    found.unwrap_or_else(|| panic!("{name}: {report}"))
}

fn time(report: &Value, name: &str) -> f64 {
    let is_it = |cell: &&Value| cell["stack"] == name && cell["metric"] == "time";
    let cell = report["cells"].as_array().unwrap().iter().find(is_it).unwrap_or_else(|| panic!("{report}"));
    cell["estimate"].as_f64().unwrap_or_else(|| panic!("{name}: {cell}"))
}

/// The record of what was hidden, and that the library encrypted without AES instructions: that takes several
/// times as long.
fn assert_hidden(report: &Value, plain: &str, without: &str, way: &str) {
    let processor = &stack(report, without)["identity"]["processor"];
    assert_eq!(processor["way"], way, "{report}");
    let hidden: Vec<&str> =
        processor["hidden"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(hidden.contains(&"aes") && !hidden.contains(&"pclmulqdq"), "{hidden:?}");
    assert!(!processor["answered"].as_array().unwrap().is_empty(), "{processor}");
    let (with, without_it) = (time(report, plain), time(report, without));
    assert!(without_it > 1.5 * with, "{without}: {without_it} µs, {plain}: {with} µs");
    assert_eq!(stack(report, plain)["driver_digest"], stack(report, without)["driver_digest"]);
    let note = format!("{without}: run as this host's processor without aes; ");
    let notes = report["notes"].as_array().unwrap();
    let note = notes.iter().filter_map(Value::as_str).find(|one| one.starts_with(&note));
    assert!(note.unwrap().contains("no forecast of that processor's speed"), "{notes:?}");
}

#[test]
fn libraries_do_without_the_features_that_are_hidden_from_them() {
    let out = tempfile::tempdir().unwrap();
    let plain = ["openssl", "rustls/ring", "openssl@system"];
    let without = plain.map(|stack| format!("{stack}+cpu-without-aes"));
    let stacks: Vec<&str> = plain.iter().copied().chain(without.iter().map(String::as_str)).collect();
    let output = timed(support::tlslab(), &stacks, out.path());
    let (report, way) = (report(&output), if can_fault() { "faulting" } else { "replaced" });
    for (plain, without) in plain.iter().zip(&without).take(2) {
        assert_hidden(&report, plain, without, way);
    }
    match can_fault() {
        true => assert_hidden(&report, plain[2], &without[2], way),
        // Its functions have no names, so that not every place is known.
        false => {
            assert!(stack(&report, &without[2]).to_string().contains("may ask for features"), "{report}")
        }
    }
    let over_itself = report["processors"].as_array().unwrap();
    for one in over_itself.iter().filter(|one| one["stack"] != plain[2]) {
        assert_eq!((&one["processor"], &one["scenario"]), (&"without-aes".into(), &SCENARIO.into()));
        assert!(one["ratio"]["estimate"].as_f64().unwrap() > 1.5, "{one}");
    }
    assert_eq!(over_itself.len(), 3, "{over_itself:?}");
    let mut shown = support::tlslab();
    shown.args(["report", report["run"]["id"].as_str().unwrap(), "--out"]).arg(out.path());
    let shown = stdout(&shown.output().unwrap());
    let (_, table) = shown.split_once("Time as another processor").unwrap_or_else(|| panic!("{shown}"));
    assert!(table.contains("times as long") && table.contains("without-aes"), "{table}");
    let mut history = support::tlslab();
    history.args(["history", "--format", "json", "--stack", "openssl+cpu-without-aes", "--out"]);
    let history: Value = serde_json::from_str(&stdout(&history.arg(out.path()).output().unwrap())).unwrap();
    let timelines = history["timelines"].as_array().unwrap();
    assert!(!timelines.is_empty(), "it is a series of its own: {history}");
}

#[test]
fn instructions_are_counted_of_the_code_that_is_left() {
    let of = |stack: &str| {
        let mut profile = support::tlslab();
        profile.args(["profile", "--stack", stack, "--scenario", SCENARIO, "--top", "3"]);
        stdout(&profile.output().unwrap())
    };
    let (plain, without) = (of("openssl"), of("openssl+cpu-without-aes"));
    assert!(plain.contains("aesni") && !plain.contains("bsaes"), "{plain}");
    assert!(without.contains("bsaes") && without.contains("no forecast"), "{without}");
}

#[test]
fn a_processor_with_a_feature_that_this_host_lacks_is_refused_by_its_name() {
    // No processor has this bit.
    let processors = "[[feature]]\nname = \"later\"\nat = \"7.1.edx\"\nbit = 31\n\n[[processor]]\nname = \"future\"\n\
                      title = \"the next one\"\nsource = \"a test\"\nlike = \"x86-64-v2\"\nhas = [\"later\"]\n";
    let own = own_folder(&[("processors.toml", processors)]);
    let run = |stack: &str| {
        let output = timed(lab_in(own.path()), &[stack], &own.path().join("out"));
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let refused = run("openssl+cpu-future");
    assert!(refused.contains("the next one has later, which this host's processor lacks"), "{refused}");
    let unknown = run("openssl+cpu-zen33");
    assert!(unknown.contains("no processor is called \"zen33\"; did you mean zen3"), "{unknown}");
}

/// On hosts whose CPUID cannot be made to fault, instructions are replaced; here the kernel is made to
/// refuse.
#[test]
fn where_cpuid_cannot_fault_its_instructions_are_replaced_if_all_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("refuse.c");
    std::fs::write(&source, REFUSE).unwrap();
    let refuse = folder.path().join("refuse");
    let compiled = Command::new("cc").arg("-o").args([&refuse, &source]).status().unwrap();
    assert!(compiled.success());
    let lab = support::tlslab();
    let mut command = Command::new(refuse);
    command.arg(lab.get_program()).args(lab.get_args());
    for (name, _) in lab.get_envs().filter(|(_, value)| value.is_none()) {
        command.env_remove(name);
    }
    let stacks = ["rustls/ring", "rustls/ring+cpu-without-aes", "openssl@system+cpu-without-aes"];
    let report = report(&timed(command, &stacks, &folder.path().join("out")));
    assert_hidden(&report, stacks[0], stacks[1], "replaced");
    assert!(stack(&report, stacks[2]).to_string().contains("may ask for features"), "{report}");
}

/// Starts a program whose kernel has no CPUID that faults.
const REFUSE: &str = r#"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_arch_prctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x1012, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENODEV),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 1;
  execv(arguments[1], arguments + 1);
  return 1;
}
"#;
