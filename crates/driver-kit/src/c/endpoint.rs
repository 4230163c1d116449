//! The endpoint contract in C: calls through `include/tlslab_endpoint.h`'s `tlslab_endpoint`.

use std::ffi::{CString, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::{ptr, slice};

use tlslab_protocol::{
    Authentication, CipherSuite, Group, ProtocolVersion, Resumption, Scenario, ServerKeyShare, Side,
    SideFacts, SignatureScheme, Verification,
};

use super::layout::{ABI, CBuffer, CBytes, CEndpoint, CError, CFacts, CMaterial, CScenario, DataCall};
use super::status::{CONTINUES, OK, UNSUPPORTED};
use super::{identity, primitive};
use crate::contract::endpoint::NO_CLOSE;
use crate::{
    Assignment, Buffer, Endpoint, EndpointError, Identity, Material, Primitive, Progress, Unready, serve,
};

/// Runs a driver whose endpoint is written in C. Returns the process's exit status.
///
/// # Safety
/// `endpoint` points to a filled-in `tlslab_endpoint` that outlives the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tlslab_driver_main(endpoint: *const CEndpoint) -> c_int {
    // SAFETY: the caller's promise.
    let Some(endpoint) = (unsafe { endpoint.as_ref() }) else {
        eprintln!("tlslab_driver_main was called without an endpoint");
        return 1;
    };
    if endpoint.abi != ABI {
        eprintln!("the endpoint was built for version {} of the contract, the kit for {ABI}", endpoint.abi);
        return 1;
    }
    // ExitCode cannot be converted to a number; serve returns one of two.
    if serve(endpoint) == std::process::ExitCode::SUCCESS { 0 } else { 1 }
}

// SAFETY: function pointers, and no mutable state.
unsafe impl Sync for CEndpoint {}

// SAFETY: an endpoint with `threads` may be called from several threads at once; any other is called from one
// only, which `prepare` ensures.
unsafe impl Send for CContext {}
// SAFETY: as above.
unsafe impl Sync for CContext {}
// SAFETY: as above.
unsafe impl Send for CConnection {}
// SAFETY: as above.
unsafe impl Send for CSession {}

/// A C context; its endpoint's `context_free` frees it.
pub struct CContext {
    handle: *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    _lent: Lent,
}

/// Parts of the material that a context may refer to for its lifetime.
struct Lent {
    server_name: CString,
    psk_identity: Option<CString>,
    psk: Vec<u8>,
    roots_file: Option<CString>,
}

impl Lent {
    fn new(side: Side, material: &Material) -> Result<Self, Unready> {
        let psk_identity =
            material.psk.as_ref().map(|psk| CString::new(psk.identity.as_str())).transpose()?;
        let server_name = CString::new(material.server_name.as_str())?;
        let roots = material.roots.as_ref().filter(|_| side == Side::Client);
        let roots_file = roots.map(|path| CString::new(path.as_os_str().as_bytes())).transpose()?;
        Ok(Self { server_name, psk_identity, psk: material.psk_of(side).to_vec(), roots_file })
    }
}

/// The roots that one side trusts and the certificates that it presents.
struct Own<'m> {
    root: &'m [u8],
    chain: &'m [Vec<u8>],
    key: &'m [u8],
}

impl<'m> Own<'m> {
    fn of(side: Side, material: &'m Material) -> Self {
        let client = material.client.as_ref();
        match side {
            Side::Client => Self {
                root: &material.root,
                chain: client.map_or(&[], |client| &client.chain),
                key: client.map_or(&[], |client| &client.key),
            },
            Side::Server => Self {
                root: client.map_or(&[], |client| &client.root),
                chain: &material.chain,
                key: &material.key,
            },
        }
    }
}

impl Drop for CContext {
    fn drop(&mut self) {
        if self.handle.is_null() {
            return;
        }
        // SAFETY: the handle came from the same endpoint and is freed once.
        unsafe { (self.free)(self.handle) }
    }
}

/// A C connection; its endpoint's `connection_free` frees it.
pub struct CConnection {
    handle: *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
}

impl Drop for CConnection {
    fn drop(&mut self) {
        // SAFETY: the handle came from the same endpoint and is freed once.
        unsafe { (self.free)(self.handle) }
    }
}

