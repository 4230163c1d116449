//! TLS 1.2's ServerKeyExchange and ClientKeyExchange: the shares of the key exchange, the server's with a
//! signature, or the hint and the identity of a pre-shared key.

use std::fmt;

use tlslab_protocol::{CipherSuite, Group, SignatureScheme};

use crate::field::FFDHE2048_PRIME;

use super::cursor::Cursor;
use super::{Message, WireError};

/// A signed share: on a named curve (RFC 8422, section 5.4) or in a finite field (RFC 5246, section 7.4.3).
/// With a pre-shared key it is not signed, and a hint may precede it (RFC 4279; RFC 5489, section 2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerKeyExchange {
    /// The group of the share; `None` if there is only the pre-shared key.
    pub group: Option<ExchangeGroup>,
    /// The signature scheme; `None` with a pre-shared key.
    pub scheme: Option<SignatureScheme>,
}

/// The client's answer. Its share is not stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientKeyExchange {
    /// The identity of the pre-shared key; `None` without one.
    pub psk_identity: Option<Vec<u8>>,
}

/// The group of a share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExchangeGroup {
    /// A named curve, or a named finite field.
    Named(Group),
    /// A finite field without a name here.
    OtherField {
        /// The prime's length, bits.
        bits: usize,
    },
}

impl ExchangeGroup {
    /// The group, if it has a name.
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
    /// Parses the message, whose structure depends on the suite.
    ///
    /// # Errors
    /// Fails if the message is malformed.
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
    /// Parses the message, whose structure depends on the suite. Without a pre-shared key it contains no
    /// choice, and is skipped.
    ///
    /// # Errors
    /// Fails if the message is malformed.
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

/// The group of the server's share; skips the share.
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

/// The group with this prime and generator, both big-endian.
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

    /// RFC 4279, sections 2 and 3, and RFC 5489, section 2: a hint with a length of two bytes, then the
    /// unsigned share.
    #[test]
    fn with_a_pre_shared_key_a_hint_comes_first_and_nothing_is_signed() {
        let hint = [0, 3, b'a', b'b', b'c'];
        let alone = parse(&hint, CipherSuite::PSK_CHACHA20_POLY1305).unwrap();
        assert_eq!(alone, ServerKeyExchange { group: None, scheme: None });
        let on_curve = [&hint[..], &[3, 0x00, 0x17, 2, 0xaa, 0xbb]].concat();
        let seen = parse(&on_curve, CipherSuite::ECDHE_PSK_CHACHA20_POLY1305).unwrap();
        let group = Some(ExchangeGroup::Named(Group::SECP256R1));
        assert_eq!(seen, ServerKeyExchange { group, scheme: None });
        // An empty hint means no hint, and a signature is too much.
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

    /// The prime is 2^2048 - 2^1984 + (floor(2^1918 * e) + 560316) * 2^64 - 1: ones at both ends, e between
    /// them.
    #[test]
    fn the_prime_has_the_shape_that_its_rfc_gives() {
        assert!(FFDHE2048_PRIME[..8].iter().chain(&FFDHE2048_PRIME[248..]).all(|byte| *byte == 0xff));
        // Of floor(2^1918 * e) the leading 64 bits, as e = 2.B7E151628AED2A6A… in hex.
        let leading = u64::from_be_bytes(FFDHE2048_PRIME[8..16].try_into().unwrap());
        assert_eq!(leading, (0x2_b7e1_5162_8aed_2a6a_u128 >> 2) as u64);
    }
}
