//! Kernel, operating system and memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cpu::field;
use crate::tree::Tree;

/// The software below the lab's programs.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct System {
    /// The kernel's release, as `uname -r` prints it.
    pub kernel: Option<String>,
    /// The name the operating system gives itself (`PRETTY_NAME`); in a container, that of the container's
    /// image.
    pub os: Option<String>,
    /// Memory that the kernel manages, in bytes.
    pub memory_bytes: Option<u64>,
}

impl System {
    pub(crate) fn read(tree: Tree) -> Self {
        let os_release = tree.text("etc/os-release").or_else(|| tree.text("usr/lib/os-release"));
        Self {
            kernel: tree.text("proc/sys/kernel/osrelease"),
            os: os_release.and_then(|text| pretty_name(&text)),
            memory_bytes: tree.text("proc/meminfo").and_then(|text| memory_bytes(&text)),
        }
    }
}

fn pretty_name(os_release: &str) -> Option<String> {
    let value = os_release.lines().find_map(|line| line.trim().strip_prefix("PRETTY_NAME="))?;
    let name = value.trim().trim_matches(['"', '\'']).trim();
    (!name.is_empty()).then(|| name.to_owned())
}

fn memory_bytes(meminfo: &str) -> Option<u64> {
    let kibibytes: u64 = field(meminfo, "MemTotal")?.strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_units() {
        assert_eq!(pretty_name("ID=x\nPRETTY_NAME=\"Debian 12\"\n").as_deref(), Some("Debian 12"));
        assert_eq!(pretty_name("PRETTY_NAME=''"), None);
        assert_eq!(memory_bytes("MemTotal:       16 kB\n"), Some(16_384));
        assert_eq!(memory_bytes("MemTotal: 18446744073709551615 kB"), None);
        assert_eq!(memory_bytes("MemTotal: 16 MB"), None);
    }
}
