//! Names of code points that peers offer, as IANA's registry of TLS parameters has them. The protocol names
//! only those that a scenario can pin; a client with its defaults offers more.

use tlslab_protocol::{CipherSuite, Group, ProtocolVersion, SignatureScheme};

/// A version's name; the code point as `0x1234` if it has none.
pub fn version_name(version: ProtocolVersion) -> String {
    named(version.0, VERSIONS, version)
}

/// A group's name; the code point as `0x1234` if it has none.
pub fn group_name(group: Group) -> String {
    named(group.0, GROUPS, group)
}

/// A signature scheme's name, or that of TLS 1.2's pair of hash and algorithm; the code point as `0x1234` if
/// it has none.
pub fn scheme_name(scheme: SignatureScheme) -> String {
    named(scheme.0, SCHEMES, scheme)
}

/// A cipher suite's name; the code point as `0x1234` if it has none.
pub fn suite_name(suite: CipherSuite) -> String {
    named(suite.0, SUITES, suite)
}

fn named(point: u16, names: &[(u16, &str)], known: impl ToString) -> String {
    let found = names.iter().find(|(value, _)| *value == point);
    found.map_or_else(|| known.to_string(), |(_, name)| (*name).to_owned())
}

const VERSIONS: &[(u16, &str)] = &[(0x0300, "SSLv3"), (0x0301, "TLSv1.0"), (0x0302, "TLSv1.1")];

const GROUPS: &[(u16, &str)] = &[
    (0x0013, "secp192r1"),
    (0x0015, "secp224r1"),
    (0x0016, "secp256k1"),
    (0x0019, "secp521r1"),
    (0x001a, "brainpoolP256r1"),
    (0x001b, "brainpoolP384r1"),
    (0x001c, "brainpoolP512r1"),
    (0x001e, "x448"),
    (0x001f, "brainpoolP256r1tls13"),
    (0x0020, "brainpoolP384r1tls13"),
    (0x0021, "brainpoolP512r1tls13"),
    (0x0029, "curveSM2"),
    (0x0101, "ffdhe3072"),
    (0x0102, "ffdhe4096"),
    (0x0103, "ffdhe6144"),
    (0x0104, "ffdhe8192"),
    (0x0200, "MLKEM512"),
    (0x0201, "MLKEM768"),
    (0x0202, "MLKEM1024"),
    (0x11ed, "SecP384r1MLKEM1024"),
    (0x11ee, "curveSM2MLKEM768"),
    (0x6399, "X25519Kyber768Draft00"),
];

/// Those below 0x0700 are TLS 1.2's pairs of hash and algorithm.
const SCHEMES: &[(u16, &str)] = &[
    (0x0201, "rsa_pkcs1_sha1"),
    (0x0202, "dsa_sha1"),
    (0x0203, "ecdsa_sha1"),
    (0x0301, "rsa_pkcs1_sha224"),
    (0x0302, "dsa_sha224"),
    (0x0303, "ecdsa_sha224"),
    (0x0402, "dsa_sha256"),
    (0x0501, "rsa_pkcs1_sha384"),
    (0x0502, "dsa_sha384"),
    (0x0601, "rsa_pkcs1_sha512"),
    (0x0602, "dsa_sha512"),
    (0x0603, "ecdsa_secp521r1_sha512"),
    (0x0708, "sm2sig_sm3"),
    (0x0805, "rsa_pss_rsae_sha384"),
    (0x0806, "rsa_pss_rsae_sha512"),
    (0x0808, "ed448"),
    (0x0809, "rsa_pss_pss_sha256"),
    (0x080a, "rsa_pss_pss_sha384"),
    (0x080b, "rsa_pss_pss_sha512"),
    (0x081a, "ecdsa_brainpoolP256r1tls13_sha256"),
    (0x081b, "ecdsa_brainpoolP384r1tls13_sha384"),
    (0x081c, "ecdsa_brainpoolP512r1tls13_sha512"),
];

const SUITES: &[(u16, &str)] = &[
    (0x000a, "TLS_RSA_WITH_3DES_EDE_CBC_SHA"),
    (0x002f, "TLS_RSA_WITH_AES_128_CBC_SHA"),
    (0x0033, "TLS_DHE_RSA_WITH_AES_128_CBC_SHA"),
    (0x0035, "TLS_RSA_WITH_AES_256_CBC_SHA"),
    (0x0039, "TLS_DHE_RSA_WITH_AES_256_CBC_SHA"),
    (0x003c, "TLS_RSA_WITH_AES_128_CBC_SHA256"),
    (0x003d, "TLS_RSA_WITH_AES_256_CBC_SHA256"),
    (0x0067, "TLS_DHE_RSA_WITH_AES_128_CBC_SHA256"),
    (0x006b, "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256"),
    (0x009c, "TLS_RSA_WITH_AES_128_GCM_SHA256"),
    (0x009d, "TLS_RSA_WITH_AES_256_GCM_SHA384"),
    (0x1304, "TLS_AES_128_CCM_SHA256"),
    (0x1305, "TLS_AES_128_CCM_8_SHA256"),
    (0xc009, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"),
    (0xc00a, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"),
    (0xc013, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"),
    (0xc014, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"),
    (0xc023, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"),
    (0xc024, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384"),
    (0xc027, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256"),
    (0xc028, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384"),
    (0xc09c, "TLS_RSA_WITH_AES_128_CCM"),
    (0xc09d, "TLS_RSA_WITH_AES_256_CCM"),
    (0xc0ac, "TLS_ECDHE_ECDSA_WITH_AES_128_CCM"),
    (0xc0ad, "TLS_ECDHE_ECDSA_WITH_AES_256_CCM"),
    (0xc0ae, "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8"),
    (0xc0af, "TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_order_and_are_not_those_of_the_protocol() {
        let tables = [VERSIONS, GROUPS, SCHEMES, SUITES];
        assert!(tables.iter().all(|names| names.windows(2).all(|pair| pair[0].0 < pair[1].0)));
        for (point, _) in VERSIONS {
            assert!(!ProtocolVersion::KNOWN.contains(&ProtocolVersion(*point)));
        }
        for (point, name) in GROUPS {
            assert!(!Group::KNOWN.contains(&Group(*point)), "{name}");
        }
        for (point, name) in SCHEMES {
            assert!(!SignatureScheme::KNOWN.contains(&SignatureScheme(*point)), "{name}");
        }
        for (point, name) in SUITES {
            assert!(!CipherSuite::KNOWN.contains(&CipherSuite(*point)), "{name}");
        }
    }

    #[test]
    fn what_has_no_name_is_its_code_point() {
        assert_eq!(group_name(Group(0x11ec)), "X25519MLKEM768");
        assert_eq!(group_name(Group(0x0019)), "secp521r1");
        assert_eq!(group_name(Group(0xfe31)), "0xfe31");
        assert_eq!(scheme_name(SignatureScheme(0x0603)), "ecdsa_secp521r1_sha512");
        assert_eq!(suite_name(CipherSuite(0xc02b)), "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
        assert_eq!(version_name(ProtocolVersion(0x0302)), "TLSv1.1");
    }
}
