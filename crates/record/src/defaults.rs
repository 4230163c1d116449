//! What a library does if nothing is configured, as seen on the wire of a scenario with defaults.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_proof::wire::{extension_name, group_name, scheme_name, suite_name, version_name};
use tlslab_proof::{ConnectionFacts, SEGMENT_BYTES};
use tlslab_protocol::{Scenario, Side};
use tlslab_text::number::counted;

use crate::{Proof, ProvenFacts};

/// What a library's client offers and its server picks, each without any configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Defaults {
    /// The client's first message.
    pub offered: Offered,
    /// The server's choices with the library's own client.
    pub taken: Taken,
}

/// What a client offers in its first message, by IANA's names. Values that RFC 8701 reserves (GREASE) are
/// left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Offered {
    /// Versions, in order.
    pub versions: Vec<String>,
    /// Groups, in order.
    pub groups: Vec<String>,
    /// The groups with a key share, in order.
    pub key_shares: Vec<String>,
    /// Cipher suites, in order, without the signalling values.
    pub suites: Vec<String>,
    /// Signature schemes, in order.
    pub signature_schemes: Vec<String>,
    /// Extensions by name. Some clients shuffle them, so their order has no meaning.
    pub extensions: Vec<String>,
    /// Application protocols, in order.
    pub alpn: Vec<String>,
    /// Whether some of the values are reserved ones (GREASE).
    pub grease: bool,
    /// The ClientHello with its header of 4 bytes, bytes.
    pub hello_bytes: u64,
    /// The first flight with the headers of records, bytes.
    pub flight_bytes: u64,
}

/// What a server picks from its own library's client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Taken {
    /// The version.
    pub version: String,
    /// The cipher suite.
    pub suite: String,
    /// The group; `None` if neither the wire nor a library shows it.
    pub group: Option<String>,
    /// The scheme of the server's signature; `None` if neither the wire nor a library shows it.
    pub signature_scheme: Option<String>,
    /// Whether the server asked for another key share.
    pub hello_retry: bool,
    /// Session tickets; `None` if they are encrypted and the client's library does not count them.
    pub tickets: Option<u32>,
    /// Session tickets, bytes on the wire: in TLS 1.2 their messages, in TLS 1.3 all that follows the
    /// handshake.
    pub ticket_bytes: u64,
    /// Records that follow the handshake.
    pub ticket_records: u64,
}

impl Defaults {
    /// The defaults that a cell shows; `None` if its scenario pins the values, or if it is not proven.
    pub fn of(scenario: &Scenario, proof: &Proof) -> Option<Self> {
        match proof {
            Proof::Proven { facts: ProvenFacts::Connection(facts), .. } if scenario.defaults => {
                Some(Self::of_facts(facts))
            }
            _ => None,
        }
    }

    fn of_facts(facts: &ConnectionFacts) -> Self {
        let offer = &facts.offer;
        let mut extensions = offer.extensions.clone();
        extensions.sort_unstable();
        let offered = Offered {
            versions: offer.versions.iter().copied().map(version_name).collect(),
            groups: offer.groups.iter().copied().map(group_name).collect(),
            key_shares: offer.key_shares.iter().copied().map(group_name).collect(),
            suites: offer.suites.iter().copied().map(suite_name).collect(),
            signature_schemes: offer.signature_schemes.iter().copied().map(scheme_name).collect(),
            extensions: extensions.into_iter().map(|kind| extension_name(kind).into_owned()).collect(),
            alpn: offer.alpn.clone(),
            grease: offer.grease,
            hello_bytes: facts.sizes.client_hello_bytes,
            flight_bytes: facts.sizes.client_first_flight_bytes,
        };
        let taken = Taken {
            version: facts.version.value().copied().map(version_name).unwrap_or_default(),
            suite: facts.suite.value().copied().map(suite_name).unwrap_or_default(),
            group: facts.group.value().copied().map(group_name),
            signature_scheme: facts.signature_scheme.value().copied().map(scheme_name),
            hello_retry: facts.hello_retry_request.value() == Some(&true),
            tickets: facts.tickets.value().copied(),
            ticket_bytes: facts.sizes.ticket_bytes,
            ticket_records: facts.records.post_handshake.server,
        };
        Self { offered, taken }
    }

    /// What another release does differently, in words that follow its name: `offers group X25519MLKEM768
    /// now`. Sizes are figures of their own.
    pub fn changes(&self, later: &Self) -> Vec<String> {
        let mut changes = self.offered.changes(&later.offered);
        changes.extend(self.taken.changes(&later.taken));
        changes
    }

    /// The changes of one side: what the client offers, or what the server picks.
    pub fn changes_of(&self, side: Side, later: &Self) -> Vec<String> {
        match side {
            Side::Client => self.offered.changes(&later.offered),
            Side::Server => self.taken.changes(&later.taken),
        }
    }
}

