//! Made-up machines: each is a folder with the files of such a machine.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// Paths and contents.
pub(crate) type Files = &'static [(&'static str, &'static str)];

/// A folder with `files` in it.
pub(crate) fn tree(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().expect("a temporary folder");
    write(root.path(), files);
    root
}

/// Writes `files` over existing ones.
pub(crate) fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, content) in files {
        write_bytes(root, path, content.as_bytes());
    }
}

pub(crate) fn write_bytes(root: &Path, path: &str, content: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("folders can be made");
    fs::write(path, content).expect("the temporary folder is writable");
}

/// Two cores with two CPUs each, unplugged, with a browser open.
pub(crate) const INTEL_LAPTOP: Files = &[
    (
        "proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 142\n\
         model name\t: Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz\nstepping\t: 10\nmicrocode\t: 0xf4\n\
         physical id\t: 0\nsiblings\t: 4\ncore id\t\t: 0\ncpu cores\t: 2\nflags\t\t: sse2 fpu avx2 aes\n\n\
         processor\t: 1\nvendor_id\t: GenuineIntel\nphysical id\t: 0\ncore id\t\t: 1\n\n",
    ),
    ("proc/self/status", "Name:\ttlslab\nCapEff:\t0000000000000000\nCpus_allowed_list:\t0-3\n"),
    ("proc/self/stat", "900 (tlslab) R 800 900 800 0 -1 0 0 0 0 0 10 0 0 0 20 0 1 0 5000 0 0"),
    ("proc/900/stat", "900 (tlslab) R 800 900 800 0 -1 0 0 0 0 0 10 0 0 0 20 0 1 0 5000 0 0"),
    ("proc/800/stat", "800 (bash) S 1 800 800 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 400 0 0"),
    ("proc/700/stat", "700 (Web Content) S 1 700 700 0 -1 0 0 0 0 0 1000 200 0 0 20 0 1 0 300 0 0"),
    ("proc/loadavg", "2.40 1.10 0.50 3/900 950\n"),
    ("proc/uptime", "5000.00 18000.00\n"),
    (
        "proc/stat",
        "cpu  4000 0 400 16000 0 0 0 0 0 0\ncpu0 1000 0 100 4000 0 0 0 0 0 0\ncpu1 1000 0 100 4000 0 0 0 0 0 0\n\
         cpu2 1000 0 100 4000 0 0 0 0 0 0\ncpu3 1000 0 100 4000 0 0 0 0 0 0\nintr 1\n",
    ),
    ("proc/meminfo", "MemTotal:       16303428 kB\nMemFree:         1000 kB\n"),
    ("proc/sys/kernel/osrelease", "6.1.0-28-amd64\n"),
    ("proc/sys/kernel/randomize_va_space", "2\n"),
    ("proc/sys/kernel/perf_event_paranoid", "3\n"),
    ("etc/os-release", "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
    ("sys/devices/system/cpu/online", "0-3\n"),
    ("sys/devices/system/cpu/cpu0/topology/core_cpus_list", "0,2\n"),
    ("sys/devices/system/cpu/cpu1/topology/core_cpus_list", "1,3\n"),
    ("sys/devices/system/cpu/cpu2/topology/core_cpus_list", "0,2\n"),
    ("sys/devices/system/cpu/cpu3/topology/core_cpus_list", "1,3\n"),
    ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
    ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n"),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
    ("sys/devices/system/cpu/smt/control", "on\n"),
    ("sys/devices/system/cpu/smt/active", "1\n"),
    ("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n"),
    ("sys/devices/system/cpu/vulnerabilities/spectre_v2", "Mitigation: Retpolines\n"),
    ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
    ("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm \n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
    ("sys/bus/event_source/devices/cpu/type", "4\n"),
    ("sys/class/dmi/id/sys_vendor", "LENOVO\n"),
    ("sys/class/dmi/id/product_name", "20L5\n"),
    ("sys/class/power_supply/AC/type", "Mains\n"),
    ("sys/class/power_supply/AC/online", "0\n"),
    ("sys/class/power_supply/BAT0/type", "Battery\n"),
    ("sys/class/power_supply/BAT0/status", "Discharging\n"),
    ("sys/class/power_supply/hidpp_battery_0/type", "Battery\n"),
    ("sys/class/power_supply/hidpp_battery_0/scope", "Device\n"),
    ("sys/class/power_supply/hidpp_battery_0/status", "Discharging\n"),
];

/// The laptop one second later: a tab of the browser kept most of CPU 1 busy.
pub(crate) const INTEL_LAPTOP_LATER: Files = &[
    ("proc/uptime", "5001.00 18003.00\n"),
    ("proc/700/stat", "700 (Web Content) S 1 700 700 0 -1 0 0 0 0 0 1080 205 0 0 20 0 1 0 300 0 0"),
    (
        "proc/stat",
        "cpu  4085 0 405 16310 0 0 0 0 0 0\ncpu0 1000 0 100 4100 0 0 0 0 0 0\ncpu1 1085 0 105 4010 0 0 0 0 0 0\n\
         cpu2 1000 0 100 4100 0 0 0 0 0 0\ncpu3 1000 0 100 4100 0 0 0 0 0 0\nintr 1\n",
    ),
];

/// Two CPUs of a shared machine under Xen, on its slow clock.
pub(crate) const AMD_VM: Files = &[
    (
        "proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 23\nmodel\t\t: 49\nmodel name\t: AMD EPYC 7R32\n\
         stepping\t: 0\nmicrocode\t: 0x830107d\nphysical id\t: 0\ncore id\t\t: 0\n\
         flags\t\t: fpu aes avx2 hypervisor\n\n\
         processor\t: 1\nvendor_id\t: AuthenticAMD\nphysical id\t: 0\ncore id\t\t: 1\nflags\t\t: fpu aes\n\n",
    ),
    ("proc/self/status", "CapEff:\t0000000000000000\nCpus_allowed_list:\t0-1\n"),
    ("proc/self/stat", "50 (tlslab) R 1 50 50 0 -1 0 0 0 0 0 1 0 0 0 20 0 1 0 900 0 0"),
    ("proc/50/stat", "50 (tlslab) R 1 50 50 0 -1 0 0 0 0 0 1 0 0 0 20 0 1 0 900 0 0"),
    ("proc/loadavg", "0.10 0.05 0.01 1/90 51\n"),
    ("proc/uptime", "900.00 1700.00\n"),
    ("proc/stat", "cpu  0 0 0 0 0 0 0 0\ncpu0 500 0 50 9000 0 0 0 10 0 0\ncpu1 500 0 50 9000 0 0 0 10 0 0\n"),
    ("proc/meminfo", "MemTotal:        8000000 kB\n"),
    ("proc/sys/kernel/osrelease", "6.8.0-1015-aws\n"),
    ("proc/sys/kernel/perf_event_paranoid", "4\n"),
    ("etc/os-release", "PRETTY_NAME='Ubuntu 24.04.1 LTS'\n"),
    ("sys/devices/system/cpu/online", "0-1\n"),
    ("sys/devices/system/cpu/smt/control", "notsupported\n"),
    ("sys/devices/system/cpu/smt/active", "0\n"),
    ("sys/devices/system/cpu/cpufreq/boost", "1\n"),
    ("sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n"),
    ("sys/devices/system/clocksource/clocksource0/current_clocksource", "xen\n"),
    ("sys/devices/system/clocksource/clocksource0/available_clocksource", "xen tsc hpet acpi_pm\n"),
    ("sys/hypervisor/type", "xen\n"),
    ("sys/bus/event_source/devices/software/type", "1\n"),
    ("sys/class/dmi/id/sys_vendor", "Amazon EC2\n"),
    ("sys/class/dmi/id/product_name", "t2.medium\n"),
];

/// The virtual machine one second later: 4 of the 100 ticks of CPU 1 were stolen.
pub(crate) const AMD_VM_LATER: Files = &[
    ("proc/uptime", "901.00 1702.00\n"),
    ("proc/stat", "cpu  0 0 0 0 0 0 0 0\ncpu0 500 0 50 9100 0 0 0 10 0 0\ncpu1 502 0 50 9094 0 0 0 14 0 0\n"),
];

/// A container that may use one CPU of an ARM machine and sees little of the rest.
pub(crate) const ONE_CPU_CONTAINER: Files = &[
    (
        "proc/cpuinfo",
        "processor\t: 0\nFeatures\t: fp asimd aes sha2\nCPU implementer\t: 0x41\nCPU architecture: 8\n\
         CPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n\
         processor\t: 1\nFeatures\t: fp asimd aes sha2\n\n",
    ),
    ("proc/self/status", "Cpus_allowed_list:\t1\n"),
    ("proc/loadavg", "0.00 0.00 0.00 1/90 51\n"),
    ("proc/sys/kernel/osrelease", "6.6.44\n"),
    ("usr/lib/os-release", "PRETTY_NAME=Alpine Linux v3.20\n"),
    (".dockerenv", ""),
];

/// Existing files with meaningless content.
pub(crate) const GARBAGE: Files = &[
    ("proc/cpuinfo", ":::\nprocessor\nflags\t:\n"),
    ("proc/self/status", "Cpus_allowed_list:\t9-1\nCapEff: zz\n"),
    ("proc/self/stat", "1 (x"),
    ("proc/loadavg", "nan inf -1\n"),
    ("proc/uptime", "soon\n"),
    ("proc/stat", "cpu0 1 2 3\ncpux 1 2 3 4 5 6 7 8\ncpu1 -1 0 0 0 0 0 0 0\n"),
    ("proc/meminfo", "MemTotal: lots\n"),
    ("proc/sys/kernel/randomize_va_space", "7\n"),
    ("proc/sys/kernel/perf_event_paranoid", "?\n"),
    ("etc/os-release", "PRETTY_NAME=\n"),
    ("sys/devices/system/cpu/online", "\n"),
    ("sys/devices/system/cpu/cpu0/topology/core_cpus_list", "none\n"),
    ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "\n"),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "maybe\n"),
    ("sys/devices/system/cpu/smt/control", "?\n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "always\n"),
    ("sys/class/power_supply/BAT0/type", "Coal\n"),
];

/// Every file that the crate reads, to be filled with any content.
pub(crate) fn every_path() -> Vec<&'static str> {
    let all = [INTEL_LAPTOP, AMD_VM, ONE_CPU_CONTAINER, GARBAGE].concat();
    let mut paths: Vec<&str> = all.iter().map(|(path, _)| *path).collect();
    paths.extend(["run/systemd/container", "proc/device-tree/hypervisor/compatible"]);
    paths.sort();
    paths.dedup();
    paths
}
