//! The processor, from `/proc/cpuinfo`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tree::Tree;

/// The first processor listed, in the words and digits of the kernel.
///
/// x86 names its parts, ARM gives numbers (`vendor` is then the implementer, `family` the architecture,
/// `model` the part, `stepping` the revision); both are kept unchanged.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Cpu {
    /// The marketing name.
    pub name: Option<String>,
    /// The vendor.
    pub vendor: Option<String>,
    /// The family number.
    pub family: Option<String>,
    /// The model number within the family.
    pub model: Option<String>,
    /// The stepping or revision.
    pub stepping: Option<String>,
    /// The revision of the microcode.
    pub microcode: Option<String>,
    /// The features as a process sees them, sorted; a hypervisor may hide some that the silicon has.
    pub features: Option<Vec<String>>,
}

impl Cpu {
    pub(crate) fn read(tree: Tree) -> Self {
        tree.text("proc/cpuinfo").map(|text| Self::parse(&text)).unwrap_or_default()
    }

    fn parse(cpuinfo: &str) -> Self {
        let any = |keys: &[&str]| keys.iter().find_map(|key| field(cpuinfo, key)).map(str::to_owned);
        Self {
            name: any(&["model name"]),
            vendor: any(&["vendor_id", "CPU implementer"]),
            family: any(&["cpu family", "CPU architecture"]),
            model: any(&["model", "CPU part"]),
            stepping: any(&["stepping", "CPU revision"]),
            microcode: any(&["microcode"]),
            features: any(&["flags", "Features"]).map(|flags| sorted_words(&flags)),
        }
    }

    /// `x86-64` or `aarch64`, as its features show; `None` for another or if it shows none.
    pub fn architecture(&self) -> Option<&'static str> {
        let has = |name| self.has_feature(name) == Some(true);
        match () {
            () if has("asimd") => Some("aarch64"),
            () if has("lm") => Some("x86-64"),
            () => None,
        }
    }

    /// Whether the kernel shows the feature `name`; `None` when it shows none at all.
    pub fn has_feature(&self, name: &str) -> Option<bool> {
        self.features.as_ref().map(|features| features.iter().any(|feature| feature == name))
    }
}

/// The value of the first line `key : value`, if it has one.
pub(crate) fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs
        .filter(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim())
        .find(|value| !value.is_empty())
}

fn sorted_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    words.sort();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arm_processor_keeps_its_numbers() {
        let cpu = Cpu::parse(
            "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd aes\nCPU implementer\t: 0x41\n\
             CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n",
        );
        assert_eq!((cpu.name.as_deref(), cpu.vendor.as_deref()), (None, Some("0x41")));
        assert_eq!((cpu.model.as_deref(), cpu.stepping.as_deref()), (Some("0xd0c"), Some("1")));
        assert_eq!((cpu.has_feature("aes"), cpu.has_feature("sve")), (Some(true), Some(false)));
        assert_eq!(Cpu::default().has_feature("aes"), None);
        assert_eq!((cpu.architecture(), Cpu::default().architecture()), (Some("aarch64"), None));
        assert_eq!(Cpu::parse("flags : fpu lm sse2\n").architecture(), Some("x86-64"));
    }
}
