//! Whole machines: the plan, the changes, and that every byte is restored.

mod machines;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use machines::*;
use proptest::prelude::*;
use tlslab_tuning::*;

fn plan(machine: &Fake) -> String {
    probe(machine, None).unwrap().text()
}

#[test]
fn plans() {
    insta::assert_snapshot!("intel", plan(&Fake::new(intel())));
    insta::assert_snapshot!("amd", plan(&Fake::new(amd())));
    insta::assert_snapshot!("virtual_machine", plan(&Fake::new(virtual_machine())));
    let mut container = Fake::new(virtual_machine());
    container.read_only = true;
    insta::assert_snapshot!("read_only_container", plan(&container));
    insta::assert_snapshot!("machine_that_shows_nothing", plan(&Fake::new(vec![])));
}

#[test]
fn a_plan_changes_nothing() {
    for files in [intel(), amd(), virtual_machine()] {
        let machine = Fake::new(files);
        let before = machine.everything();
        probe(&machine, None).unwrap();
        assert_eq!((machine.everything(), machine.changes.get()), (before, 0));
    }
}

#[test]
fn a_machine_is_set_up() {
    let machine = Fake::new(intel());
    let applied = apply(&machine, None, &machine.state_file()).unwrap();
    assert_eq!(applied.failed, []);
    assert_eq!(applied.immovable, [Setting::IrqCpus(9)]);
    let at = |file: &str| machine.text(file).trim().to_owned();
    assert_eq!(at("sys/devices/system/cpu/cpufreq/policy3/scaling_governor"), "performance");
    assert_eq!(at("sys/devices/system/cpu/intel_pstate/no_turbo"), "1");
    assert_eq!(at("sys/devices/system/cpu/cpu1/online"), "0", "it shares a core with CPU 3");
    assert_eq!(at("proc/irq/24/smp_affinity_list"), "0,2", "its only CPU measures");
    assert_eq!(at("proc/irq/25/smp_affinity_list"), "0,2");
    assert_eq!(at("proc/irq/26/smp_affinity_list"), "0");
    assert_eq!(at("proc/irq/default_smp_affinity"), "5");
    assert_eq!(at("sys/devices/virtual/workqueue/cpumask"), "5");
    assert_eq!(at("sys/kernel/mm/transparent_hugepage/enabled"), "always madvise [never]");
    assert_eq!(at("proc/sys/kernel/soft_watchdog"), "0");
    assert_eq!(at("proc/sys/kernel/randomize_va_space"), "2");
    let state = machine.state_file().load().unwrap().unwrap();
    assert_eq!(state.cpus, BTreeSet::from([3]));
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = machine.state_file();
    assert_eq!((mode(file.path()), mode(file.path().parent().unwrap())), (0o600, 0o700));
}

#[test]
fn every_previous_value_is_safe_before_the_first_change() {
    let machine = Fake::new(intel());
    machine.dies_at.set(0);
    let before = machine.everything();
    let applied = apply(&machine, None, &machine.state_file()).unwrap();
    assert_eq!((applied.changed, machine.everything()), (vec![], before));
    let planned: Vec<Setting> = applied.plan.changes().map(|(setting, ..)| setting).collect();
    let state = machine.state_file().load().unwrap().unwrap();
    let kept: Vec<Setting> = state.previous.iter().map(|previous| previous.setting).collect();
    assert_eq!(kept, planned);
    assert!(kept.len() > 15);
}

#[test]
fn a_second_application_keeps_the_first_values() {
    let machine = Fake::new(intel());
    let before = machine.everything();
    apply(&machine, None, &machine.state_file()).unwrap();
    machine.set("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n");
    machine.set("proc/sys/vm/swappiness", "10\n");
    let again = apply(&machine, None, &machine.state_file()).unwrap();
    assert_eq!(again.changed, [Setting::Governor(0), Setting::Swappiness]);
    assert_eq!(*again.plan.cpus.measuring(), BTreeSet::from([3]));
    assert_eq!(undo(&machine, &machine.state_file()).unwrap().remaining, []);
    assert_eq!(machine.everything(), before);
}

