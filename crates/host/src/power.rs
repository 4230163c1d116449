//! The power supply.

use crate::tree::Tree;

/// Whether the machine runs on a battery; `None` if it shows no supply.
pub(crate) fn on_battery(tree: Tree) -> Option<bool> {
    let supplies = tree.names("sys/class/power_supply")?;
    let read = |name: &str, file: &str| tree.text(&format!("sys/class/power_supply/{name}/{file}"));
    let mut answer = None;
    for name in &supplies {
        // A mouse has a battery too.
        if read(name, "scope").as_deref() == Some("Device") {
            continue;
        }
        match read(name, "type").as_deref() {
            Some("Battery") if read(name, "status").as_deref() == Some("Discharging") => return Some(true),
            Some("Battery" | "Mains") => answer = Some(false),
            _ => {}
        }
    }
    answer
}
