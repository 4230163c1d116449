//! TLS 1.2's ServerKeyExchange and ClientKeyExchange: the shares of the key exchange, the server's signed, or what both
//! sides say of a pre-shared key.

use std::fmt;

use tlslab_protocol::{CipherSuite, Group, SignatureScheme};

use super::cursor::Cursor;
use super::{Message, WireError};

/// A signed share: on a named curve (RFC 8422, section 5.4) or in a finite field (RFC 5246, section 7.4.3). With a
/// pre-shared key there is no signature, and a hint comes before the share, if there is one (RFC 4279; RFC 5489, section
/// 2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerKeyExchange {
    /// Where the share lies; `None` where the pre-shared key is all there is.
    pub group: Option<ExchangeGroup>,
    /// How it is signed; `None` with a pre-shared key.
    pub scheme: Option<SignatureScheme>,
}

/// The client's answer. Of a share nothing is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientKeyExchange {
    /// Which pre-shared key it takes; `None` without one.
    pub psk_identity: Option<Vec<u8>>,
}

/// Where a share lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExchangeGroup {
    /// A named curve, or the finite field of a name.
    Named(Group),
    /// A finite field that has no name here.
    OtherField {
        /// The prime's length.
        bits: usize,
    },
}

impl ExchangeGroup {
    /// The group, where it has a name.
    pub fn named(&self) -> Option<Group> {
        match self {
            ExchangeGroup::Named(group) => Some(*group),
            ExchangeGroup::OtherField { .. } => None,
        }
    }
}

impl fmt::Display for ExchangeGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExchangeGroup::Named(group) => group.fmt(f),
            ExchangeGroup::OtherField { bits } => write!(f, "another finite field of {bits} bits"),
        }
    }
}

impl ServerKeyExchange {
    /// Reads the message, whose shape the suite decides.
    pub fn parse(message: &Message<'_>, suite: CipherSuite) -> Result<Self, WireError> {
        let mut body = Cursor::new("ServerKeyExchange", message.body);
        if suite.is_by_psk() {
            body.vector16("the hint at a pre-shared key")?;
        }
        let group = match suite.exchanges_no_key() {
            true => None,
            false => Some(share(&mut body, suite)?),
        };
        let mut scheme = None;
        if !suite.is_by_psk() {
            scheme = Some(SignatureScheme(body.u16("the signature scheme")?));
            body.vector16("the signature")?;
        }
        body.finish("the last field")?;
        Ok(Self { group, scheme })
    }
}

impl ClientKeyExchange {
    /// Reads the message, whose shape the suite decides. Without a pre-shared key it shows no choice, and is passed over.
    pub fn parse(message: &Message<'_>, suite: CipherSuite) -> Result<Self, WireError> {
        if !suite.is_by_psk() {
            return Ok(Self { psk_identity: None });
        }
        let mut body = Cursor::new("ClientKeyExchange", message.body);
        let identity = body.vector16("the pre-shared key's identity")?.rest().to_vec();
        if suite.is_finite_field() {
            body.vector16("the share")?;
        } else if !suite.exchanges_no_key() {
            body.vector8("the share")?;
        }
        body.finish("the last field")?;
        Ok(Self { psk_identity: Some(identity) })
    }
}

/// Where the server's share lies, and the share itself, which is passed over.
fn share(body: &mut Cursor<'_>, suite: CipherSuite) -> Result<ExchangeGroup, WireError> {
    if suite.is_finite_field() {
        let prime = body.vector16("the prime")?.rest();
        let generator = body.vector16("the generator")?.rest();
        body.vector16("the share")?;
        return Ok(finite_field(prime, generator));
    }
    let curve_type = body.u8("the kind of curve")?;
    if curve_type != NAMED_CURVE {
        return Err(body.malformed(format!("the kind of curve is {curve_type}, not a named curve")));
    }
    let group = Group(body.u16("the curve")?);
    body.vector8("the share")?;
    Ok(ExchangeGroup::Named(group))
}

/// The group of a prime and a generator, both big-endian.
fn finite_field(prime: &[u8], generator: &[u8]) -> ExchangeGroup {
    if without_zeros(prime) == FFDHE2048_PRIME && without_zeros(generator) == [2] {
        return ExchangeGroup::Named(Group::FFDHE2048);
    }
    let prime = without_zeros(prime);
    let unused = prime.first().map_or(0, |byte| byte.leading_zeros() as usize);
    ExchangeGroup::OtherField { bits: prime.len() * 8 - unused }
}

fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}

const NAMED_CURVE: u8 = 3;

