//! Who this stack is and what it can do. Neither library reports its version at run time: the lock file of this very
//! build does.

use libcrux::aead;
use tlslab_driver_kit::protocol::{
    Capabilities, CipherSuite, Group, KeyType, Library, Limit, ProtocolVersion, Records, Verification,
};
use tlslab_driver_kit::{Identity, locked_version};

/// Why no scenario that verifies the chain can be done.
pub const NO_CHAIN: &str = "Bertie checks no certificate chain";
/// Why no scenario that verifies chain and name can be done.
pub const NO_CHAIN_AND_NO_NAME: &str = "Bertie checks no certificate chain and no name";
/// Why no scenario with tickets can be done.
pub const NO_TICKETS: &str = "Bertie's server sends no session tickets";

/// Bertie has such keys, bound as those of tickets are.
const NO_PSK: &str = "Bertie's client refuses what its own server answers to a pre-shared key (error 133, a message that cannot be parsed)";

const SUITES: [CipherSuite; 3] =
    [CipherSuite::AES_128_GCM, CipherSuite::AES_256_GCM, CipherSuite::CHACHA20_POLY1305];

/// The stack's name, versions and capabilities.
pub fn identity() -> Identity {
    Identity {
        driver: "bertie",
        library: Library {
            name: "bertie".to_owned(),
            version: version("bertie"),
            components: ["libcrux", "libcrux-hacl"].map(|name| (name.to_owned(), version(name))).to_vec(),
        },
        capabilities: Capabilities {
            versions: vec![ProtocolVersion::TLS13],
            signatures: KEYS.to_vec(),
            groups: vec![Group::X25519, Group::SECP256R1],
            suites: SUITES.into_iter().filter(|suite| runs_here(*suite)).collect(),
            verification: vec![Verification::None],
            resumption: vec![],
            renews_no_tickets: false,
            mutual_authentication: false,
            max_tickets: 0,
            works: vec![],
            primitives: vec![],
            limits: limits(),
            offers_more: vec![],
            threads: true,
            flushes: false,
            protects_nothing: false,
            records: Records::default(),
            notes: notes(),
            details: details(),
            sends_leaf_alone: true,
            ..Capabilities::default()
        },
    }
}

/// Whether libcrux has the suite's cipher in this build and on this CPU. It is asked to seal something, since it
/// chooses its code when it is built, from the CPU that builds it, and again when it runs.
pub fn runs_here(suite: CipherSuite) -> bool {
    let key = match suite {
        CipherSuite::AES_128_GCM => aead::Key::Aes128(aead::Aes128Key::default()),
        CipherSuite::AES_256_GCM => aead::Key::Aes256(aead::Aes256Key::default()),
        CipherSuite::CHACHA20_POLY1305 => aead::Key::Chacha20Poly1305(aead::Chacha20Key::default()),
        _ => return false,
    };
    aead::encrypt_detached(&key, [0; 16], aead::Iv::default(), []).is_ok()
}

/// Why a suite is missing from a build or a machine.
pub fn no_such_cipher(suite: CipherSuite) -> String {
    format!("libcrux has no {suite} in this build on this CPU")
}

/// The keys that the server signs with and the client checks signatures of.
const KEYS: [KeyType; 4] = [KeyType::EcdsaP256, KeyType::Rsa2048, KeyType::Rsa3072, KeyType::Rsa4096];

/// Why no scenario with another key can be done.
pub fn no_such_key(key: KeyType) -> String {
    match key {
        // Its scheme has a name in the library, but the client finds no key of it in a certificate.
        KeyType::Ed25519 => "Bertie reads no Ed25519 key from a certificate".to_owned(),
        other => format!("Bertie has no signature scheme {}", other.signature_scheme(ProtocolVersion::TLS13)),
    }
}

fn version(package: &str) -> String {
    locked_version(include_str!("../Cargo.lock"), package).unwrap_or("not in the lock file").to_owned()
}

