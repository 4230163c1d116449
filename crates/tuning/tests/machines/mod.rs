//! Made-up machines: folders of files that answer writes as the kernel does, and a systemd of their own.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tlslab_tuning::{Machine, Slice, StateFile, Unit};

pub(crate) type Files = Vec<(String, String)>;

pub(crate) const BOOT_ID: &str = "proc/sys/kernel/random/boot_id";

/// A folder, a systemd, and planned failures.
pub(crate) struct Fake {
    root: TempDir,
    units: RefCell<BTreeMap<&'static str, String>>,
    slices: RefCell<BTreeMap<&'static str, String>>,
    /// The values of the watchdogs' switches: all, NMI, soft.
    watchdogs: Cell<[bool; 3]>,
    /// Files of CPUs that are offline.
    hidden: RefCell<BTreeMap<u32, Vec<u8>>>,
    /// Changes so far.
    pub changes: Cell<usize>,
    /// Changes that fail, by their number.
    pub failing: RefCell<BTreeSet<usize>>,
    /// From this change on, all fail: the process is gone.
    pub dies_at: Cell<usize>,
    pub read_only: bool,
    pub immovable: BTreeSet<String>,
}

impl Fake {
    pub(crate) fn new(files: Files) -> Self {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in &files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let watchdog = |name: &str| fs::read(root.path().join(name)).is_ok_and(|text| text == b"1\n");
        let all = ["watchdog", "nmi_watchdog", "soft_watchdog"]
            .map(|name| watchdog(&format!("proc/sys/kernel/{name}")));
        let units =
            ["irqbalance.service", "apt-daily.timer", "fstrim.timer"].map(|unit| (unit, "active".to_owned()));
        Self {
            units: RefCell::new(units.into_iter().collect()),
            slices: RefCell::new([("machine.slice", "0-3".to_owned())].into_iter().collect()),
            watchdogs: Cell::new(all),
            hidden: RefCell::default(),
            changes: Cell::new(0),
            failing: RefCell::default(),
            dies_at: Cell::new(usize::MAX),
            read_only: false,
            immovable: ["proc/irq/9/smp_affinity_list".to_owned()].into_iter().collect(),
            root,
        }
    }

    /// From now on, nothing fails.
    pub(crate) fn heal(&self) {
        self.failing.borrow_mut().clear();
        self.dies_at.set(usize::MAX);
    }

    pub(crate) fn set(&self, file: &str, text: &str) {
        fs::write(self.root.path().join(file), text).unwrap();
    }

    pub(crate) fn text(&self, file: &str) -> String {
        fs::read_to_string(self.root.path().join(file)).unwrap()
    }