/// The prime of ffdhe2048 (RFC 7919, appendix A.1).
const FFDHE2048_PRIME: [u8; 256] = [
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xad, 0xf8, 0x54, 0x58, 0xa2, 0xbb, 0x4a, 0x9a, 0xaf,
    0xdc, 0x56, 0x20, 0x27, 0x3d, 0x3c, 0xf1, 0xd8, 0xb9, 0xc5, 0x83, 0xce, 0x2d, 0x36, 0x95, 0xa9, 0xe1,
    0x36, 0x41, 0x14, 0x64, 0x33, 0xfb, 0xcc, 0x93, 0x9d, 0xce, 0x24, 0x9b, 0x3e, 0xf9, 0x7d, 0x2f, 0xe3,
    0x63, 0x63, 0x0c, 0x75, 0xd8, 0xf6, 0x81, 0xb2, 0x02, 0xae, 0xc4, 0x61, 0x7a, 0xd3, 0xdf, 0x1e, 0xd5,
    0xd5, 0xfd, 0x65, 0x61, 0x24, 0x33, 0xf5, 0x1f, 0x5f, 0x06, 0x6e, 0xd0, 0x85, 0x63, 0x65, 0x55, 0x3d,
    0xed, 0x1a, 0xf3, 0xb5, 0x57, 0x13, 0x5e, 0x7f, 0x57, 0xc9, 0x35, 0x98, 0x4f, 0x0c, 0x70, 0xe0, 0xe6,
    0x8b, 0x77, 0xe2, 0xa6, 0x89, 0xda, 0xf3, 0xef, 0xe8, 0x72, 0x1d, 0xf1, 0x58, 0xa1, 0x36, 0xad, 0xe7,
    0x35, 0x30, 0xac, 0xca, 0x4f, 0x48, 0x3a, 0x79, 0x7a, 0xbc, 0x0a, 0xb1, 0x82, 0xb3, 0x24, 0xfb, 0x61,
    0xd1, 0x08, 0xa9, 0x4b, 0xb2, 0xc8, 0xe3, 0xfb, 0xb9, 0x6a, 0xda, 0xb7, 0x60, 0xd7, 0xf4, 0x68, 0x1d,
    0x4f, 0x42, 0xa3, 0xde, 0x39, 0x4d, 0xf4, 0xae, 0x56, 0xed, 0xe7, 0x63, 0x72, 0xbb, 0x19, 0x0b, 0x07,
    0xa7, 0xc8, 0xee, 0x0a, 0x6d, 0x70, 0x9e, 0x02, 0xfc, 0xe1, 0xcd, 0xf7, 0xe2, 0xec, 0xc0, 0x34, 0x04,
    0xcd, 0x28, 0x34, 0x2f, 0x61, 0x91, 0x72, 0xfe, 0x9c, 0xe9, 0x85, 0x83, 0xff, 0x8e, 0x4f, 0x12, 0x32,
    0xee, 0xf2, 0x81, 0x83, 0xc3, 0xfe, 0x3b, 0x1b, 0x4c, 0x6f, 0xad, 0x73, 0x3b, 0xb5, 0xfc, 0xbc, 0x2e,
    0xc2, 0x20, 0x05, 0xc5, 0x8e, 0xf1, 0x83, 0x7d, 0x16, 0x83, 0xb2, 0xc6, 0xf3, 0x4a, 0x26, 0xc1, 0xb2,
    0xef, 0xfa, 0x88, 0x6b, 0x42, 0x38, 0x61, 0x28, 0x5c, 0x97, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &[u8], suite: CipherSuite) -> Result<ServerKeyExchange, WireError> {
        ServerKeyExchange::parse(&Message { message_type: 12, body }, suite)
    }

    /// A share in a finite field, signed with RSA.
    fn signed(prime: &[u8], generator: u8) -> ExchangeGroup {
        let length = (prime.len() as u16).to_be_bytes();
        let end: &[u8] = &[0, 1, generator, 0, 1, 9, 0x04, 0x01, 0, 1, 0xcc];
        let body: Vec<u8> = [&length[..], prime, end].concat();
        assert!(parse(&body[..body.len() - 1], CipherSuite::DHE_RSA_AES_128_GCM).is_err());
        let seen = parse(&body, CipherSuite::DHE_RSA_AES_128_GCM).unwrap();
        assert_eq!(seen.scheme, Some(SignatureScheme::RSA_PKCS1_SHA256));
        seen.group.unwrap()
    }

    #[test]
    fn a_share_on_a_curve_names_its_curve_and_its_scheme() {
        let body = [3, 0x00, 0x1d, 2, 0xaa, 0xbb, 0x04, 0x03, 0, 1, 0xcc];
        let suite = CipherSuite::ECDHE_ECDSA_AES_128_GCM;
        let seen = parse(&body, suite).unwrap();
        assert_eq!(seen.group, Some(ExchangeGroup::Named(Group::X25519)));
        assert_eq!(seen.scheme, Some(SignatureScheme::ECDSA_SECP256R1_SHA256));
        assert!(parse(&body[..9], suite).is_err());
        assert!(parse(&[1, 0, 0], suite).is_err());
    }

    #[test]
    fn a_finite_field_is_known_by_its_prime_and_its_generator() {
        assert_eq!(signed(&FFDHE2048_PRIME, 2).named(), Some(Group::FFDHE2048));
        assert_eq!(signed(&[&[0], &FFDHE2048_PRIME[..]].concat(), 2).named(), Some(Group::FFDHE2048));
        assert_eq!(signed(&FFDHE2048_PRIME, 5).named(), None);
        let mut other = FFDHE2048_PRIME;
        other[100] ^= 1;
        assert_eq!(signed(&other, 2).to_string(), "another finite field of 2048 bits");
        assert_eq!(signed(&[0, 0x7f, 1], 2), ExchangeGroup::OtherField { bits: 15 });
        assert_eq!(signed(&[], 2), ExchangeGroup::OtherField { bits: 0 });
    }

    /// RFC 4279, sections 2 and 3, and RFC 5489, section 2: a hint of two bytes' length, then the share, unsigned.
    #[test]
    fn with_a_pre_shared_key_a_hint_comes_first_and_nothing_is_signed() {
        let hint = [0, 3, b'a', b'b', b'c'];
        let alone = parse(&hint, CipherSuite::PSK_CHACHA20_POLY1305).unwrap();
        assert_eq!(alone, ServerKeyExchange { group: None, scheme: None });
        let on_curve = [&hint[..], &[3, 0x00, 0x17, 2, 0xaa, 0xbb]].concat();
        let seen = parse(&on_curve, CipherSuite::ECDHE_PSK_CHACHA20_POLY1305).unwrap();
        let group = Some(ExchangeGroup::Named(Group::SECP256R1));
        assert_eq!(seen, ServerKeyExchange { group, scheme: None });
        // No hint is a hint of no bytes, and a signature is too much.
        let bare = [0, 0, 3, 0x00, 0x1d, 1, 0xaa];
        let suite = CipherSuite::ECDHE_PSK_AES_128_GCM;
        assert_eq!(parse(&bare, suite).unwrap().group, Some(ExchangeGroup::Named(Group::X25519)));
        assert!(parse(&[&bare[..], &[4, 3, 0, 1, 0xcc]].concat(), suite).is_err());
        assert!(parse(&bare[2..], suite).is_err());
        let length = (FFDHE2048_PRIME.len() as u16).to_be_bytes();
        let in_field = [&[0, 0], &length[..], &FFDHE2048_PRIME, &[0, 1, 2, 0, 1, 9]].concat();
        let seen = parse(&in_field, CipherSuite::DHE_PSK_CHACHA20_POLY1305).unwrap();
        assert_eq!(seen.group, Some(ExchangeGroup::Named(Group::FFDHE2048)));
        assert!(parse(&in_field[2..], CipherSuite::DHE_PSK_CHACHA20_POLY1305).is_err());
    }

    #[test]
    fn a_client_names_its_pre_shared_key_before_its_share() {
        let named = |body: &[u8], suite| {
            ClientKeyExchange::parse(&Message { message_type: 16, body }, suite).map(|seen| seen.psk_identity)
        };
        let identity = Some(b"lab".to_vec());
        let alone = [0, 3, b'l', b'a', b'b'];
        assert_eq!(named(&alone, CipherSuite::PSK_AES_128_GCM).unwrap(), identity);
        assert!(named(&alone[..4], CipherSuite::PSK_AES_128_GCM).is_err());
        assert!(named(&alone, CipherSuite::ECDHE_PSK_AES_128_GCM).is_err());
        let on_curve = [&alone[..], &[1, 0xaa]].concat();
        assert_eq!(named(&on_curve, CipherSuite::ECDHE_PSK_AES_128_GCM).unwrap(), identity);
        assert!(named(&on_curve, CipherSuite::PSK_AES_128_GCM).is_err());
        let in_field = [&alone[..], &[0, 1, 0xaa]].concat();
        assert_eq!(named(&in_field, CipherSuite::DHE_PSK_AES_128_GCM).unwrap(), identity);
        assert_eq!(named(&[1, 0xaa], CipherSuite::ECDHE_RSA_AES_128_GCM).unwrap(), None);
    }

    /// The prime is 2^2048 - 2^1984 + (floor(2^1918 * e) + 560316) * 2^64 - 1: ones at both ends, e between them.
    #[test]
    fn the_prime_has_the_shape_that_its_rfc_gives() {
        assert!(FFDHE2048_PRIME[..8].iter().chain(&FFDHE2048_PRIME[248..]).all(|byte| *byte == 0xff));
        // Of floor(2^1918 * e) the leading 64 bits, as e = 2.B7E151628AED2A6A… in hex.
        let leading = u64::from_be_bytes(FFDHE2048_PRIME[8..16].try_into().unwrap());
        assert_eq!(leading, (0x2_b7e1_5162_8aed_2a6a_u128 >> 2) as u64);
    }
}