fn limits() -> Vec<Limit> {
    let limit = |axis: &str, value: &str, reason: &str| Limit {
        axis: axis.to_owned(),
        value: value.to_owned(),
        reason: reason.to_owned(),
    };
    let mut limits = vec![
        limit("verification", Verification::Chain.name(), NO_CHAIN),
        limit("verification", Verification::ChainAndName.name(), NO_CHAIN_AND_NO_NAME),
        limit("group", "p-384", "Bertie has no P-384"),
        limit("group", "ffdhe2048", "Bertie has no finite fields"),
        limit("chain", "3", LEAF_ALONE),
        limit("chain", "4", LEAF_ALONE),
        limit("group", "x25519mlkem768", NO_POST_QUANTUM),
        limit("group", "p-256mlkem768", NO_POST_QUANTUM),
        limit("resumption", "1.3/ticket", NO_TICKETS),
        limit("resumption", "1.3/ticket-reused", NO_TICKETS),
        limit("resumption", "1.3/external-psk", NO_PSK),
        limit(
            "resumption",
            "1.3/external-psk-only",
            "Bertie uses a pre-shared key with a key exchange alone",
        ),
        limit("hello_retry", "any", "Bertie knows no HelloRetryRequest"),
        limit("early_data", "any", "Bertie gives its user no early data"),
        limit("server_key_share", "any", "Bertie makes a server's key share in the handshake"),
        limit("authentication", "mutual", "Bertie's server asks for no certificate"),
        limit("version", "1.2", "Bertie speaks TLS 1.3 alone"),
        limit("work", "primitive", NO_PRIMITIVES),
    ];
    let no_keys = KeyType::ALL.into_iter().filter(|key| !KEYS.contains(key));
    limits.extend(no_keys.map(|key| limit("signature", key.name(), &no_such_key(key))));
    limits.extend(["1", "2", "4", "16"].map(|tickets| limit("tickets", tickets, NO_TICKETS)));
    for suite in SUITES.into_iter().filter(|suite| !runs_here(*suite)) {
        limits.push(limit("suite", &suite.short_name(), &no_such_cipher(suite)));
    }
    limits
}

const LEAF_ALONE: &str = "Bertie's server sends its own certificate alone";
const NO_PRIMITIVES: &str = "this driver calls Bertie alone, and not libcrux by itself";

const NO_POST_QUANTUM: &str = "this version of Bertie has no post-quantum key exchange";

fn notes() -> Vec<String> {
    vec![
        "The client verifies no chain and no name, and the server sends the leaf alone.".to_owned(),
        "AES-GCM: libcrux asks the CPU for its features anew for every record; in a virtual machine these CPUID \
         instructions are trapped and outweigh the cipher."
            .to_owned(),
    ]
}

fn details() -> Vec<String> {
    let integers = if cfg!(feature = "secret-integers") { "with" } else { "without" };
    vec![
        format!("It is built {integers} secret_integers, the library's default feature."),
        "The handshake's signature is checked with whatever key the certificate holds.".to_owned(),
        "The clock includes turning wire bytes and plaintext into the library's Bytes and back, once each way for \
         every record: its public API takes and gives nothing else."
            .to_owned(),
        "The clock of the server's handshake includes one copy of the certificate and the key, since every accept \
         takes a database of its own."
            .to_owned(),
        "The library makes one record of one write and reads one record at a time; the driver cuts plaintext into \
         fragments of 16,384 bytes and input into records."
            .to_owned(),
        "A dozen CPUID instructions per AES-GCM record cost about 40 µs in a virtual machine where it was tried; \
         instruction counts do not show it."
            .to_owned(),
        "libcrux does not free the state of an AES-GCM record (about 0.5 KiB) nor the public key of an RSA \
         check (about 0.6 KiB for 2,048 bits, 1.2 KiB for 4,096), so the process grows while it measures."
            .to_owned(),
        "libcrux chooses its vector code from the CPU that it is built on, and again from the one that it runs on."
            .to_owned(),
        "On some bad input the library panics and on every error it prints a backtrace to standard output; the driver \
         reports such a panic as the side's refusal."
            .to_owned(),
        "Random numbers come from rand's thread_rng (ChaCha12, seeded by the system), as in the library's own \
         programs."
            .to_owned(),
    ]
}
