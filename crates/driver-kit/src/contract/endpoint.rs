//! The contract between the kit and a library. There is no I/O in it: bytes in, bytes out.

use tlslab_protocol::{Capabilities, Library, Scenario, Side, SideFacts};

use crate::{Assignment, Buffer, EndpointError, Material, Primitive, Unready};

/// One TLS library, both sides of it. Calls come from one thread, or, where the capabilities say `threads`,
/// from several at once, each connection staying with one of them.
pub trait Endpoint: Sync {
    /// What is made once per scenario and side and shared by its connections: configuration, keys, trust.
    type Context: Send + Sync;
    /// One side of one connection.
    type Connection: Send;
    /// What a client keeps of a connection so as to take it up again; [`NoSession`] for a library that
    /// cannot.
    type Session: Send;

    /// Who the library is and what it can do.
    fn identity(&self) -> Identity;

    /// The same without capabilities but those that this scenario needs, and the reasons of metrics, where
    /// there is a way to leave out the rest: what a library does to answer a question stays in its heap, and
    /// so in what is measured.
    fn identity_for(&self, scenario: Option<&Scenario>) -> Identity {
        let _ = scenario;
        self.identity()
    }

    /// Makes ready for a scenario. Everything that the scenario pins must be pinned here, or refused.
    fn context(&self, side: Side, scenario: &Scenario, material: &Material)
    -> Result<Self::Context, Unready>;

    /// Makes one side of a connection (phase *create*). Dropping it is phase *free*.
    fn create(&self, context: &Self::Context) -> Result<Self::Connection, EndpointError>;

    /// What the client keeps of a connection that is done, after the server's tickets have come; `None` where
    /// there is nothing to take up. Off the clock.
    fn session(&self, client: &mut Self::Connection) -> Result<Option<Self::Session>, EndpointError> {
        let _ = client;
        Ok(None)
    }

    /// Makes the client's side of a connection that takes up a session, each of them once (phase *create*).
    fn resume(
        &self,
        client: &Self::Context,
        session: Self::Session,
    ) -> Result<Self::Connection, EndpointError> {
        let _ = (client, session);
        Err(EndpointError("this driver takes up no sessions".to_owned()))
    }

    /// Another of the same session, for a ticket that every connection takes up. Off the clock.
    fn copy_session(&self, session: &Self::Session) -> Result<Self::Session, EndpointError> {
        let _ = session;
        Err(EndpointError("this driver copies no sessions".to_owned()))
    }

    /// Makes the key share that a server's connection is going to send, off the clock: after its creation and
    /// before its first handshake call, where the scenario's key shares are pre-generated. Each is used once.
    fn make_key_share(&self, server: &mut Self::Connection) -> Result<(), EndpointError> {
        let _ = server;
        Err(EndpointError("this driver makes no key shares beforehand".to_owned()))
    }

    /// The first handshake call of a client that sends early data: appends its first flight with all of
    /// `plaintext`.
    fn send_early(
        &self,
        client: &mut Self::Connection,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        let _ = (client, plaintext, output);
        Err(EndpointError("this driver sends no early data".to_owned()))
    }

    /// A server's handshake call where early data is expected: the same, and it appends what early data has
    /// come.
    fn handshake_early(
        &self,
        server: &mut Self::Connection,
        input: &[u8],
        output: &mut Buffer,
        plaintext: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        let _ = (server, input, output, plaintext);
        Err(EndpointError("this driver accepts no early data".to_owned()))
    }

    /// Takes what the peer sent (nothing, on the client's first call), and appends what is to be sent.
    fn handshake(
        &self,
        connection: &mut Self::Connection,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError>;

    /// Encrypts all of `plaintext` as one write and appends the records.
    fn send(
        &self,
        connection: &mut Self::Connection,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError>;

    /// Takes whole records and appends the plaintext in them, none for a session ticket.
    fn receive(
        &self,
        connection: &mut Self::Connection,
        input: &[u8],
        plaintext: &mut Buffer,
    ) -> Result<(), EndpointError>;

    /// What the library reports about a connection whose handshake is done.
    fn facts(&self, connection: &Self::Connection) -> SideFacts;

    /// Makes ready for one cryptographic operation by itself.
    fn primitive(
        &self,
        assignment: &Assignment,
        material: &Material,
    ) -> Result<Box<dyn Primitive + '_>, Unready> {
        let _ = (assignment, material);
        Err(Unready::Unsupported("this driver calls no cryptography by itself".to_owned()))
    }

    /// How much of a connection is in its own object, which the kit keeps, and not on the heap, bytes.
    fn inline_bytes(&self) -> usize {
        size_of::<Self::Connection>()
    }
}

/// The session of a library that takes up none.
pub enum NoSession {}

/// Who a library is.
pub struct Identity {
    /// The driver program's name.
    pub driver: &'static str,
    /// The library, as it reports itself.
    pub library: Library,
    /// What it can do.
    pub capabilities: Capabilities,
}

/// Whether a side's handshake is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// It waits for its peer.
    Continues,
    /// It is done. What it appended in the same call, such as Finished or tickets, is still to be delivered.
    Done,
}
