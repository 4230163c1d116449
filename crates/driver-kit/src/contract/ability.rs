//! Capabilities of an endpoint in Rust: the kit asks about every value that the protocol has, and turns the
//! answers into claims and limits with reasons.

use tlslab_protocol::{
    Algorithm, Capabilities, CipherSuite, Group, HashFunction, KeyType, Limit, Operation, ProtocolVersion,
    Resumption, ResumptionKind, Verification,
};

/// Numbers of tickets in scenarios.
pub(crate) const TICKETS: [u16; 4] = [1, 2, 4, 16];

/// The value of an axis that stands for all values without a reason of their own.
pub(crate) const ANY: &str = "any";

/// The most early data that the kit carries, bytes.
const MOST_EARLY_DATA: u32 = 64 * 1024;

/// A capability that the kit asks an endpoint about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ability {
    /// Pinning a protocol version.
    Version(ProtocolVersion),
    /// Pinning a cipher suite. Those with a pre-shared key are asked about if a kind of resumption uses them.
    Suite(CipherSuite),
    /// Pinning a key exchange group.
    Group(Group),
    /// A key type that the server signs with and whose signatures the client verifies.
    Signature(KeyType),
    /// A level of verification.
    Verification(Verification),
    /// A way to resume a session.
    Resumption(ResumptionKind),
    /// A client that presents a certificate.
    MutualAuthentication,
    /// A server that presents intermediate certificates in addition to its own.
    WholeChain,
    /// A server that sends this number of tickets.
    Tickets(u32),
    /// A client that offers another group first.
    HelloRetry,
    /// A client that sends early data, and a server that accepts it.
    EarlyData,
    /// A server that uses pre-generated key shares.
    PregeneratedKeyShares,
    /// Closing a connection with an alert.
    Close,
    /// Cryptographic operations alone, of any kind.
    Primitives,
    /// One operation alone, with an algorithm that is claimed for TLS.
    Primitive(Operation, Algorithm),
}

impl Ability {
    /// The axis of a limit, and the value on it.
    fn place(self) -> (&'static str, String) {
        match self {
            Self::Version(version) => ("version", version.short_name().into_owned()),
            Self::Suite(suite) => ("suite", suite.short_name().into_owned()),
            Self::Group(group) => ("group", group.short_name().into_owned()),
            Self::Signature(key) => ("signature", key.name().to_owned()),
            Self::Verification(level) => ("verification", level.name().to_owned()),
            Self::Resumption(kind) => ("resumption", kind.to_string()),
            Self::MutualAuthentication => ("authentication", "mutual".to_owned()),
            Self::WholeChain => ("chain", ANY.to_owned()),
            Self::Tickets(count) => ("tickets", count.to_string()),
            Self::HelloRetry => ("hello_retry", ANY.to_owned()),
            Self::EarlyData => ("early_data", ANY.to_owned()),
            Self::PregeneratedKeyShares => ("server_key_share", ANY.to_owned()),
            Self::Close => ("work", "request".to_owned()),
            Self::Primitives => ("work", "primitive".to_owned()),
            Self::Primitive(operation, algorithm) => ("primitive", format!("{operation}/{algorithm}")),
        }
    }
}

/// The capabilities of an endpoint. `lack` returns the reason why the endpoint does not support what it is
/// asked about, or `None` if it does. The caller sets what no answer of `lack` determines: records, notes,
/// threads.
pub fn capabilities(lack: impl Fn(Ability) -> Option<String>) -> Capabilities {
    let mut asked = Asked { lack, limits: vec![] };
    let resumption = asked.those(&ResumptionKind::ALL, Ability::Resumption);
    let takes_psk = resumption.iter().any(|kind| {
        let (version, resumption) = kind.parts();
        version == ProtocolVersion::TLS12
            && matches!(resumption, Resumption::ExternalPsk | Resumption::ExternalPskOnly)
    });
    let suites: Vec<_> =
        CipherSuite::KNOWN.iter().copied().filter(|suite| takes_psk || !suite.is_by_psk()).collect();
    let mut able = Capabilities {
        versions: asked.those(ProtocolVersion::KNOWN, Ability::Version),
        suites: asked.those(&suites, Ability::Suite),
        groups: asked.those(Group::KNOWN, Ability::Group),
        signatures: asked.those(&KeyType::ALL, Ability::Signature),
        verification: asked.those(
            &[Verification::None, Verification::Chain, Verification::ChainAndName],
            Ability::Verification,
        ),
        resumption,
        mutual_authentication: asked.can(Ability::MutualAuthentication),
        sends_leaf_alone: !asked.can(Ability::WholeChain),
        max_tickets: asked
            .those(&TICKETS, |count| Ability::Tickets(count.into()))
            .into_iter()
            .max()
            .map_or(0, u32::from),
        hello_retry: asked.can(Ability::HelloRetry),
        max_early_data: if asked.can(Ability::EarlyData) { MOST_EARLY_DATA } else { 0 },
        pregenerated_key_shares: asked.can(Ability::PregeneratedKeyShares),
        ..Capabilities::default()
    };
    if asked.can(Ability::Close) {
        able.works.push("request".to_owned());
    }
    if asked.can(Ability::Primitives) {
        able.primitives = asked.primitives(&able);
    }
    able.limits = asked.limits;
    able
}