#[test]
fn other_cpus_need_an_undo_first() {
    let machine = Fake::new(intel());
    let cpus = |cpu: u32| Some(BTreeSet::from([cpu]));
    apply(&machine, cpus(3).as_ref(), &machine.state_file()).unwrap();
    let (changes, state) = (machine.changes.get(), machine.state());
    let refused = apply(&machine, cpus(2).as_ref(), &machine.state_file()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "settings have been changed for measuring on CPUs 3: restore them with --undo before CPUs 2 are chosen"
    );
    assert_eq!((machine.changes.get(), machine.state()), (changes, state));
    apply(&machine, cpus(3).as_ref(), &machine.state_file()).unwrap();
    undo(&machine, &machine.state_file()).unwrap();
    assert_eq!(
        *apply(&machine, cpus(2).as_ref(), &machine.state_file()).unwrap().plan.cpus.measuring(),
        BTreeSet::from([2])
    );
}

#[test]
fn one_cpu_and_one_core_keep_running() {
    let one = [("sys/devices/system/cpu/online".to_owned(), "0\n".to_owned())];
    let plan = probe(&Fake::new(one.to_vec()), None).unwrap();
    assert!(plan.cpus.measuring().is_empty() && plan.entries.is_empty());
    let mut core = intel();
    core.retain(|(path, _)| path != "sys/devices/system/cpu/online");
    core.push(("sys/devices/system/cpu/online".to_owned(), "1,3\n".to_owned()));
    let plan = probe(&Fake::new(core), None).unwrap();
    assert!(plan.cpus.siblings().is_empty(), "CPU 1 is the only other one");
    assert_eq!(*plan.cpus.system(), BTreeSet::from([1]));
    let machine = Fake::new(intel());
    let refused =
        |cpus: &[u32]| probe(&machine, Some(&cpus.iter().copied().collect())).unwrap_err().to_string();
    insta::assert_snapshot!([refused(&[0, 1, 2, 3]), refused(&[4])].join("\n"), @r"
    CPUs 0-3 are all that are online: leave at least one to the system
    CPUs 4 cannot be chosen for measuring: 0-3 are online; name some of these
    ");
}

#[test]
fn a_restart_has_restored_everything() {
    let machine = Fake::new(intel());
    apply(&machine, None, &machine.state_file()).unwrap();
    machine.set(BOOT_ID, "aaaaaaaa-2222-3333-4444-555555555555\n");
    let changes = machine.changes.get();
    let refused = undo(&machine, &machine.state_file()).unwrap_err();
    assert!(matches!(refused, Error::Restarted(_)), "{refused}");
    assert_eq!(machine.changes.get(), changes);
    // The next application records the current values.
    machine.set("proc/sys/vm/swappiness", "30\n");
    apply(&machine, None, &machine.state_file()).unwrap();
    let state = machine.state_file().load().unwrap().unwrap();
    assert!(state.previous.iter().any(|previous| previous.value == "30\n"));
    assert!(!state.previous.iter().any(|previous| previous.value == "60\n"));
}

#[test]
fn only_root_changes_settings() {
    let mut user = intel();
    user.retain(|(path, _)| path != "proc/self/status");
    user.push(("proc/self/status".to_owned(), "Uid:\t1000\t1000\t1000\t1000\n".to_owned()));
    let machine = Fake::new(user);
    assert!(matches!(apply(&machine, None, &machine.state_file()), Err(Error::NotRoot)));
    assert!(matches!(undo(&machine, &machine.state_file()), Err(Error::NotRoot)));
    assert_eq!((machine.changes.get(), machine.state()), (0, None));
}

#[test]
fn a_state_file_of_others_is_refused() {
    let machine = Fake::new(intel());
    let file = machine.state_file();
    let nothing = undo(&machine, &file).unwrap_err();
    assert!(matches!(nothing, Error::NothingToUndo(_)), "{nothing}");
    apply(&machine, None, &file).unwrap();
    let changes = machine.changes.get();
    let set_mode =
        |path: &std::path::Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set_mode(file.path(), 0o644);
    assert!(undo(&machine, &file).unwrap_err().to_string().contains("mode 600"));
    set_mode(file.path(), 0o600);
    let folder = file.path().parent().unwrap();
    set_mode(folder, 0o777);
    assert!(undo(&machine, &file).unwrap_err().to_string().contains("other users may write to its folder"));
    set_mode(folder, 0o700);
    let elsewhere = folder.join("elsewhere");
    fs::rename(file.path(), &elsewhere).unwrap();
    symlink(&elsewhere, file.path()).unwrap();
    assert!(undo(&machine, &file).unwrap_err().to_string().contains("not an ordinary file"));
    assert_eq!(machine.changes.get(), changes);
}

/// State files as an attacker or an accident would write them; each is rejected as a whole.
#[test]
fn hostile_state_files() {
    let with = |setting: &str, value: &str| {
        format!(
            r#"{{"format":1,"boot_id":"11111111-2222-3333-4444-555555555555","cpus":"3","previous":[{{"setting":"swappiness","value":"60\n"}},{{"setting":{setting:?},"value":{value:?}}}]}}"#
        )
    };
    let head = r#""format":1,"boot_id":"11111111-2222-3333-4444-555555555555""#;
    let hostile = [
        String::new(),
        "{}".to_owned(),
        format!("{{{head}}}"),
        format!(r#"{{{head},"cpus":"","previous":[],"run":"rm"}}"#),
        format!(r#"{{{head},"cpus":"x","previous":[]}}"#),
        with("swappiness", "60\n").replacen("\"format\":1", "\"format\":2", 1),
        with("swappiness", "60\n").replacen("11111111", "../../..", 1),
        with("swappiness", "60\n"),
        with("swappiness", "60; reboot\n"),
        with("swappiness", "060\n"),
        with("sysrq", "1\n"),
        with("irq ../../etc/passwd", "0\n"),
        with("irq 024", "0\n"),
        with("irq +24", "0\n"),
        with("irq 4294967296", "0\n"),
        with("governor 0/../../cpu0", "powersave\n"),
        with("governor 0", "powersave\nx"),
        with("governor 0", "../x\n"),
        with("cpu -1", "1\n"),
        with("cpu 1", "2\n"),
        with("unit ssh.service", "active"),
        with("unit", "active"),
        with("unit fstrim.timer", "active; reboot"),
        with("slice system.slice", "0-1\nAllowedMemoryNodes=0"),
        with("slice -.slice", "0-1"),
        with("transparent_hugepage", "always [x] never\n"),
        with("default_smp_affinity", "zz\n"),
    ];
    let machine = Fake::new(intel());
    let before = machine.everything();
    for text in &hostile {
        machine.write_state(text);
        let refused = undo(&machine, &machine.state_file()).unwrap_err();
        assert!(matches!(refused, Error::StateRefused { .. }), "{text}: {refused}");
        assert!(apply(&machine, None, &machine.state_file()).is_err(), "{text}");
        assert_eq!((machine.changes.get(), machine.state().as_ref()), (0, Some(text)));
    }
    assert_eq!(machine.everything(), before);
    let shown: Vec<String> = hostile.iter().map(|text| State::parse(text).unwrap_err()).collect();
    insta::assert_snapshot!(shown.join("\n"));
}

/// A machine, and which of its changes fail.
fn troubled() -> impl Strategy<Value = (usize, BTreeSet<usize>, usize)> {
    (0..3_usize, prop::collection::btree_set(0..40_usize, 0..6), prop_oneof![0..40_usize, Just(usize::MAX)])
}

fn machine(number: usize) -> Fake {
    Fake::new([intel, amd, virtual_machine][number]())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn whatever_was_cut_off_is_undone((number, failing, dies_at) in troubled(), twice: bool) {
        let machine = machine(number);
        let before = machine.everything();
        machine.failing.replace(failing);
        machine.dies_at.set(dies_at);
        let applied = apply(&machine, None, &machine.state_file()).unwrap();
        let planned = applied.plan.changes().count();
        prop_assert_eq!(applied.changed.len() + applied.immovable.len() + applied.failed.len(), planned);
        machine.heal();
        if twice {
            apply(&machine, None, &machine.state_file()).unwrap();
        }
        let undone = undo(&machine, &machine.state_file()).unwrap();
        prop_assert_eq!(undone.remaining, vec![]);
        prop_assert_eq!(machine.everything(), before);
        prop_assert_eq!(machine.state(), None);
    }

    #[test]
    fn what_cannot_be_restored_is_named_and_kept((number, failing, dies_at) in troubled()) {
        let machine = machine(number);
        let before = machine.everything();
        let applied = apply(&machine, None, &machine.state_file()).unwrap();
        machine.changes.set(0);
        machine.failing.replace(failing);
        machine.dies_at.set(dies_at);
        let undone = undo(&machine, &machine.state_file()).unwrap();
        let all: BTreeSet<Setting> = applied.plan.changes().map(|(setting, ..)| setting).collect();
        let remaining: Vec<Setting> = undone.remaining.iter().map(|(setting, _)| *setting).collect();
        let named: BTreeSet<Setting> = undone.restored.iter().chain(&remaining).copied().collect();
        prop_assert_eq!(named, all);
        match machine.state_file().load().unwrap() {
            None => prop_assert!(remaining.is_empty() && machine.everything() == before),
            Some(state) => {
                let kept: Vec<Setting> = state.previous.iter().map(|previous| previous.setting).collect();
                prop_assert_eq!(kept, remaining);
                machine.heal();
                prop_assert_eq!(undo(&machine, &machine.state_file()).unwrap().remaining, vec![]);
                prop_assert_eq!(machine.everything(), before);
            }
        }
    }

    #[test]
    fn a_states_text_is_read_again(picks in prop::collection::btree_set(0..30_usize, 0..30)) {
        let plan = probe(&Fake::new(intel()), None).unwrap();
        let all: Vec<_> = plan.changes().collect();
        let previous = picks.into_iter().filter_map(|at| all.get(at));
        let previous = previous.map(|(setting, now, _)| Previous { setting: *setting, value: now.to_string() }).collect();
        let state = State { boot_id: "11111111-2222-3333-4444-555555555555".to_owned(), cpus: BTreeSet::from([1, 2, 7]), previous };
        prop_assert_eq!(State::parse(&state.text()), Ok(state));
    }

    #[test]
    fn no_state_file_makes_it_panic_or_leads_elsewhere(
        text in ".*",
        setting in prop_oneof![".*", "(irq|cpu|governor|unit|slice) [0-9a-z./-]{0,12}", "[a-z_]{1,20}"],
        value in prop_oneof![".*", "[0-9a-f,-]{0,9}\n?", "[a-z]{1,9}\n?"],
    ) {
        let _ = State::parse(&text);
        if let Some(setting) = Setting::named(&setting) {
            prop_assert_eq!(Setting::named(&setting.to_string()), Some(setting));
            let file = setting.file().unwrap_or("sys/".to_owned());
            prop_assert!((file.starts_with("sys/") || file.starts_with("proc/")) && !file.contains(".."));
            if setting.accepts(&value) {
                let written = setting.written_for(&value);
                prop_assert!(written.bytes().all(|byte| byte.is_ascii_alphanumeric() || b",-_ \n".contains(&byte)));
                let _ = setting.wanted(&value, &Cpus::default());
            }
        }
    }
}
