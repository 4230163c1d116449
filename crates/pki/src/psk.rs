//! The key of both sides in scenarios with an external pre-shared key.
//!
//! It needs no authority and protects nothing, so it is made from a counter: the same in every run, and
//! included in the request, which anyone can repeat by hand.

use tlslab_protocol::{CipherSuite, PskCredentials};

/// The key for a cipher suite: as long as the suite's hash.
pub fn psk(suite: CipherSuite) -> PskCredentials {
    let key = key(suite, 0x40);
    PskCredentials { identity: PskCredentials::IDENTITY.to_owned(), client_key: key.clone(), server_key: key }
}

/// As [`psk`], but the client's key differs from the server's.
pub fn psk_with_other_key(suite: CipherSuite) -> PskCredentials {
    PskCredentials { client_key: key(suite, 0xa0), ..psk(suite) }
}

fn key(suite: CipherSuite, first: u8) -> Vec<u8> {
    (first..).take(suite.hash_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_as_long_as_its_suites_hash() {
        let of = |suite| psk(suite).client_key;
        assert_eq!(of(CipherSuite::AES_128_GCM).len(), 32);
        assert_eq!(of(CipherSuite::CHACHA20_POLY1305), of(CipherSuite::AES_128_GCM));
        assert_eq!(of(CipherSuite::AES_256_GCM).len(), 48);
        let wrong = psk_with_other_key(CipherSuite::AES_128_GCM);
        assert_ne!(wrong.client_key, wrong.server_key);
        assert_eq!(wrong.server_key, psk(CipherSuite::AES_128_GCM).server_key);
    }
}