/// A C session; its endpoint's `session_free` frees it, unless it was resumed.
pub struct CSession {
    handle: *mut c_void,
    free: Option<unsafe extern "C" fn(*mut c_void)>,
}

impl Drop for CSession {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: the handle came from the same endpoint, and one that was resumed is forgotten.
            unsafe { free(self.handle) }
        }
    }
}

impl Endpoint for CEndpoint {
    type Context = CContext;
    type Connection = CConnection;
    type Session = CSession;

    fn identity(&self) -> Identity {
        identity::identity(self)
    }

    fn identity_for(&self, scenario: Option<&Scenario>) -> Identity {
        identity::identity_for(self, scenario)
    }

    fn context(&self, side: Side, scenario: &Scenario, material: &Material) -> Result<CContext, Unready> {
        let pinned = CScenario {
            version: scenario.version.0,
            suite: scenario.suite.0,
            group: scenario.group.0,
            signature_scheme: scenario.signature_scheme().0,
            key_bits: scenario.signature.bits(),
            verification: verification(side, scenario) as u32,
            tickets: scenario.tickets,
            resumption: resumption(scenario.resumption),
            mutual: u32::from(scenario.authentication == Authentication::Mutual),
            retry_group: scenario.retry_group().map_or(0, |group| u32::from(group.0)),
            early_data: scenario.early_data,
            pregenerated: u32::from(scenario.server_key_share == ServerKeyShare::Pregenerated),
            certificate_curve: certificate_curve(scenario),
            defaults: u32::from(scenario.defaults),
        };
        let own = Own::of(side, material);
        let chain: Vec<CBytes> = own.chain.iter().map(|der| CBytes::of(der)).collect();
        let lent = Lent::new(side, material)?;
        let material = CMaterial {
            root: CBytes::of(own.root),
            chain: chain.as_ptr(),
            chain_len: chain.len(),
            key: CBytes::of(own.key),
            server_name: lent.server_name.as_ptr(),
            psk_identity: lent.psk_identity.as_ref().map_or(ptr::null(), |identity| identity.as_ptr()),
            psk: CBytes::of(&lent.psk),
            roots_file: lent.roots_file.as_ref().map_or(ptr::null(), |path| path.as_ptr()),
        };
        let mut made = CContext { handle: ptr::null_mut(), free: self.context_free, _lent: lent };
        let mut error = CError::none();
        // SAFETY: every pointer is to a value that lives until the call returns, and lent ones as long as the
        // context.
        let status =
            unsafe { (self.context)(side as c_int, &pinned, &material, &mut made.handle, &mut error) };
        match status {
            OK => Ok(made),
            UNSUPPORTED => Err(Unready::Unsupported(error.reason())),
            _ => Err(Unready::Failed(error.reason())),
        }
    }

    #[inline]
    fn create(&self, context: &CContext) -> Result<CConnection, EndpointError> {
        let mut handle = ptr::null_mut();
        let mut error = CError::none();
        // SAFETY: the context came from this endpoint and lives.
        match unsafe { (self.create)(context.handle, &mut handle, &mut error) } {
            OK => Ok(CConnection { handle, free: self.connection_free }),
            _ => Err(self.not_made(handle, &error)),
        }
    }

    fn session(&self, client: &mut CConnection) -> Result<Option<CSession>, EndpointError> {
        let Some(session) = self.session else { return Ok(None) };
        let mut handle = ptr::null_mut();
        let mut error = CError::none();
        // SAFETY: the connection came from this endpoint and lives.
        match unsafe { session(client.handle, &mut handle, &mut error) } {
            OK if handle.is_null() => Ok(None),
            OK => Ok(Some(CSession { handle, free: self.session_free })),
            _ => Err(EndpointError(error.reason())),
        }
    }

    #[inline]
    fn resume(&self, client: &CContext, session: CSession) -> Result<CConnection, EndpointError> {
        let Some(resume) = self.resume else {
            return Err(EndpointError("the endpoint gives sessions and takes up none".to_owned()));
        };
        let taken_up = std::mem::ManuallyDrop::new(session);
        let mut handle = ptr::null_mut();
        let mut error = CError::none();
        // SAFETY: the context and the session came from this endpoint and live; it owns the session from here
        // on.
        match unsafe { resume(client.handle, taken_up.handle, &mut handle, &mut error) } {
            OK => Ok(CConnection { handle, free: self.connection_free }),
            _ => Err(self.not_made(handle, &error)),
        }
    }

