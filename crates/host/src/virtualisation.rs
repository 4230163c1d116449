//! Hypervisor and container, as far as they are visible.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Cpu;
use crate::tree::Tree;

/// The layers between this process and the hardware.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Virtualisation {
    /// Whether the kernel runs on a virtual machine.
    pub kind: Option<VirtualisationKind>,
    /// The hypervisor, or the maker and product that the virtual machine's firmware names.
    pub hypervisor: Option<String>,
    /// The container manager, if it is visible; `None` does not prove its absence.
    pub container: Option<String>,
}

/// Whether a hypervisor shares the machine.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VirtualisationKind {
    /// The processor shows no hypervisor.
    BareMetal,
    /// A hypervisor is visible.
    VirtualMachine,
}

impl Virtualisation {
    pub(crate) fn read(tree: Tree, cpu: &Cpu) -> Self {
        let declared =
            tree.text("sys/hypervisor/type").or_else(|| tree.text("proc/device-tree/hypervisor/compatible"));
        let firmware = firmware(tree);
        let kind = kind(tree, cpu, declared.is_some(), firmware.as_deref());
        let hypervisor = declared.or(firmware).filter(|_| kind == Some(VirtualisationKind::VirtualMachine));
        Self { kind, hypervisor, container: container(tree) }
    }
}

/// On x86 a flag says it either way (and the firmware of a bare-metal cloud machine may name the cloud);
/// elsewhere only signs of a hypervisor can be seen, never its absence.
fn kind(tree: Tree, cpu: &Cpu, declared: bool, firmware: Option<&str>) -> Option<VirtualisationKind> {
    let x86 = tree.text("proc/cpuinfo").is_some_and(|text| crate::cpu::field(&text, "flags").is_some());
    if x86 {
        return cpu.has_feature("hypervisor").map(|virtual_machine| match virtual_machine {
            true => VirtualisationKind::VirtualMachine,
            false => VirtualisationKind::BareMetal,
        });
    }
    let named = firmware.is_some_and(|name| {
        VIRTUAL_FIRMWARE.iter().any(|sign| name.contains(sign)) && !name.ends_with(".metal")
    });
    (declared || named).then_some(VirtualisationKind::VirtualMachine)
}

fn firmware(tree: Tree) -> Option<String> {
    let names = ["sys_vendor", "product_name"].map(|name| tree.text(&format!("sys/class/dmi/id/{name}")));
    let names: Vec<String> = names.into_iter().flatten().collect();
    (!names.is_empty()).then(|| names.join(" "))
}

fn container(tree: Tree) -> Option<String> {
    tree.text("run/systemd/container")
        .or_else(|| tree.exists("run/.containerenv").then(|| "podman".to_owned()))
        .or_else(|| tree.exists(".dockerenv").then(|| "docker".to_owned()))
}

const VIRTUAL_FIRMWARE: [&str; 8] =
    ["QEMU", "KVM", "VMware", "VirtualBox", "Virtual Machine", "Xen", "Amazon EC2", "Google Compute Engine"];
