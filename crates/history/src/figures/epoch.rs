//! The further conditions under which two figures of a series are comparable.

use sha2::{Digest, Sha256};
use tlslab_host::{Fingerprint, Smt};
use tlslab_protocol::{Scenario, WarmUpRule};
use tlslab_record::{Epoch, HARNESS, Placement, Plan, SIZE_SCENARIO, StackIdentity, StackRecord, WORK};

/// Digits of a digest that suffice to distinguish two.
const DIGITS: usize = 12;

/// The epoch of one stack's figure of one metric in a scenario: `work 0123abcd…; harness 0123abcd…; kernel
/// 6.18; microcode 0x1; cc …; rustc …; lab 0.1.0; keys 0123abcd…`, for counts and contention with the
/// counter, for memory with the library that counts allocations; for sizes without the machine. Unrecorded
/// parts are `unknown`, and equal only to `unknown`.
pub fn epoch(plan: &Plan, scenario: &str, stack: &StackRecord, metric: &str) -> String {
    let host = plan.host.clone();
    let unknown = || "unknown".to_owned();
    let compiled_by = |of: fn(&StackIdentity) -> &String| {
        stack.identity.as_ref().map(of).map_or_else(unknown, |compiler| toolchain(compiler))
    };
    let resolved = plan.scenarios.iter().find(|known| known.name == scenario);
    let harness = stack.identity.as_ref().map(|identity| short(&identity.harness_digest));
    if metric.starts_with("size.") {
        return of_size(
            plan,
            harness,
            [compiled_by(|built| &built.compiler), compiled_by(|built| &built.rustc)],
        );
    }
    if metric.starts_with("wire.") {
        let work = resolved.map_or_else(unknown, |scenario| short(&work_digest(scenario)));
        return of_wire(plan, work, harness);
    }
    let mut parts = vec![
        (WORK, resolved.map_or_else(unknown, |scenario| short(&work_digest(scenario)))),
        (HARNESS, harness.filter(|digest| !digest.is_empty()).unwrap_or_else(unknown)),
        ("kernel", host.system.kernel.unwrap_or_else(unknown)),
        ("microcode", host.cpu.microcode.unwrap_or_else(unknown)),
        ("cc", compiled_by(|identity| &identity.compiler)),
        ("rustc", compiled_by(|identity| &identity.rustc)),
        ("lab", plan.lab_version.clone()),
        ("keys", short(&plan.pki_digest)),
    ];
    match (&plan.counting, &plan.preload) {
        (Some(counting), _) if metric.starts_with("count.") => {
            let counter = &counting.counter;
            parts.push(("counter", format!("{} {}", counter.name, short(&counter.digest))));
        }
        _ if metric.starts_with("contention.") => parts.extend(
            plan.contention
                .as_ref()
                .map(|counter| ("counter", format!("{} {}", counter.name, short(&counter.digest)))),
        ),
        _ if metric.starts_with("kernel.") => {}
        (_, Some(preload)) if !metric.starts_with("count.") && !is_time(metric) => {
            parts.push(("allocations", short(&preload.digest)));
        }
        _ => {}
    }
    if is_time(metric) {
        // Omitted for runs from before there were turns, whose epochs are kept unchanged.
        parts.extend(turns(plan).map(|turns| ("turns", turns)));
        // Likewise.
        let placement = match plan.placement {
            Placement::Fixed => None,
            Placement::Randomised => Some("randomised"),
            Placement::RandomisedWithProgram => Some("randomised with the program"),
        };
        if let Some(placement) = placement {
            parts.push(("placement", placement.to_owned()));
            parts.push(("settings", settings(&plan.host)));
        }
        // A comparison deals out code layouts; a run has the one that the linker made.
        if plan.comparison.as_ref().is_some_and(|comparison| comparison.moves) {
            parts.push(("layout", "randomised".to_owned()));
        }
    }
    // Between two turns of a scenario its process works on others.
    let others = find_companions(plan, scenario);
    if is_time(metric) && !others.is_empty() {
        parts.push(("beside", others.join(", ")));
    }
    // Sockets cost more in a sandbox.
    if let Some(sandbox) = &plan.sandbox {
        parts.push(("sandbox", sandbox.clone()));
    }
    if let Some(evictor) = plan.evictor.as_ref().filter(|_| metric.starts_with("cold.")) {
        parts.push(("evictor", evictor.title()));
    }
    Epoch::new(parts).to_string()
}

/// Of a size: no machine and no work changes it.
fn of_size(plan: &Plan, harness: Option<String>, [cc, rustc]: [String; 2]) -> String {
    let harness = harness.filter(|digest| !digest.is_empty()).unwrap_or_else(|| "unknown".to_owned());
    let parts = [
        (WORK, SIZE_SCENARIO.to_owned()),
        (HARNESS, harness),
        ("cc", cc),
        ("rustc", rustc),
        ("lab", plan.lab_version.clone()),
    ];
    Epoch::new(parts).to_string()
}

