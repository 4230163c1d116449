//! The planned changes, as data and as text.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::boot::BootParameter;
use crate::cpus::Cpus;
use crate::setting::Setting;
use crate::topic::Topic;
use crate::value::cpu_list_text;

/// All settings of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The use of each CPU.
    pub cpus: Cpus,
    /// Whether this process may change settings.
    pub is_root: bool,
    /// The machine's settings, in the order in which they are changed.
    pub entries: Vec<Entry>,
    /// Parameters for the next boot.
    pub boot: Vec<BootParameter>,
    /// `kernel.randomize_va_space`, which stays unchanged.
    pub address_randomisation: Option<String>,
}

/// A setting and its finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The setting.
    pub setting: Setting,
    /// The finding.
    pub finding: Finding,
}

/// Whether a setting is to be changed, and to which value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// It is to be changed.
    Change {
        /// The current value.
        now: String,
        /// The value to write.
        wanted: String,
    },
    /// It already has the value for measuring.
    InPlace {
        /// The current value.
        now: String,
    },
    /// It should change but cannot be changed.
    Blocked {
        /// The current value.
        now: String,
        /// The reason.
        reason: String,
    },
}

impl Plan {
    /// The settings to be changed, in order, each with its current value and the value to write.
    pub fn changes(&self) -> impl Iterator<Item = (Setting, &str, &str)> {
        self.entries.iter().filter_map(|Entry { setting, finding }| match finding {
            Finding::Change { now, wanted } => Some((*setting, now.as_str(), wanted.as_str())),
            _ => None,
        })
    }

    /// The plan as text for a terminal.
    pub fn text(&self) -> String {
        let mut text = self.cpus_text();
        for topic in Topic::ALL {
            let entries: Vec<&Entry> =
                self.entries.iter().filter(|entry| entry.setting.topic() == topic).collect();
            write_topic(&mut text, topic, &entries);
        }
        if let Some(now) = &self.address_randomisation {
            let now = now.trim();
            text.push_str("address randomisation: the lab runs its drivers at fixed addresses, so that the setting stays\n");
            text.push_str(&format!("  stays {now}  /proc/sys/kernel/randomize_va_space\n"));
        }
        text.push_str(
            "parameters of the kernel's command line, to be set in the boot loader; `--apply` does not set them:\n",
        );
        for BootParameter { line, purpose, now } in &self.boot {
            let now = now.as_ref().map(|now| format!(" (now {now})")).unwrap_or_default();
            text.push_str(&format!("  {line}{now}: {purpose}\n"));
        }
        text
    }

    fn cpus_text(&self) -> String {
        if self.cpus.measuring().is_empty() {
            return "CPUs for measuring: none, because only one CPU is online\n".to_owned();
        }
        let mut text = format!("CPUs for measuring: {}", cpu_list_text(self.cpus.measuring()));
        if !self.cpus.siblings().is_empty() {
            text.push_str(&format!("; offline: {}", cpu_list_text(self.cpus.siblings())));
        }
        text + &format!("; for the system and the lab: {}\n", cpu_list_text(self.cpus.system()))
    }
}

fn write_topic(text: &mut String, topic: Topic, entries: &[&Entry]) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}: {}", topic.title(), topic.purpose());
    if entries.is_empty() {
        let _ = writeln!(text, "  not here: {}", topic.absent());
    }
    let mut alike: BTreeMap<&Finding, Vec<Setting>> = BTreeMap::new();
    for entry in entries {
        alike.entry(&entry.finding).or_default().push(entry.setting);
    }
    for (finding, settings) in alike {
        let what = match finding {
            Finding::Change { now, wanted } => format!("{} → {wanted}", show(now)),
            Finding::InPlace { now } => format!("stays {}", show(now)),
            Finding::Blocked { now, reason } => format!("stays {}, cannot be changed: {reason}", show(now)),
        };
        let is_in_place = matches!(finding, Finding::InPlace { .. });
        let place = match topic {
            Topic::Units if is_in_place => format!("{} units", settings.len()),
            _ => places(&settings),
        };
        let _ = writeln!(text, "  {what}  {place}");
    }
}

/// A value as one line.
fn show(value: &str) -> &str {
    match value.trim() {
        "" => "(all)",
        value => value,
    }
}

/// The paths of settings: all names of units, the first one of files.
fn places(settings: &[Setting]) -> String {
    let place = |setting: &Setting| match setting {
        Setting::Unit(unit) => unit.name().to_owned(),
        Setting::Slice(slice) => format!("AllowedCPUs of {}", slice.name()),
        _ => setting.file().map(|file| format!("/{file}")).unwrap_or_default(),
    };
    let names = |settings: &[Setting]| settings.iter().map(place).collect::<Vec<_>>().join(", ");
    match settings {
        [first, _, _, _, ..] if first.file().is_some() => {
            format!("{} and {} like it", place(first), settings.len() - 1)
        }
        _ => names(settings),
    }
}
