//! This stack's identity and capabilities. Neither library reports its version at run time: the lock file of this very
//! build does.

use libcrux::aead;
use tlslab_driver_kit::protocol::{
    Capabilities, CipherSuite, Group, KeyType, Library, ProtocolVersion, Resumption, Verification,
};
use tlslab_driver_kit::{Ability, Identity, Unready, capabilities, locked_version};

use crate::context;

const THIRTEEN_ALONE: &str = "Bertie speaks TLS 1.3 alone";
const NO_TICKETS: &str = "Bertie's server sends no session tickets";

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
            threads: true,
            notes: notes(),
            details: details(),
            ..capabilities(lack)
        },
    }
}

/// Refuses a scenario that wants what Bertie cannot do.
pub fn check(wanted: Ability) -> Result<(), Unready> {
    lack(wanted).map_or(Ok(()), |reason| Err(Unready::Unsupported(reason)))
}

/// Why Bertie cannot do something, if that is so.
fn lack(asked: Ability) -> Option<String> {
    let reason = match asked {
        Ability::Version(ProtocolVersion::TLS13) | Ability::Verification(Verification::None) => return None,
        Ability::Version(_) => THIRTEEN_ALONE,
        Ability::Suite(suite) if context::suite(suite).is_none() => THIRTEEN_ALONE,
        Ability::Suite(suite) => return (!runs_here(suite)).then(|| no_such_cipher(suite)),
        Ability::Group(group) if context::group(group).is_some() => return None,
        Ability::Group(Group::SECP384R1) => "Bertie has no P-384",
        Ability::Group(group) if group.is_finite_field() => "Bertie has no finite fields",
        Ability::Group(_) => "this version of Bertie has no post-quantum key exchange",
        Ability::Signature(key) => return context::signature(key).is_none().then(|| no_such_key(key)),
        Ability::Verification(Verification::Chain) => "Bertie checks no certificate chain",
        Ability::Verification(_) => "Bertie checks no certificate chain and no name",
        Ability::Resumption(kind) => match kind.parts() {
            (ProtocolVersion::TLS12, _) => THIRTEEN_ALONE,
            // Bertie has such keys, bound as those of tickets are.
            (_, Resumption::ExternalPsk) => {
                "Bertie's client refuses what its own server answers to a pre-shared key (error 133, a message that \
                 cannot be parsed)"
            }
            (_, Resumption::ExternalPskOnly) => "Bertie uses a pre-shared key with a key exchange alone",
            _ => NO_TICKETS,
        },
        Ability::MutualAuthentication => "Bertie's server asks for no certificate",
        Ability::WholeChain => "Bertie's server sends its own certificate alone",
        Ability::Tickets(_) => NO_TICKETS,
        Ability::HelloRetry => "Bertie knows no HelloRetryRequest",
        Ability::EarlyData => "Bertie gives its user no early data",
        Ability::PregeneratedKeyShares => "Bertie makes a server's key share in the handshake",
        Ability::Close => "Bertie gives its user no closing alert",
        Ability::Primitives | Ability::Primitive(..) => {
            "this driver calls Bertie alone, and not libcrux directly"
        }
    };
    Some(reason.to_owned())
}

/// Whether libcrux has the suite's cipher in this build and on this CPU. It is asked to seal something, since it
/// chooses its code when it is built, from the CPU that builds it, and again when it runs.
fn runs_here(suite: CipherSuite) -> bool {
    let key = match suite {
        CipherSuite::AES_128_GCM => aead::Key::Aes128(aead::Aes128Key::default()),
        CipherSuite::AES_256_GCM => aead::Key::Aes256(aead::Aes256Key::default()),
        CipherSuite::CHACHA20_POLY1305 => aead::Key::Chacha20Poly1305(aead::Chacha20Key::default()),
        _ => return false,
    };
    aead::encrypt_detached(&key, [0; 16], aead::Iv::default(), []).is_ok()
}

/// Why a suite is missing from a build or a machine.
fn no_such_cipher(suite: CipherSuite) -> String {
    format!("libcrux has no {suite} in this build on this CPU")
}

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

fn notes() -> Vec<String> {
    vec![
        "The client verifies no chain and no name, and the server sends the leaf alone.".to_owned(),
        "AES-GCM: libcrux queries the CPU's features for every record; in a virtual machine these CPUID \
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