/// Of what is sent: no machine and no compiler changes it. The keys do, by the length of certificates.
fn of_wire(plan: &Plan, work: String, harness: Option<String>) -> String {
    let harness = harness.filter(|digest| !digest.is_empty()).unwrap_or_else(|| "unknown".to_owned());
    let parts = [
        (WORK, work),
        (HARNESS, harness),
        ("lab", plan.lab_version.clone()),
        ("keys", short(&plan.pki_digest)),
    ];
    Epoch::new(parts).to_string()
}

/// SHA-256 over a scenario as resolved, hex: everything that it asks for, but not its name.
pub fn work_digest(scenario: &Scenario) -> String {
    let nameless = Scenario { name: String::new(), ..scenario.clone() };
    // A scenario is plain data, which always serialises.
    let text = serde_json::to_vec(&nameless).expect("scenarios serialise");
    hex::encode(Sha256::digest(text))
}

/// The scenarios that are measured in the same visits.
fn find_companions<'p>(plan: &'p Plan, scenario: &str) -> Vec<&'p str> {
    let at = plan.scenarios.iter().position(|known| known.name == scenario);
    let group = at.map_or(&[][..], |at| plan.group_of(at));
    let names = group.iter().filter_map(|other| Some(plan.scenarios.get(*other)?.name.as_str()));
    names.filter(|other| *other != scenario).collect()
}

/// Whether an epoch is one of this scenario as resolved.
pub fn is_of_work(epoch: &str, scenario: &Scenario) -> bool {
    Epoch::read(epoch).value(WORK) == Some(&*short(&work_digest(scenario)))
}

/// How long turns are: times by different rules are figures of different things.
fn turns(plan: &Plan) -> Option<String> {
    let WarmUpRule { least_ns, least_iterations, most_ns } = plan.warm_up?;
    let ms = |ns: u64| ns as f64 / 1e6;
    Some(format!(
        "{} of {} ms after {} to {} ms and {least_iterations} iterations",
        plan.slices,
        ms(plan.slice_ns),
        ms(least_ns),
        ms(most_ns)
    ))
}

/// The host's settings that its owner may change from day to day and that affect times: `governor
/// performance, turbo off, …`.
fn settings(host: &Fingerprint) -> String {
    let unknown = || "unknown".to_owned();
    let tuning = &host.tuning;
    let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
    let mitigations = tuning.mitigations.as_ref().map(|all| {
        let text: Vec<String> = all.iter().map(|(name, answer)| format!("{name}={answer}")).collect();
        short(&hex::encode(Sha256::digest(text.join("\n"))))
    });
    let parts = [
        ("governor", tuning.governor.clone()),
        ("turbo", tuning.turbo.map(|turbo| switch(turbo.on))),
        ("SMT", host.topology.smt.map(|smt| switch(smt == Smt::On))),
        ("huge pages", tuning.transparent_huge_pages.clone()),
        ("mitigations", mitigations),
    ];
    let parts = parts.map(|(name, value)| format!("{name} {}", value.unwrap_or_else(unknown)));
    parts.join(", ")
}

fn is_time(metric: &str) -> bool {
    ["time", "cold", "wall", "latency", "rate", "throughput", "response", "load"]
        .iter()
        .any(|name| metric.starts_with(name))
}

/// The version, without the machine that it builds for: that is part of the class.
fn toolchain(text: &str) -> String {
    let version = text.split(", target:").next().unwrap_or(text);
    let version = version.split(", host:").next().unwrap_or(version);
    let version = version.strip_prefix("rustc ").or_else(|| version.strip_prefix("cc ")).unwrap_or(version);
    version.to_owned()
}

fn short(digest: &str) -> String {
    digest.chars().take(DIGITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_host_are_part_of_its_epoch() {
        let mut host = Fingerprint::default();
        let unknown = settings(&host);
        assert_eq!(
            unknown,
            "governor unknown, turbo unknown, SMT unknown, huge pages unknown, mitigations unknown"
        );
        host.tuning.governor = Some("performance".to_owned());
        host.topology.smt = Some(Smt::On);
        assert!(settings(&host).starts_with("governor performance, turbo unknown, SMT on, "));
        host.tuning.mitigations = Some([("spectre_v2".to_owned(), "Mitigation; IBRS".to_owned())].into());
        let mitigated = settings(&host);
        host.tuning.mitigations = Some([("spectre_v2".to_owned(), "Vulnerable".to_owned())].into());
        assert_ne!(settings(&host), mitigated);
    }

    #[test]
    fn a_toolchain_is_its_version() {
        let cc = "cc (Debian 12.2.0-14+deb12u1) 12.2.0, target: x86_64-linux-gnu";
        assert_eq!(toolchain(cc), "(Debian 12.2.0-14+deb12u1) 12.2.0");
        let rustc =
            "rustc 1.95.0 (59807616e 2026-04-14), host: x86_64-unknown-linux-gnu; LLVM version: 22.1.2";
        assert_eq!(toolchain(rustc), "1.95.0 (59807616e 2026-04-14)");
    }
}
