//! Whole machines: their fingerprint, their preflight, and the chosen CPUs.

mod trees;

use std::path::Path;

use proptest::prelude::*;
use tlslab_host::*;
use trees::*;

#[test]
fn fingerprints() {
    insta::assert_snapshot!("intel_laptop_fingerprint", fingerprint(INTEL_LAPTOP));
    insta::assert_snapshot!("amd_vm_fingerprint", fingerprint(AMD_VM));
    insta::assert_snapshot!("one_cpu_container_fingerprint", fingerprint(ONE_CPU_CONTAINER));
}

#[test]
fn preflights() {
    insta::assert_snapshot!("intel_laptop_preflight", preflight(INTEL_LAPTOP, INTEL_LAPTOP_LATER));
    insta::assert_snapshot!("amd_vm_preflight", preflight(AMD_VM, AMD_VM_LATER));
    insta::assert_snapshot!("one_cpu_container_preflight", preflight(ONE_CPU_CONTAINER, &[]));
}

#[test]
fn the_rarer_warnings() {
    let one_cpu = preflight(&[("sys/devices/system/cpu/online", "0\n")], &[]);
    let no_better_clock =
        preflight(&[("sys/devices/system/clocksource/clocksource0/current_clocksource", "jiffies\n")], &[]);
    let boost = preflight(&[("sys/devices/system/cpu/cpufreq/boost", "1\n")], &[]);
    let governors = preflight(
        &[
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
            ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil\n"),
        ],
        &[],
    );
    let mut hidden = INTEL_LAPTOP_LATER.to_vec();
    hidden.push(("proc/700/stat", INTEL_LAPTOP.iter().find(|(path, _)| *path == "proc/700/stat").unwrap().1));
    let busy_unseen = last_line(&preflight(&without_sys(), &hidden));
    let all = [one_cpu, no_better_clock, boost, governors, busy_unseen].join("\n");
    insta::assert_snapshot!(all);
}

#[test]
fn a_name_chosen_by_a_process_stays_on_its_line() {
    let mut later = INTEL_LAPTOP_LATER.to_vec();
    let stat = "700 (a\nb\u{1b}[31m`) S 1 700 700 0 -1 0 0 0 0 0 1080 205 0 0 20 0 1 0 300 0 0";
    later.push(("proc/700/stat", stat));
    let line = last_line(&preflight(&without_sys(), &later));
    assert!(line.contains("`a?b?[31m?`"), "{line}");
}

#[test]
fn a_host_that_shows_nothing_has_no_fingerprint_and_no_warning() {
    let empty = tree(&[]);
    assert_eq!(Fingerprint::read(empty.path()), Fingerprint::default());
    assert_eq!(Readings::take(empty.path()), Readings::default());
    assert_eq!(measurement_cpus(empty.path()), None);
    assert_eq!(preflight(&[], &[]), "");
}

#[test]
fn garbage_is_as_good_as_nothing() {
    let garbage = tree(GARBAGE);
    assert_eq!(Fingerprint::read(garbage.path()), Fingerprint::default());
    assert_eq!(Readings::take(garbage.path()), Readings::default());
    assert_eq!(measurement_cpus(garbage.path()), None);
    assert_eq!(preflight(GARBAGE, &[]), "");
}

#[test]
fn a_fingerprint_survives_json() {
    for files in [INTEL_LAPTOP, AMD_VM, ONE_CPU_CONTAINER] {
        let fingerprint = Fingerprint::read(tree(files).path());
        let json = serde_json::to_string(&fingerprint).unwrap();
        assert_eq!(serde_json::from_str::<Fingerprint>(&json).unwrap(), fingerprint);
    }
}

#[test]
fn the_lab_keeps_off_the_drivers_core() {
    let pinned = |files: &[(&str, &str)]| measurement_cpus(tree(files).path());
    let cpus = |lab_cpu, driver_cpu| Some(MeasurementCpus { lab_cpu, driver_cpu });
    assert_eq!(pinned(INTEL_LAPTOP), cpus(0, 3), "1 and 3 share a core");
    let mut siblings = INTEL_LAPTOP.to_vec();
    siblings.push(("proc/self/status", "Cpus_allowed_list:\t1,3\n"));
    assert_eq!(pinned(&siblings), cpus(1, 3), "a sibling is better than the same CPU");
    siblings.push(("proc/self/status", "Cpus_allowed_list:\t1-3\n"));
    assert_eq!(pinned(&siblings), cpus(2, 3), "the lowest one of the other core");
    assert_eq!(pinned(AMD_VM), cpus(0, 1), "cores from cpuinfo");
    assert_eq!(pinned(ONE_CPU_CONTAINER), cpus(1, 1));
    assert_eq!(pinned(&[("proc/self/status", "Cpus_allowed_list: 4,6\n")]), cpus(4, 6), "no core is shown");
}

