//! Calls of rustls 0.24: one type of connection by side and transport.

use std::sync::Arc;

use rustls::crypto::{Identity, VerifiedIdentity};
use rustls::{
    ClientConfig, ClientSide, Connection, Error, ServerConfig, ServerSide, SideData, SliceInput, Tcp,
};
use tlslab_driver_kit::Buffer;

use super::early;
use crate::api::ServerName;

pub type Client = Connection<ClientSide, Tcp>;
pub type Server = Connection<ServerSide, Tcp>;

/// A client, and its first flight.
pub fn connect(config: &Arc<ClientConfig>, name: &ServerName, wire: &mut Vec<u8>) -> Result<Client, Error> {
    config.connect(name.clone()).build(wire)
}

/// A server.
pub fn accept(config: &Arc<ServerConfig>) -> Result<Server, Error> {
    Connection::new(config.clone())
}

/// Sends data.
#[inline]
pub fn write<S: SideData>(
    connection: &mut Connection<S, Tcp>,
    plaintext: &[u8],
    wire: &mut Vec<u8>,
) -> Result<(), Error> {
    connection.write(plaintext.into(), wire)
}

/// Sends early data, and returns how much the server takes; nothing if it takes none.
pub fn write_early(
    client: &mut Client,
    plaintext: &[u8],
    wire: &mut Vec<u8>,
) -> Option<Result<usize, Error>> {
    Some(client.early_data()?.write(plaintext.into(), wire))
}

/// Whether the server took the early data.
pub fn is_early_data_accepted(client: &Client) -> bool {
    client.side().is_early_data_accepted()
}

/// A peer's certificates.
pub fn identity<'i>(verified: &'i VerifiedIdentity<'static>) -> &'i Identity<'static> {
    verified
}

/// Returns how many bytes were used up.
#[inline]
pub fn read<S: SideData>(
    connection: &mut Connection<S, Tcp>,
    wire: &mut [u8],
    answer: &mut Vec<u8>,
    mut take: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<usize, Error> {
    let mut input = SliceInput::new(wire);
    let mut messages = connection.read_tls(&mut input, answer);
    while let Some(payload) = messages.next_payload() {
        take(payload?.bytes())?;
    }
    drop(messages);
    Ok(input.into_used())
}

/// Why connections cannot be closed.
pub const NO_CLOSE: Option<&str> = None;

/// Sends the closing alert.
#[inline]
pub fn send_close<S: SideData>(connection: &mut Connection<S, Tcp>, wire: &mut Vec<u8>) -> Result<(), Error> {
    connection.send_close_notify(wire)
}

/// Returns whether the peer's closing alert has come.
#[inline]
pub fn read_close<S: SideData>(
    connection: &mut Connection<S, Tcp>,
    wire: &mut [u8],
    answer: &mut Vec<u8>,
) -> Result<bool, Error> {
    let mut input = SliceInput::new(wire);
    let mut messages = connection.read_tls(&mut input, answer);
    while let Some(payload) = messages.next_payload() {
        payload?;
    }
    Ok(messages.state().peer_has_closed())
}

/// The same for a flight in which early data is expected.
pub fn read_early(
    server: &mut Server,
    wire: &mut [u8],
    answer: &mut Vec<u8>,
    plaintext: &mut Buffer,
) -> Result<usize, Error> {
    let mut input = SliceInput::new(wire);
    let mut messages = server.read_tls(&mut input, answer);
    while let Some(payload) = messages.next_early_data() {
        plaintext.append(payload?.bytes());
    }
    if let Some(payload) = messages.next_payload() {
        payload?;
        return Err(early());
    }
    drop(messages);
    Ok(input.into_used())
}