    /// Every byte of every file but the lab's own, and systemd's state.
    pub(crate) fn everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        collect(self.root.path(), &mut all);
        all.retain(|path, _| !path.starts_with(self.root.path().join("var")));
        all.insert("units".into(), format!("{:?}", self.units.borrow()).into_bytes());
        let slices = self.slices.borrow();
        let slices: Vec<_> = slices.iter().filter(|(_, cpus)| !cpus.is_empty()).collect();
        all.insert("slices".into(), format!("{slices:?}").into_bytes());
        all
    }

    pub(crate) fn state_file(&self) -> StateFile {
        StateFile::new(self.root.path().join("var/lib/tlslab/doctor.json"))
    }

    /// The text of the state file; `None` if it does not exist.
    pub(crate) fn state(&self) -> Option<String> {
        fs::read_to_string(self.state_file().path()).ok()
    }

    /// Writes a state file as the lab would have.
    pub(crate) fn write_state(&self, text: &str) {
        let file = self.state_file();
        let folder = file.path().parent().unwrap();
        fs::create_dir_all(folder).unwrap();
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(file.path(), text).unwrap();
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o600)).unwrap();
    }

    fn change(&self) -> io::Result<()> {
        let number = self.changes.replace(self.changes.get() + 1);
        if self.read_only {
            return Err(ErrorKind::ReadOnlyFilesystem.into());
        }
        match number >= self.dies_at.get() || self.failing.borrow().contains(&number) {
            true => Err(io::Error::other("a made-up failure")),
            false => Ok(()),
        }
    }

    fn set_watchdogs(&self, file: &str, on: bool) {
        let mut set = self.watchdogs.get();
        // Reading the common switch has updated it; a reader in between must not matter.
        set[0] &= set[1] || set[2];
        let which = ["watchdog", "nmi_watchdog", "soft_watchdog"]
            .iter()
            .position(|name| file.ends_with(&format!("/{name}")));
        set[which.unwrap()] = on;
        self.watchdogs.set(set);
        let text = |on: bool| if on { "1\n" } else { "0\n" };
        let (nmi, soft) = (set[0] && set[1], set[0] && set[2]);
        self.set("proc/sys/kernel/watchdog", text(nmi || soft));
        self.set("proc/sys/kernel/soft_watchdog", text(soft));
        if self.root.path().join("proc/sys/kernel/nmi_watchdog").exists() {
            self.set("proc/sys/kernel/nmi_watchdog", text(nmi));
        }
    }

    /// A CPU that goes offline takes its frequency policy with it; it comes back with the governor that it
    /// had.
    fn set_online(&self, cpu: u32, on: bool) {
        let policy = format!("sys/devices/system/cpu/cpufreq/policy{cpu}/scaling_governor");
        let mut hidden = self.hidden.borrow_mut();
        match on {
            true => {
                if let Some(governor) = hidden.remove(&cpu) {
                    self.set(&policy, &String::from_utf8(governor).unwrap());
                }
            }
            false => {
                if let Ok(governor) = fs::read(self.root.path().join(&policy)) {
                    hidden.insert(cpu, governor);
                    fs::remove_file(self.root.path().join(&policy)).unwrap();
                }
            }
        }
        let cpus: Vec<String> = (0..4)
            .filter(|number| match (*number == cpu, on) {
                (true, on) => on,
                _ => {
                    self.text("sys/devices/system/cpu/online")
                        .trim()
                        .split(',')
                        .any(|listed| listed == number.to_string())
                        || self.text("sys/devices/system/cpu/online").trim() == "0-3"
                }
            })
            .map(|number: u32| number.to_string())
            .collect();
        let all = cpus.len() == 4;
        self.set(
            "sys/devices/system/cpu/online",
            &format!("{}\n", if all { "0-3".to_owned() } else { cpus.join(",") }),
        );
    }
}

impl Machine for Fake {
    fn root(&self) -> &Path {
        self.root.path()
    }

    fn write(&self, file: &str, value: &str) -> io::Result<()> {
        assert!(!file.contains("..") && (file.starts_with("sys/") || file.starts_with("proc/")), "{file}");
        self.change()?;
        if self.immovable.contains(file) {
            return Err(io::Error::from_raw_os_error(5));
        }
        let before = fs::read_to_string(self.root.path().join(file))?;
        let value = value.trim();
        if file.ends_with("transparent_hugepage/enabled") {
            let plain = before.replace(['[', ']'], "");
            if !plain.split_whitespace().any(|choice| choice == value) {
                return Err(ErrorKind::InvalidInput.into());
            }
            self.set(file, &plain.replace(value, &format!("[{value}]")));
        } else if file.ends_with("watchdog") {
            self.set_watchdogs(file, value == "1");
        } else {
            self.set(file, &format!("{value}\n"));
        }
        if let Some(cpu) = file.strip_suffix("/online").and_then(|folder| folder.rsplit_once("/cpu")) {
            self.set_online(cpu.1.parse().unwrap(), value == "1");
        }
        Ok(())
    }

    fn may_write(&self, file: &str) -> io::Result<()> {
        if self.read_only {
            return Err(ErrorKind::ReadOnlyFilesystem.into());
        }
        fs::metadata(self.root.path().join(file)).map(drop)
    }

    fn unit_states(&self, units: &[Unit]) -> io::Result<Vec<String>> {
        let states = self.units.borrow();
        Ok(units
            .iter()
            .map(|unit| states.get(unit.name()).cloned().unwrap_or("inactive".to_owned()))
            .collect())
    }

