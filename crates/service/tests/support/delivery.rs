//! Data for a forge's delivery to a service.

use std::net::TcpListener;
use std::time::Duration;

use sha2::{Digest, Sha256};
use ureq::Agent;

/// The secret of all webhooks.
pub(crate) const SECRET: &str = "hook-secret";

/// A port that nobody listens at.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// HMAC-SHA256 in hexadecimal digits.
pub(crate) fn sign(secret: &str, body: &[u8]) -> String {
    let mut key = [0_u8; 64];
    key[..secret.len()].copy_from_slice(secret.as_bytes());
    let hash = |pad: u8, text: &[u8]| {
        let padded: Vec<u8> = key.iter().map(|byte| byte ^ pad).chain(text.iter().copied()).collect();
        Sha256::digest(&padded)
    };
    hex::encode(hash(0x5c, &hash(0x36, body)))
}

/// What asks over HTTP; every status is an answer.
pub(crate) fn agent(within: Duration) -> Agent {
    Agent::config_builder().timeout_global(Some(within)).http_status_as_error(false).build().into()
}
