//! Both sides of Bertie behind the kit's contract.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bertie::tls13api::in_psk_mode;
use bertie::tls13utils::{AppData, Bytes};
use bertie::{Client, Server};
use rand::thread_rng;
use tlslab_driver_kit::protocol::{Scenario, Side, SideFacts};
use tlslab_driver_kit::{Buffer, Endpoint, EndpointError, Identity, Material, NoSession, Progress, Unready};

use crate::context::Context;
use crate::error::endpoint_error;
use crate::{identity, record};

/// Bertie, on libcrux.
pub struct Bertie;

/// One side of a connection.
pub struct Connection {
    state: State,
    /// The beginning of a handshake record whose rest has not come yet; empty whenever flights arrive whole.
    partial: Vec<u8>,
}

/// The state of a connection. Bertie's calls consume a state and give the next one, or none when they fail.
enum State {
    Start(Arc<Context>),
    Client(Client),
    Server(Server),
    Failed,
}

impl Endpoint for Bertie {
    type Context = Arc<Context>;
    type Connection = Connection;
    type Session = NoSession;

    fn identity(&self) -> Identity {
        identity::identity()
    }

    fn context(&self, side: Side, scenario: &Scenario, material: &Material) -> Result<Arc<Context>, Unready> {
        Context::new(side, scenario, material).map(Arc::new)
    }

    fn create(&self, context: &Arc<Context>) -> Result<Connection, EndpointError> {
        Ok(Connection { state: State::Start(context.clone()), partial: Vec::new() })
    }

    fn handshake(
        &self,
        connection: &mut Connection,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        if input.is_empty() {
            connection.say_hello(output)?;
            return Ok(Progress::Continues);
        }
        let mut joined = mem::take(&mut connection.partial);
        let mut rest = input;
        if !joined.is_empty() {
            joined.extend_from_slice(input);
            rest = &joined;
        }
        let mut progress = Progress::Continues;
        while let Some((record, after)) = record::split(rest) {
            rest = after;
            if progress == Progress::Done {
                // Tickets may follow the flight at once; application data has nowhere to go yet.
                if guarded(|| connection.open(record))?.is_some() {
                    return Err(EndpointError("application data before the handshake's end".to_owned()));
                }
            } else if !record::is_change_cipher_spec(record) {
                progress = guarded(|| connection.take_handshake(record, output))?;
            }
        }
        connection.partial = rest.to_vec();
        Ok(progress)
    }

    fn send(
        &self,
        connection: &mut Connection,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        for fragment in plaintext.chunks(record::MOST_PLAINTEXT_BYTES) {
            connection.seal(fragment, output)?;
        }
        Ok(())
    }

    fn receive(
        &self,
        connection: &mut Connection,
        input: &[u8],
        plaintext: &mut Buffer,
    ) -> Result<(), EndpointError> {
        let mut rest = input;
        while let Some((record, after)) = record::split(rest) {
            rest = after;
            if let Some(data) = guarded(|| connection.open(record))? {
                plaintext.append(&data.as_raw().declassify());
            }
        }
        if rest.is_empty() { Ok(()) } else { Err(EndpointError("the input ends inside a record".to_owned())) }
    }

    fn facts(&self, connection: &Connection) -> SideFacts {
        // Negotiated values are in the state but not in the public API, except whether a PSK is used.
        let resumed = match &connection.state {
            State::Client(client) => Some(in_psk_mode(client)),
            _ => None,
        };
        SideFacts { resumed, ..SideFacts::default() }
    }
}

impl Connection {
    /// The client's first step.
    fn say_hello(&mut self, output: &mut Buffer) -> Result<(), EndpointError> {
        let State::Start(context) = mem::replace(&mut self.state, State::Failed) else {
            return Err(out_of_turn());
        };
        let Context::Client { algorithms, server_name } = &*context else { return Err(out_of_turn()) };
        let (hello, client) = Client::connect(*algorithms, server_name, None, None, &mut thread_rng())
            .map_err(endpoint_error)?;
        output.append(&hello.declassify());
        self.state = State::Client(client);
        Ok(())
    }

    /// Takes one handshake record and appends the answer to it, if there is one.
    fn take_handshake(&mut self, record: &[u8], output: &mut Buffer) -> Result<Progress, EndpointError> {
        if let Some(alert) = record::plain_alert(record) {
            return Err(EndpointError(format!("the peer sent alert {alert}")));
        }
        let wire = Bytes::from(record);
        let (next, progress) = match mem::replace(&mut self.state, State::Failed) {
            State::Start(context) => {
                let Context::Server { algorithms, database } = &*context else { return Err(out_of_turn()) };
                let (hello, flight, server) =
                    Server::accept(*algorithms, database.clone(), &wire, &mut thread_rng())
                        .map_err(endpoint_error)?;
                output.append(&hello.declassify());
                output.append(&flight.declassify());
                (State::Server(server), Progress::Continues)
            }
            State::Client(client) => match client.read_handshake(&wire).map_err(endpoint_error)? {
                (None, client) => (State::Client(client), Progress::Continues),
                (Some(finished), client) => {
                    output.append(&finished.declassify());
                    (State::Client(client), Progress::Done)
                }
            },
            State::Server(server) => {
                (State::Server(server.read_handshake(&wire).map_err(endpoint_error)?), Progress::Done)
            }
            State::Failed => return Err(out_of_turn()),
        };
        self.state = next;
        Ok(progress)
    }

    /// Makes one record of one fragment.
    fn seal(&mut self, fragment: &[u8], output: &mut Buffer) -> Result<(), EndpointError> {
        let data = AppData::new(Bytes::from(fragment));
        let (record, next) = match mem::replace(&mut self.state, State::Failed) {
            State::Client(client) => {
                let (record, client) = client.write(data).map_err(endpoint_error)?;
                (record, State::Client(client))
            }
            State::Server(server) => {
                let (record, server) = server.write(data).map_err(endpoint_error)?;
                (record, State::Server(server))
            }
            State::Start(_) | State::Failed => return Err(out_of_turn()),
        };
        output.append(&record.declassify());
        self.state = next;
        Ok(())
    }

    /// Reads one record; a session ticket holds no data.
    fn open(&mut self, record: &[u8]) -> Result<Option<AppData>, EndpointError> {
        let wire = Bytes::from(record);
        let (data, next) = match mem::replace(&mut self.state, State::Failed) {
            State::Client(client) => {
                let (data, client) = client.read(&wire).map_err(endpoint_error)?;
                (data, State::Client(client))
            }
            State::Server(server) => {
                let (data, server) = server.read(&wire).map_err(endpoint_error)?;
                (data, State::Server(server))
            }
            State::Start(_) | State::Failed => return Err(out_of_turn()),
        };
        self.state = next;
        Ok(data)
    }
}

/// Bertie panics on some bad input, such as a key share that is not on the curve. What it was given is consumed
/// by then and the connection has failed, so nothing half-changed is left to be seen.
fn guarded<T>(call: impl FnOnce() -> Result<T, EndpointError>) -> Result<T, EndpointError> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(EndpointError(format!("the library panicked: {message}")))
    })
}

fn out_of_turn() -> EndpointError {
    EndpointError("a call out of turn, or after the connection failed".to_owned())
}