    fn run_unit(&self, unit: Unit, runs: bool) -> io::Result<()> {
        self.change()?;
        self.units.borrow_mut().insert(unit.name(), if runs { "active" } else { "inactive" }.to_owned());
        Ok(())
    }

    fn slice_cpus(&self, slice: Slice) -> io::Result<String> {
        Ok(self.slices.borrow().get(slice.name()).cloned().unwrap_or_default())
    }

    fn set_slice_cpus(&self, slice: Slice, cpus: &str) -> io::Result<()> {
        self.change()?;
        self.slices.borrow_mut().insert(slice.name(), cpus.replace(',', " "));
        Ok(())
    }
}

fn collect(folder: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => collect(&entry.path(), all),
            false => drop(all.insert(entry.path(), fs::read(entry.path()).unwrap())),
        }
    }
}

fn files(all: &[(&str, &str)]) -> Files {
    all.iter().map(|(path, text)| (path.to_string(), format!("{text}\n"))).collect()
}

/// The files of every machine.
fn common() -> Files {
    files(&[
        (BOOT_ID, "11111111-2222-3333-4444-555555555555"),
        ("proc/self/status", "Name:\ttlslab\nUid:\t0\t0\t0\t0"),
        ("proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 nohz_full=2"),
        ("proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2"),
        ("proc/irq/default_smp_affinity", "f"),
        ("proc/irq/9/smp_affinity_list", "0-3"),
        ("proc/irq/24/smp_affinity_list", "3"),
        ("proc/irq/25/smp_affinity_list", "0-3"),
        ("proc/irq/26/smp_affinity_list", "0"),
        ("proc/sys/vm/swappiness", "60"),
        ("proc/sys/kernel/numa_balancing", "1"),
        ("proc/sys/kernel/timer_migration", "1"),
        ("proc/sys/kernel/nmi_watchdog", "1"),
        ("proc/sys/kernel/soft_watchdog", "1"),
        ("proc/sys/kernel/watchdog", "1"),
        ("proc/sys/kernel/randomize_va_space", "2"),
        ("sys/devices/system/cpu/online", "0-3"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc"),
        ("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm"),
        ("sys/devices/virtual/workqueue/cpumask", "f"),
        ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never"),
    ])
}

/// Two cores with two CPUs each, and systemd.
pub(crate) fn intel() -> Files {
    let mut all = common();
    for cpu in 0..4 {
        let folder = format!("sys/devices/system/cpu/cpu{cpu}");
        all.push((format!("{folder}/topology/core_cpus_list"), format!("{},{}\n", cpu % 2, cpu % 2 + 2)));
        if cpu > 0 {
            all.push((format!("{folder}/online"), "1\n".to_owned()));
        }
        let policy = format!("sys/devices/system/cpu/cpufreq/policy{cpu}");
        all.push((format!("{policy}/scaling_governor"), "powersave\n".to_owned()));
        all.push((format!("{policy}/scaling_available_governors"), "performance powersave \n".to_owned()));
    }
    all.extend(files(&[
        ("sys/devices/system/cpu/intel_pstate/no_turbo", "0"),
        ("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids"),
        ("run/systemd/system/placeholder", ""),
    ]));
    all
}

/// Four cores with one CPU each, on a slow clock, with boost and without systemd.
pub(crate) fn amd() -> Files {
    let mut all = common();
    all.retain(|(path, _)| !path.ends_with("current_clocksource") && !path.ends_with("nmi_watchdog"));
    all.extend(files(&[
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet"),
        ("sys/devices/system/cpu/cpufreq/boost", "1"),
        ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "schedutil"),
        ("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance"),
    ]));
    all
}

/// A virtual machine without control of its frequency.
pub(crate) fn virtual_machine() -> Files {
    let mut all = common();
    all.retain(|(path, _)| path != "proc/swaps");
    all.extend(files(&[("proc/swaps", "Filename Type Size Used Priority")]));
    all
}
