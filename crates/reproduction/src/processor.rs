//! Names of processors, as people call them.

use tlslab_record::Fingerprint;

/// A host's processor, by its usual name: `Intel Xeon Platinum 8375C`; empty if the host does not show it.
pub fn processor(host: &Fingerprint) -> String {
    let cpu = &host.cpu;
    let Some(name) = &cpu.name else {
        let parts = [&cpu.vendor, &cpu.model].into_iter().flatten().cloned();
        let parts: Vec<String> = cpu.architecture().map(str::to_owned).into_iter().chain(parts).collect();
        return parts.join(" ");
    };
    let name = name.split(" @").next().unwrap_or_default().replace("(R)", "").replace("(TM)", "");
    let words = name.split_whitespace().filter(|word| !["CPU", "Processor"].contains(word));
    words.collect::<Vec<_>>().join(" ")
}