    fn copy_session(&self, session: &CSession) -> Result<CSession, EndpointError> {
        let Some(copy) = self.session_copy else {
            return Err(EndpointError("the endpoint copies no sessions".to_owned()));
        };
        let mut handle = ptr::null_mut();
        let mut error = CError::none();
        // SAFETY: the session came from this endpoint and lives.
        match unsafe { copy(session.handle, &mut handle, &mut error) } {
            OK => Ok(CSession { handle, free: self.session_free }),
            _ => Err(EndpointError(error.reason())),
        }
    }

    fn make_key_share(&self, server: &mut CConnection) -> Result<(), EndpointError> {
        let Some(make) = self.make_key_share else {
            return Err(EndpointError("the endpoint makes no key shares beforehand".to_owned()));
        };
        let mut error = CError::none();
        // SAFETY: the connection came from this endpoint and lives.
        match unsafe { make(server.handle, &mut error) } {
            OK => Ok(()),
            _ => Err(EndpointError(error.reason())),
        }
    }

    #[inline]
    fn send_early(
        &self,
        client: &mut CConnection,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        match self.send_early {
            Some(send) => call(send, client, plaintext, output).map(|_| ()),
            None => Err(EndpointError("the endpoint sends no early data".to_owned())),
        }
    }

    #[inline]
    fn handshake_early(
        &self,
        server: &mut CConnection,
        input: &[u8],
        output: &mut Buffer,
        plaintext: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        let Some(handshake) = self.handshake_early else {
            return Err(EndpointError("the endpoint accepts no early data".to_owned()));
        };
        let (mut to_client, mut received) = (CBuffer::room_of(output), CBuffer::room_of(plaintext));
        let mut error = CError::none();
        // SAFETY: the buffers are the kit's own, and the endpoint respects their capacities.
        let status =
            unsafe { handshake(server.handle, CBytes::of(input), &mut to_client, &mut received, &mut error) };
        output.advance(to_client.len);
        plaintext.advance(received.len);
        match status {
            CONTINUES => Ok(Progress::Continues),
            OK => Ok(Progress::Done),
            _ => Err(EndpointError(error.reason())),
        }
    }

    #[inline]
    fn handshake(
        &self,
        connection: &mut CConnection,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        match call(self.handshake, connection, input, output)? {
            CONTINUES => Ok(Progress::Continues),
            _ => Ok(Progress::Done),
        }
    }

    #[inline]
    fn send(
        &self,
        connection: &mut CConnection,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        call(self.send, connection, plaintext, output).map(|_| ())
    }

    #[inline]
    fn receive(
        &self,
        connection: &mut CConnection,
        input: &[u8],
        plaintext: &mut Buffer,
    ) -> Result<(), EndpointError> {
        call(self.receive, connection, input, plaintext).map(|_| ())
    }

    #[inline]
    fn close(
        &self,
        connection: &mut CConnection,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        let Some(close) = self.close else { return Err(EndpointError(NO_CLOSE.to_owned())) };
        match call(close, connection, input, output)? {
            CONTINUES => Ok(Progress::Continues),
            _ => Ok(Progress::Done),
        }
    }

    fn facts(&self, connection: &CConnection) -> SideFacts {
        let mut facts = CFacts {
            version: 0,
            suite: 0,
            group: 0,
            signature_scheme: 0,
            resumed: -1,
            tickets_received: -1,
            peer_certificate: ptr::null_mut(),
            peer_certificate_len: 0,
            early_data_accepted: -1,
        };
        // SAFETY: the connection came from this endpoint and lives.
        unsafe { (self.facts)(connection.handle, &mut facts) };
        let said = |point: u16| (point != 0).then_some(point);
        SideFacts {
            version: said(facts.version).map(ProtocolVersion),
            suite: said(facts.suite).map(CipherSuite),
            group: said(facts.group).map(Group),
            signature_scheme: said(facts.signature_scheme).map(SignatureScheme),
            resumed: (facts.resumed >= 0).then_some(facts.resumed == 1),
            tickets_received: u32::try_from(facts.tickets_received).ok(),
            peer_certificate: take_certificate(&facts),
            early_data_accepted: (facts.early_data_accepted >= 0).then_some(facts.early_data_accepted == 1),
        }
    }