/// Questions to an endpoint, and the reasons that it has given.
struct Asked<F> {
    lack: F,
    limits: Vec<Limit>,
}

impl<F: Fn(Ability) -> Option<String>> Asked<F> {
    fn can(&mut self, ability: Ability) -> bool {
        let lack = (self.lack)(ability);
        let can = lack.is_none();
        let (axis, value) = ability.place();
        self.limits.extend(lack.map(|reason| Limit { axis: axis.to_owned(), value, reason }));
        can
    }

    fn those<T: Copy>(&mut self, known: &[T], ability: fn(T) -> Ability) -> Vec<T> {
        known.iter().copied().filter(|known| self.can(ability(*known))).collect()
    }

    fn primitives(&mut self, able: &Capabilities) -> Vec<String> {
        let hashes = HashFunction::OF_TLS13.into_iter().map(Algorithm::Hash);
        let suites = CipherSuite::TLS13.into_iter().filter(|suite| able.suites.contains(suite));
        let keys = able.signatures.iter().copied().map(Algorithm::Signature);
        let groups = able.groups.iter().copied().map(Algorithm::Group);
        let algorithms: Vec<_> =
            hashes.chain(suites.map(Algorithm::Aead)).chain(keys).chain(groups).collect();
        let mut claimed = vec![];
        for operation in Operation::OF_TLS {
            for algorithm in algorithms.iter().copied().filter(|algorithm| operation.fits(*algorithm)) {
                if self.can(Ability::Primitive(operation, algorithm)) {
                    claimed.push(format!("{operation}/{algorithm}"));
                }
            }
        }
        claimed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Supports TLS 1.3 with one cipher suite, curves, RSA of 2,048 bits and two tickets; of the primitives,
    /// only sealing.
    fn lack(asked: Ability) -> Option<String> {
        let can = match asked {
            Ability::Version(version) => version == ProtocolVersion::TLS13,
            Ability::Suite(suite) => suite == CipherSuite::AES_128_GCM,
            Ability::Group(group) => !group.encapsulates(),
            Ability::Signature(key) => key == KeyType::Rsa2048,
            Ability::Verification(level) => level == Verification::None,
            Ability::Resumption(kind) => kind == ResumptionKind::Ticket13,
            Ability::Tickets(count) => count <= 2,
            Ability::HelloRetry | Ability::Primitives | Ability::WholeChain => true,
            Ability::Primitive(operation, _) => operation == Operation::AeadSeal,
            Ability::MutualAuthentication | Ability::EarlyData | Ability::PregeneratedKeyShares => false,
            Ability::Close => false,
        };
        (!can).then(|| format!("no {asked:?}"))
    }

    #[test]
    fn what_an_endpoint_says_of_each_value_becomes_claims_and_limits() {
        let able = capabilities(lack);
        assert_eq!(able.versions, [ProtocolVersion::TLS13]);
        assert_eq!(able.suites, [CipherSuite::AES_128_GCM]);
        assert_eq!(able.groups.len(), 4);
        assert_eq!(able.signatures, [KeyType::Rsa2048]);
        assert_eq!(able.verification, [Verification::None]);
        assert_eq!(able.resumption, [ResumptionKind::Ticket13]);
        assert_eq!(able.primitives, ["aead-seal/aes-128-gcm"]);
        assert_eq!((able.max_tickets, able.max_early_data), (2, 0));
        assert!(able.hello_retry && !able.mutual_authentication && !able.pregenerated_key_shares);
        assert!(!able.sends_leaf_alone);
        assert_eq!(able.reason("version", "1.2"), Some("no Version(TLSv1.2)"));
        assert_eq!(able.reason("tickets", "4"), Some("no Tickets(4)"));
        assert_eq!(able.reason("tickets", "2"), None);
        assert_eq!(able.reason("early_data", "1024"), Some("no EarlyData"));
        assert_eq!(able.reason("server_key_share", "pregenerated"), Some("no PregeneratedKeyShares"));
        assert!(able.reason("verification", "chain").is_some() && able.reason("work", "primitive").is_none());
        assert_eq!((able.works.len(), able.reason("work", "request")), (0, Some("no Close")));
        assert!(able.reason("primitive", "aead-open/aes-128-gcm").is_some());
        assert_eq!(able.reason("suite", "psk-aes-128-gcm"), None, "one reason rules them out");
        assert!(able.reason("resumption", "1.2/external-psk").is_some());
    }

    #[test]
    fn suites_of_pre_shared_keys_are_asked_about_where_a_resumption_takes_them() {
        assert!(capabilities(|_| None).suites.contains(&CipherSuite::PSK_AES_128_GCM));
    }
}
