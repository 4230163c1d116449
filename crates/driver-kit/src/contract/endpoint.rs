//! The contract between the kit and a library, without I/O: bytes in, bytes out.

use tlslab_protocol::{Capabilities, Library, Scenario, Side, SideFacts};

use crate::{Assignment, Buffer, EndpointError, Material, Primitive, Unready};

/// Both sides of one TLS library. Calls come from one thread, or, if the capabilities have `threads`, from
/// several at once, each with connections of its own. A call that fails returns the library's own message.
pub trait Endpoint: Sync {
    /// The state that a side's connections share (configuration, keys, trust), made once per scenario.
    type Context: Send + Sync;
    /// One side of one connection.
    type Connection: Send;
    /// The session that a client keeps of a connection to resume it; [`NoSession`] for a library that cannot.
    type Session: Send;

    /// The driver, its library and all its capabilities.
    fn identity(&self) -> Identity;

    /// The identity with only the capabilities that this scenario needs and the reasons of metrics, if the
    /// endpoint can omit the rest: memory that a library allocates to answer a question stays in its heap,
    /// and so in what is measured.
    fn identity_for(&self, scenario: Option<&Scenario>) -> Identity {
        let _ = scenario;
        self.identity()
    }

    /// Prepares a side for a scenario. It must pin every parameter of the scenario, or refuse.
    fn context(&self, side: Side, scenario: &Scenario, material: &Material)
    -> Result<Self::Context, Unready>;

    /// Makes one side of a connection (phase *create*). Dropping the connection is phase *free*.
    fn create(&self, context: &Self::Context) -> Result<Self::Connection, EndpointError>;

    /// The client's session of a finished connection, after the server's tickets have arrived; `None` if
    /// there is nothing to resume. Off the clock.
    fn session(&self, client: &mut Self::Connection) -> Result<Option<Self::Session>, EndpointError> {
        let _ = client;
        Ok(None)
    }

    /// Makes the client's side of a connection that resumes a session; each session is used once (phase
    /// *create*).
    fn resume(
        &self,
        client: &Self::Context,
        session: Self::Session,
    ) -> Result<Self::Connection, EndpointError> {
        let _ = (client, session);
        Err(EndpointError("this driver takes up no sessions".to_owned()))
    }

    /// Copies a session, for a ticket that every connection resumes. Off the clock.
    fn copy_session(&self, session: &Self::Session) -> Result<Self::Session, EndpointError> {
        let _ = session;
        Err(EndpointError("this driver copies no sessions".to_owned()))
    }

    /// Generates the key share that this server's connection will send, if the scenario's key shares are
    /// pre-generated: after the connection's creation and before its first handshake call, off the clock.
    /// Each is used once.
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

    /// A server's handshake call if early data is expected; also appends the early data that has arrived.
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

    /// Processes what the peer sent (nothing, on the client's first call), and appends what is to be sent.
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

    /// Decrypts whole records and appends their plaintext; a session ticket has no plaintext.
    fn receive(
        &self,
        connection: &mut Self::Connection,
        input: &[u8],
        plaintext: &mut Buffer,
    ) -> Result<(), EndpointError>;

    /// Closes one side: processes what the peer sent, which is its closing alert or, if it has not closed
    /// yet, nothing; appends this side's closing alert (close_notify, RFC 8446, section 6.1) unless an
    /// earlier call has. [`Progress::Done`] means that the library itself has seen both alerts (phase
    /// *close*). An endpoint with this call claims [`Ability::Close`](crate::Ability::Close).
    fn close(
        &self,
        connection: &mut Self::Connection,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        let _ = (connection, input, output);
        Err(EndpointError(NO_CLOSE.to_owned()))
    }

    /// The library's facts about a connection whose handshake is done.
    fn facts(&self, connection: &Self::Connection) -> SideFacts;

    /// Prepares one cryptographic operation.
    fn primitive(
        &self,
        assignment: &Assignment,
        material: &Material,
    ) -> Result<Box<dyn Primitive + '_>, Unready> {
        let _ = (assignment, material);
        Err(Unready::Unsupported("this driver calls no cryptography on its own".to_owned()))
    }

    /// The size of the connection object itself, which the kit stores, without what it has on the heap;
    /// bytes.
    fn inline_bytes(&self) -> usize {
        size_of::<Self::Connection>()
    }
}

/// The reason why a driver without the call `close` does not make short connections.
pub(crate) const NO_CLOSE: &str = "this driver does not close connections yet";

/// The session type of a library that cannot resume.
pub enum NoSession {}

/// The identity of a driver and its library.
pub struct Identity {
    /// The driver program's name.
    pub driver: &'static str,
    /// The library, as it reports itself.
    pub library: Library,
    /// Its capabilities.
    pub capabilities: Capabilities,
}

/// The progress of a side's handshake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// It waits for its peer.
    Continues,
    /// It is done. Bytes appended in the same call, such as Finished or tickets, are still delivered.
    Done,
}