impl Offered {
    fn changes(&self, new: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        list(&mut changes, "version", &self.versions, &new.versions);
        list(&mut changes, "group", &self.groups, &new.groups);
        list(&mut changes, "key share of", &self.key_shares, &new.key_shares);
        list(&mut changes, "suite", &self.suites, &new.suites);
        list(&mut changes, "scheme", &self.signature_schemes, &new.signature_schemes);
        list(&mut changes, "extension", &self.extensions, &new.extensions);
        list(&mut changes, "protocol", &self.alpn, &new.alpn);
        if self.grease != new.grease {
            let words = if new.grease {
                "adds reserved values (GREASE) now"
            } else {
                "adds no reserved values (GREASE) any more"
            };
            changes.push(words.to_owned());
        }
        changes
    }

    /// Packets of the first flight by segment size, in the order of [`SEGMENT_BYTES`].
    pub fn packets(&self) -> [u64; SEGMENT_BYTES.len()] {
        SEGMENT_BYTES.map(|bytes| self.flight_bytes.div_ceil(bytes))
    }
}

impl Taken {
    fn changes(&self, new: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        one(&mut changes, "version", &self.version, &new.version);
        one(&mut changes, "suite", &self.suite, &new.suite);
        one(&mut changes, "group", shown(&self.group), shown(&new.group));
        one(&mut changes, "scheme", shown(&self.signature_scheme), shown(&new.signature_scheme));
        if self.hello_retry != new.hello_retry {
            let words = if new.hello_retry {
                "asks for another key share now"
            } else {
                "takes the first key share now"
            };
            changes.push(words.to_owned());
        }
        if let (Some(before), Some(now)) = (self.tickets, new.tickets)
            && before != now
        {
            changes.push(format!("sends {} instead of {before}", counted(now as usize, "ticket")));
        }
        changes
    }
}

fn shown(value: &Option<String>) -> &str {
    value.as_deref().unwrap_or("unknown")
}

/// New and missing values of a list, or its new order.
fn list(changes: &mut Vec<String>, kind: &str, old: &[String], new: &[String]) {
    let more: Vec<&str> = new.iter().filter(|value| !old.contains(value)).map(String::as_str).collect();
    let fewer: Vec<&str> = old.iter().filter(|value| !new.contains(value)).map(String::as_str).collect();
    let some = |values: &[&str]| match values.len() {
        0..=MOST_NAMED => format!("{kind} {}", values.join(", ")),
        count => format!("{kind} {} and {} more", values[..MOST_NAMED].join(", "), count - MOST_NAMED),
    };
    if !more.is_empty() {
        changes.push(format!("offers {} now", some(&more)));
    }
    if !fewer.is_empty() {
        changes.push(format!("offers {} no more", some(&fewer)));
    }
    if more.is_empty() && fewer.is_empty() && old != new {
        let first = new.first().map_or("none", String::as_str);
        changes.push(format!("offers {kind} in another order, {first} first"));
    }
}

fn one(changes: &mut Vec<String>, kind: &str, old: &str, new: &str) {
    if old != new {
        changes.push(format!("takes {kind} {new} instead of {old}"));
    }
}

/// Values of one list that are named in a change.
const MOST_NAMED: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(all: &[&str]) -> Vec<String> {
        all.iter().map(ToString::to_string).collect()
    }

    fn openssl() -> Defaults {
        let offered = Offered {
            groups: texts(&["x25519", "secp256r1", "x448"]),
            key_shares: texts(&["x25519"]),
            suites: texts(&["TLS_AES_256_GCM_SHA384"]),
            flight_bytes: 1461,
            ..Offered::default()
        };
        let taken = Taken { group: Some("x25519".to_owned()), tickets: Some(2), ..Taken::default() };
        Defaults { offered, taken }
    }

    #[test]
    fn the_same_defaults_have_no_changes() {
        assert_eq!(openssl().changes(&openssl()), Vec::<String>::new());
    }

    #[test]
    fn what_changed_is_named() {
        let (old, mut new) = (openssl(), openssl());
        new.offered.groups.insert(0, "X25519MLKEM768".to_owned());
        new.offered.key_shares.insert(0, "X25519MLKEM768".to_owned());
        new.offered.suites = texts(&["a", "b", "c", "d"]);
        new.taken.group = Some("X25519MLKEM768".to_owned());
        new.taken.tickets = Some(1);
        assert_eq!(
            old.changes(&new),
            [
                "offers group X25519MLKEM768 now",
                "offers key share of X25519MLKEM768 now",
                "offers suite a, b, c and 1 more now",
                "offers suite TLS_AES_256_GCM_SHA384 no more",
                "takes group X25519MLKEM768 instead of x25519",
                "sends 1 ticket instead of 2",
            ]
        );
        assert_eq!(old.changes_of(Side::Server, &new).len(), 2);
        let mut sorted = openssl();
        sorted.offered.groups.swap(0, 1);
        assert_eq!(old.changes(&sorted), ["offers group in another order, secp256r1 first"]);
    }

    #[test]
    fn packets_are_bytes_over_the_segment_rounded_up() {
        assert_eq!(openssl().offered.packets(), [2, 2, 2]);
        let short = Offered { flight_bytes: 1460, ..Offered::default() };
        assert_eq!(short.packets(), [1, 2, 2]);
    }
}
