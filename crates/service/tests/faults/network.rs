//! A network namespace for each runner, with one link to the service.

use std::fs;
use std::net::Ipv4Addr;
use std::process::Command;

/// What names of namespaces begin with; the number of the test's process follows.
const NAMESPACES: &str = "tlslab-faults-";
/// The same for links, whose names have 15 characters at most.
const LINKS: &str = "tlf";

/// A runner's network.
pub(crate) struct Network {
    /// The namespace's name.
    pub namespace: String,
    /// The service's address, as the runner sees it.
    pub service: Ipv4Addr,
    link: String,
}

impl Network {
    /// A new one.
    pub(crate) fn new(number: usize) -> Self {
        let process = std::process::id();
        let (namespace, link) =
            (format!("{NAMESPACES}{process}-{number}"), format!("{LINKS}{process}h{number}"));
        // Four addresses each, of the range that is kept for tests of networks.
        let first = u32::from(Ipv4Addr::new(198, 18, 0, 0)) + 4 * ((process * 4 + number as u32) % (1 << 15));
        let (service, runner) = (Ipv4Addr::from(first + 1), Ipv4Addr::from(first + 2));
        let network = Self { namespace, service, link };
        let Self { namespace, link, .. } = &network;
        ip(&["netns", "add", namespace]);
        ip(&["link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace]);
        ip(&["address", "add", &format!("{service}/30"), "dev", link]);
        ip(&["-n", namespace, "address", "add", &format!("{runner}/30"), "dev", "eth0"]);
        for device in ["lo", "eth0"] {
            ip(&["-n", namespace, "link", "set", device, "up"]);
        }
        network.mend();
        network
    }

    /// Takes the link down: packets are lost without notice.
    pub(crate) fn cut(&self) {
        ip(&["link", "set", &self.link, "down"]);
    }

    /// Loses so many of a hundred packets in each direction; how.
    pub(crate) fn lose(&self, percent: u64) -> &'static str {
        let loss = format!("{percent}%");
        let shaped = ["qdisc", "replace", "dev", &self.link, "root", "netem", "loss", &loss];
        if run("tc", &shaped).is_ok() {
            let inside = ["qdisc", "replace", "dev", "eth0", "root", "netem", "loss", &loss];
            self.inside("tc", &inside).unwrap();
            return "netem";
        }
        let drop = format!("numgen random mod 100 < {percent} drop");
        let chain = |hook: &str| {
            format!(
                "add chain inet loss {hook} {{ type filter hook {hook} priority 0; }}\nadd rule inet loss {hook} {drop}"
            )
        };
        let rules = format!("add table inet loss\n{}\n{}", chain("input"), chain("output"));
        if let Err(cause) = self.inside("nft", &[&rules]) {
            panic!(
                "packets cannot be lost: this kernel has no netem, and {cause}; ./setup faults installs nft"
            );
        }
        "nftables, as this kernel has no netem"
    }

    /// The link is up without losses.
    pub(crate) fn mend(&self) {
        ip(&["link", "set", &self.link, "up"]);
        let _ = run("tc", &["qdisc", "delete", "dev", &self.link, "root"]);
        let _ = self.inside("tc", &["qdisc", "delete", "dev", "eth0", "root"]);
        let _ = self.inside("nft", &["delete", "table", "inet", "loss"]);
    }

    fn inside(&self, program: &str, arguments: &[&str]) -> Result<(), String> {
        run("ip", &[&["netns", "exec", &self.namespace, program], arguments].concat())
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        let _ = run("ip", &["link", "delete", &self.link]);
        let _ = run("ip", &["netns", "delete", &self.namespace]);
    }
}

/// Removes what tests left that were killed.
pub(crate) fn remove_stale() {
    for (name, process) in all() {
        if !is_test(process) {
            let _ = match name.starts_with(NAMESPACES) {
                true => run("ip", &["netns", "delete", &name]),
                false => run("ip", &["link", "delete", &name]),
            };
        }
    }
}

/// What this process has left.
pub(crate) fn left() -> Vec<String> {
    let own = std::process::id();
    all().into_iter().filter(|(_, process)| *process == own).map(|(name, _)| name).collect()
}

/// Whether a process is alive and is this test's program.
pub(crate) fn is_test(process: u32) -> bool {
    let program = fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
    program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("faults-"))
}

/// Namespaces and links of tests like this one, and their processes.
fn all() -> Vec<(String, u32)> {
    let names = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    let found = names("/run/netns").into_iter().chain(names("/sys/class/net"));
    let process = |name: &str| {
        let rest = name.strip_prefix(NAMESPACES).or_else(|| name.strip_prefix(LINKS))?;
        rest.split(['-', 'h']).next()?.parse().ok()
    };
    found.filter_map(|name| process(&name).map(|process| (name, process))).collect()
}

fn ip(arguments: &[&str]) {
    run("ip", arguments).unwrap_or_else(|cause| panic!("{cause}"));
}

fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    let done = Command::new(program).args(arguments).output();
    let done = done.map_err(|cause| format!("{program} cannot be started: {cause}"))?;
    match done.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&done.stderr).trim().to_owned();
            Err(format!("`{program} {}` failed: {said}", arguments.join(" ")))
        }
    }
}