#[test]
fn the_disturbance_of_the_laptop() {
    let (before, after) = readings(INTEL_LAPTOP, INTEL_LAPTOP_LATER);
    let disturbance = Disturbance::between(&before, &after);
    assert_eq!(disturbance.seconds, Some(1.0));
    assert_eq!((disturbance.others_busy_percent, disturbance.others_busy_cpus), (Some(22.5), Some(0.9)));
    assert_eq!((disturbance.steal_percent, disturbance.load_at_end), (Some(0.0), Some(2.4)));
}

#[test]
fn what_drivers_use_is_no_disturbance() {
    let stat = "701 (driver) R 900 701 701 0 -1 0 0 0 0 0 80 5 0 0 20 0 1 0 300 0 0";
    let mut later = INTEL_LAPTOP_LATER.to_vec();
    later.push(("proc/701/stat", stat));
    let (before, after) = readings(INTEL_LAPTOP, &later);
    assert_eq!(Disturbance::between(&before, &after).others_busy_percent, Some(1.25));
}

#[test]
fn counters_are_open_to_the_privileged_and_at_low_levels() {
    let counters = |files: &[(&str, &str)]| Fingerprint::read(tree(files).path()).tuning.counters;
    let mut laptop = INTEL_LAPTOP.to_vec();
    assert_eq!(counters(&laptop), Some(Counters::Forbidden { paranoid: 3 }));
    laptop.push(("proc/self/status", "CapEff:\t0000004000000000\n"));
    assert_eq!(counters(&laptop), Some(Counters::Allowed), "CAP_PERFMON");
    let mut laptop = INTEL_LAPTOP.to_vec();
    laptop.push(("proc/sys/kernel/perf_event_paranoid", "2\n"));
    assert_eq!(counters(&laptop), Some(Counters::Allowed));
    assert_eq!(counters(AMD_VM), Some(Counters::NoHardware));
}

#[test]
fn a_cloud_machine_of_bare_metal_is_distinguished_from_a_virtual_one() {
    let metal = [("proc/cpuinfo", "flags: fpu\n"), ("sys/class/dmi/id/sys_vendor", "Amazon EC2\n")];
    let expected = Virtualisation { kind: Some(VirtualisationKind::BareMetal), ..Virtualisation::default() };
    assert_eq!(Fingerprint::read(tree(&metal).path()).virtualisation, expected);
    let arm =
        [("proc/cpuinfo", "Features: fp\n"), ("sys/class/dmi/id/product_name", "QEMU Virtual Machine\n")];
    let virtualisation = Fingerprint::read(tree(&arm).path()).virtualisation;
    assert_eq!(virtualisation.kind, Some(VirtualisationKind::VirtualMachine));
    assert_eq!(virtualisation.hypervisor.as_deref(), Some("QEMU Virtual Machine"));
}

#[test]
fn this_machine_can_be_read() {
    let root = Path::new("/");
    if !root.join("proc/self/status").exists() {
        return;
    }
    assert!(Fingerprint::read(root).topology.allowed_cpus >= Some(1));
    assert!(measurement_cpus(root).is_some());
    let before = Readings::take(root);
    let _ = check(&before, &Readings::take(root), &Fingerprint::read(root));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_in_any_file_make_it_panic(
        contents in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..80),
            "[0-9a-z:, \n-]{0,80}".prop_map(String::into_bytes),
        ], every_path().len() * 2),
    ) {
        let root = tree(&[]);
        let mut readings = Vec::new();
        for round in contents.chunks(every_path().len()) {
            for (path, bytes) in every_path().iter().zip(round) {
                write_bytes(root.path(), path, bytes);
            }
            readings.push(Readings::take(root.path()));
        }
        for warning in check(&readings[0], &readings[1], &Fingerprint::read(root.path())) {
            prop_assert_eq!(warning.to_string().lines().count(), 1);
        }
        let _ = measurement_cpus(root.path());
    }
}

fn fingerprint(files: Files) -> String {
    serde_json::to_string_pretty(&Fingerprint::read(tree(files).path())).unwrap()
}

fn readings(files: &[(&str, &str)], later: &[(&str, &str)]) -> (Readings, Readings) {
    let root = tree(files);
    let before = Readings::take(root.path());
    write(root.path(), later);
    (before, Readings::take(root.path()))
}

fn preflight(files: &[(&str, &str)], later: &[(&str, &str)]) -> String {
    let (before, after) = readings(files, later);
    let fingerprint = Fingerprint::read(tree(files).path());
    let lines: Vec<String> = check(&before, &after, &fingerprint).iter().map(Warning::to_string).collect();
    lines.join("\n")
}

/// The laptop with only its processes to warn of.
fn without_sys() -> Vec<(&'static str, &'static str)> {
    INTEL_LAPTOP.iter().filter(|(path, _)| !path.starts_with("sys/")).copied().collect()
}

fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or_default().to_owned()
}
