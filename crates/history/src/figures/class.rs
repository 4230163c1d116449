//! The runner class of a run.

use tlslab_host::{Fingerprint, VirtualisationKind};

/// The class of a host that reports nothing.
const UNKNOWN: &str = "unknown";

/// Processor, cores, virtualisation: `AMD EPYC (family 26, model 2), 2 cores, virtual machine`. Machines of
/// one class are interchangeable for instruction counts, and comparable for times.
pub fn runner_class(host: &Fingerprint) -> String {
    let cpu = &host.cpu;
    let name = cpu.name.as_deref().or(cpu.vendor.as_deref()).unwrap_or("unknown processor");
    let numbers: Vec<String> = [("family", &cpu.family), ("model", &cpu.model)]
        .into_iter()
        .filter_map(|(what, number)| Some(format!("{what} {}", number.as_deref()?)))
        .collect();
    let name = if numbers.is_empty() { name.to_owned() } else { format!("{name} ({})", numbers.join(", ")) };
    let cores = host.topology.cores.or(host.topology.logical_cpus);
    let cores = cores.map_or(format!("{UNKNOWN} cores"), |cores| match cores {
        1 => "1 core".to_owned(),
        cores => format!("{cores} cores"),
    });
    let around = match host.virtualisation.kind {
        Some(VirtualisationKind::BareMetal) => "bare metal",
        Some(VirtualisationKind::VirtualMachine) => "virtual machine",
        None => "virtualisation unknown",
    };
    format!("{name}, {cores}, {around}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_class_is_what_a_person_would_say_of_the_machine() {
        let host = json!({
            "cpu": { "name": "AMD EPYC", "family": "26", "model": "2", "stepping": "1", "microcode": "0x1",
                     "vendor": null, "features": null },
            "topology": { "allowed_cpus": 2, "cores": 2, "logical_cpus": 4, "smt": null },
            "system": { "kernel": "6.18", "os": null, "memory_bytes": null },
            "virtualisation": { "kind": "virtual-machine", "hypervisor": null, "container": null },
            "tuning": serde_json::to_value(tlslab_host::Tuning::default()).unwrap(),
            "load": null,
        });
        let host: Fingerprint = serde_json::from_value(host).unwrap();
        assert_eq!(runner_class(&host), "AMD EPYC (family 26, model 2), 2 cores, virtual machine");
    }

    #[test]
    fn a_host_that_shows_nothing_has_a_class_too() {
        assert_eq!(
            runner_class(&Fingerprint::default()),
            "unknown processor, unknown cores, virtualisation unknown"
        );
    }
}
