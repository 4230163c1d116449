//! TLS records and cleartext handshake messages, parsed from bytes.
//!
//! No length is trusted: each is compared with the available bytes before it is used, and no allocation is
//! larger than a small multiple of the input.

mod alert;
mod clear;
mod client_hello;
mod cursor;
mod error;
mod extension_name;
mod hello_parts;
mod key_exchange;
mod limits;
mod message;
mod point_name;
mod record;
mod server_hello;

pub use alert::{Alert, AlertDescription, SentAlert, alerts};
pub use clear::ClearHandshake;
pub use client_hello::ClientHello;
pub use error::WireError;
pub use extension_name::extension_name;
pub use hello_parts::hello_parts;
pub use key_exchange::{ClientKeyExchange, ExchangeGroup, ServerKeyExchange};
pub use limits::{MAX_CIPHERTEXT_BYTES, MAX_PLAINTEXT_BYTES};
pub use message::{Message, handshake_bytes, messages};
pub use point_name::{group_name, scheme_name, suite_name, version_name};
pub use record::{ContentType, Record, records};
pub use server_hello::ServerHello;

/// Whether a code point is one that RFC 8701 reserves (GREASE), so that peers learn to ignore unknown values.
pub fn is_grease(code_point: u16) -> bool {
    code_point & 0x0f0f == 0x0a0a && code_point >> 8 == code_point & 0xff
}