    fn primitive(
        &self,
        assignment: &Assignment,
        material: &Material,
    ) -> Result<Box<dyn Primitive + '_>, Unready> {
        primitive::make(self, assignment, material)
    }

    /// The kit holds only a pointer.
    fn inline_bytes(&self) -> usize {
        0
    }
}

impl CEndpoint {
    /// Frees what a failed call has left of a connection.
    #[cold]
    fn not_made(&self, handle: *mut c_void, error: &CError) -> EndpointError {
        if !handle.is_null() {
            // SAFETY: the contract says that an object that the call has set is freed, even if it fails.
            unsafe { (self.connection_free)(handle) }
        }
        EndpointError(error.reason())
    }
}

/// The level at which a side verifies its peer's chain.
fn verification(side: Side, scenario: &Scenario) -> Verification {
    match side {
        Side::Client => scenario.verification,
        Side::Server if scenario.authentication == Authentication::Mutual => Verification::Chain,
        Side::Server => Verification::None,
    }
}

/// The curve of the certificates' keys if TLS 1.2 has to list it among the groups in addition to that of the
/// key exchange; else 0.
fn certificate_curve(scenario: &Scenario) -> u32 {
    let is_psk = matches!(scenario.resumption, Resumption::ExternalPsk | Resumption::ExternalPskOnly);
    let curve = scenario.signature.curve().filter(|curve| *curve != scenario.group);
    let curve = curve.filter(|_| scenario.version == ProtocolVersion::TLS12 && !is_psk);
    curve.map_or(0, |curve| u32::from(curve.0))
}

/// The header's constant. The kit alone handles whether a ticket is used once or repeatedly.
fn resumption(resumption: Resumption) -> u32 {
    match resumption {
        Resumption::None => 0,
        Resumption::SessionId => 1,
        Resumption::Ticket | Resumption::TicketReused => 2,
        Resumption::ExternalPsk => 3,
        Resumption::ExternalPskOnly => 4,
    }
}

/// The status of a call that has succeeded.
#[inline(always)]
fn call(
    function: DataCall,
    connection: &mut CConnection,
    input: &[u8],
    output: &mut Buffer,
) -> Result<c_int, EndpointError> {
    let mut buffer = CBuffer::room_of(output);
    if output.is_flushed() {
        buffer.flush = Some(flush);
        buffer.kit = ptr::from_mut(output).cast();
    }
    let mut error = CError::none();
    // SAFETY: the buffer is the kit's own, and the endpoint respects its capacity.
    let status = unsafe { function(connection.handle, CBytes::of(input), &mut buffer, &mut error) };
    output.advance(buffer.len);
    if status < 0 { Err(EndpointError(error.reason())) } else { Ok(status) }
}

/// The header's `flush`: passes on what the endpoint has appended so far.
unsafe extern "C" fn flush(buffer: *mut CBuffer) {
    // SAFETY: the endpoint passes the buffer that it was given, whose `kit` is the output of the call in progress.
    let (buffer, output) = unsafe { (&mut *buffer, &mut *(*buffer).kit.cast::<Buffer>()) };
    output.advance(buffer.len);
    output.flush();
    let room = output.room();
    (buffer.data, buffer.len, buffer.capacity) = (room.as_mut_ptr(), 0, room.len());
}

fn take_certificate(facts: &CFacts) -> Option<Vec<u8>> {
    if facts.peer_certificate.is_null() {
        return None;
    }
    // SAFETY: the contract says that these are `peer_certificate_len` bytes from malloc, the kit's to free.
    unsafe {
        let der = slice::from_raw_parts(facts.peer_certificate, facts.peer_certificate_len).to_vec();
        libc::free(facts.peer_certificate.cast());
        Some(der)
    }
}

impl CBuffer {
    #[inline(always)]
    fn room_of(buffer: &mut Buffer) -> Self {
        let room = buffer.room();
        Self::over(room.as_mut_ptr(), 0, room.len())
    }
}
