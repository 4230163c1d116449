//! Calls of rustls's development branch in August 2026: a trait for connections of either side, which have no buffers of their own. The
//! trait had a parameter for some days, so nothing is generic over it.

use std::io::Read;
use std::sync::Arc;

use rustls::crypto::Identity;
use rustls::{ClientConfig, ClientConnection, Error, ServerConfig, ServerConnection, SliceInput};
use tlslab_driver_kit::Buffer;

use super::early;
use crate::api::ServerName;

pub type Client = ClientConnection;
pub type Server = ServerConnection;

/// A client, and its first flight.
pub fn connect(config: &Arc<ClientConfig>, name: &ServerName, wire: &mut Vec<u8>) -> Result<Client, Error> {
    config.connect(name.clone()).build(wire)
}

/// A server.
pub fn accept(config: &Arc<ServerConfig>) -> Result<Server, Error> {
    ServerConnection::new(config.clone())
}

/// A connection of either side.
pub trait Side {
    /// Sends data.
    fn write(&mut self, plaintext: &[u8], wire: &mut Vec<u8>) -> Result<(), Error>;

    /// Returns how many bytes were used up.
    fn read(
        &mut self,
        wire: &mut [u8],
        answer: &mut Vec<u8>,
        take: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<usize, Error>;
}

macro_rules! sides {
    ($($side:ty),*) => {
        $(impl Side for $side {
            #[inline]
            fn write(&mut self, plaintext: &[u8], wire: &mut Vec<u8>) -> Result<(), Error> {
                rustls::Connection::write_tls(self, plaintext.into(), wire)
            }

            #[inline]
            fn read(
                &mut self,
                wire: &mut [u8],
                answer: &mut Vec<u8>,
                mut take: impl FnMut(&[u8]) -> Result<(), Error>,
            ) -> Result<usize, Error> {
                let mut input = SliceInput::new(wire);
                let mut messages = rustls::Connection::process_new_packets(self, &mut input, answer);
                while let Some(payload) = messages.next_payload() {
                    take(payload?.bytes())?;
                }
                drop(messages);
                Ok(input.into_used())
            }
        })*
    };
}

sides!(Client, Server);

/// Sends data.
#[inline]
pub fn write(connection: &mut impl Side, plaintext: &[u8], wire: &mut Vec<u8>) -> Result<(), Error> {
    connection.write(plaintext, wire)
}

/// Sends early data, and returns how much the server takes; nothing if it takes none.
pub fn write_early(
    client: &mut Client,
    plaintext: &[u8],
    wire: &mut Vec<u8>,
) -> Option<Result<usize, Error>> {
    Some(Ok(client.early_data()?.write_tls(plaintext.into(), wire)))
}

/// Whether the server took the early data.
pub fn is_early_data_accepted(client: &Client) -> bool {
    client.is_early_data_accepted()
}

/// A peer's certificates.
pub fn identity<'i>(verified: &'i Verified) -> &'i Identity<'static> {
    verified
}

#[cfg(not(has_verified_identity))]
type Verified = Identity<'static>;
#[cfg(has_verified_identity)]
type Verified = rustls::crypto::VerifiedIdentity<'static>;

/// Returns how many bytes were used up.
#[inline]
pub fn read(
    connection: &mut impl Side,
    wire: &mut [u8],
    answer: &mut Vec<u8>,
    take: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<usize, Error> {
    connection.read(wire, answer, take)
}

/// Why connections cannot be closed.
pub const NO_CLOSE: Option<&str> = Some("this driver does not close connections of this development version");

/// Not called.
pub fn send_close(_: &mut impl Side, _: &mut Vec<u8>) -> Result<(), Error> {
    Err(no_close())
}

/// Not called.
pub fn read_close(_: &mut impl Side, _: &mut [u8], _: &mut Vec<u8>) -> Result<bool, Error> {
    Err(no_close())
}

fn no_close() -> Error {
    Error::General(NO_CLOSE.unwrap_or_default().to_owned())
}

/// The same for a flight in which early data is expected.
pub fn read_early(
    server: &mut Server,
    wire: &mut [u8],
    answer: &mut Vec<u8>,
    plaintext: &mut Buffer,
) -> Result<usize, Error> {
    let used = read(server, wire, answer, |_| Err(early()))?;
    let Some(mut received) = server.early_data() else { return Ok(used) };
    loop {
        match received.read(plaintext.room()) {
            Ok(0) => return Ok(used),
            Ok(read) => plaintext.advance(read),
            Err(cause) => return Err(Error::General(cause.to_string())),
        }
    }
}
