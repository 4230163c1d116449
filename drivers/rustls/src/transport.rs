//! Bytes in and out of a buffered connection, which is the same in all releases of rustls.

use std::io::{Read, Write};

use rustls::Connection;
use tlslab_driver_kit::{Buffer, EndpointError, Progress};

/// A connection without a limit for what it buffers: the default takes 64 KiB of a write and returns, and a scenario's write
/// is one call.
pub fn unlimited(connection: impl Into<Connection>) -> Connection {
    let mut connection = connection.into();
    connection.set_buffer_limit(None);
    connection
}

/// Goes on with a handshake.
pub fn handshake(
    connection: &mut Connection,
    mut input: &[u8],
    output: &mut Buffer,
) -> Result<Progress, EndpointError> {
    while !input.is_empty() {
        connection.read_tls(&mut input)?;
        if let Err(error) = connection.process_new_packets() {
            // The alert that says so.
            flush(connection, output)?;
            return Err(error.into());
        }
    }
    flush(connection, output)?;
    Ok(if connection.is_handshaking() { Progress::Continues } else { Progress::Done })
}

/// Sends data.
pub fn send(connection: &mut Connection, plaintext: &[u8], output: &mut Buffer) -> Result<(), EndpointError> {
    connection.writer().write_all(plaintext)?;
    flush(connection, output)
}

/// Receives data.
pub fn receive(
    connection: &mut Connection,
    mut input: &[u8],
    plaintext: &mut Buffer,
) -> Result<(), EndpointError> {
    while !input.is_empty() {
        connection.read_tls(&mut input)?;
        let mut waiting = connection.process_new_packets()?.plaintext_bytes_to_read();
        while waiting > 0 {
            let read = connection.reader().read(plaintext.room())?;
            plaintext.advance(read);
            waiting -= read;
        }
    }
    Ok(())
}

/// Sends early data with a client's first flight.
pub fn send_early(
    client: &mut Connection,
    plaintext: &[u8],
    output: &mut Buffer,
) -> Result<(), EndpointError> {
    let early = match client {
        Connection::Client(client) => client.early_data(),
        Connection::Server(_) => None,
    };
    let refused = || EndpointError("rustls takes no early data with this session".to_owned());
    early.ok_or_else(refused)?.write_all(plaintext)?;
    flush(client, output)
}

/// Reads the early data that a server has accepted.
pub fn read_early(server: &mut Connection, plaintext: &mut Buffer) -> Result<(), EndpointError> {
    let Connection::Server(server) = server else { return Ok(()) };
    let Some(mut early) = server.early_data() else { return Ok(()) };
    loop {
        match early.read(plaintext.room())? {
            0 => return Ok(()),
            read => plaintext.advance(read),
        }
    }
}

fn flush(connection: &mut Connection, output: &mut Buffer) -> Result<(), EndpointError> {
    while connection.wants_write() {
        if connection.write_tls(output)? == 0 {
            return Err(EndpointError("wrote more than the buffer has room for".to_owned()));
        }
    }
    Ok(())
}
