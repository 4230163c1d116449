//! Kernel command-line parameters, which are printed and never set.

use crate::cpus::Cpus;
use crate::machine::{Machine, read};
use crate::value::cpu_list_text;

/// A parameter that takes effect at the next boot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootParameter {
    /// Its name and the value that suits the CPUs for measuring.
    pub line: String,
    /// Its purpose.
    pub purpose: &'static str,
    /// Its value in the running kernel's command line, if it is there.
    pub now: Option<String>,
}

/// The parameters for a machine with CPUs for measuring.
pub(crate) fn boot_parameters(machine: &dyn Machine, cpus: &Cpus) -> Vec<BootParameter> {
    let line = read(machine, "proc/cmdline").unwrap_or_default();
    let now = |name: &str| {
        let of_name = |word: &&str| word.split_once('=').is_some_and(|(key, _)| key == name);
        line.split_whitespace().find(of_name).map(str::to_owned)
    };
    let parameter = |name: &str, value: &str, purpose| BootParameter {
        line: format!("{name}={value}"),
        purpose,
        now: now(name),
    };
    let mut all = Vec::new();
    if !cpus.measuring().is_empty() {
        let (measuring, system) = (cpu_list_text(cpus.measuring()), cpu_list_text(cpus.system()));
        all = vec![
            parameter(
                "isolcpus",
                &format!("managed_irq,domain,{measuring}"),
                "the scheduler moves nothing there; start the lab with `taskset` on all CPUs",
            ),
            parameter("nohz_full", &measuring, "no tick while one program runs there"),
            parameter("rcu_nocbs", &measuring, "callbacks of RCU run elsewhere"),
            parameter("irqaffinity", &system, "interrupts are set up on other CPUs"),
        ];
    }
    all.push(parameter(
        "mitigations",
        "off",
        "less work at system calls; it removes protection, and users' machines are slower: for experiments alone",
    ));
    all
}
