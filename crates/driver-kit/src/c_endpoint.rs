//! The endpoint contract in C, as `include/tlslab_endpoint.h` declares it.
//!
//! The shapes here and in the header are one and the same; the header's `TLSLAB_ABI` changes when they do.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::{ptr, slice};

use tlslab_protocol::{
    Authentication, Capabilities, CipherSuite, Group, KeyType, Library, Limit, ProtocolVersion, Records,
    Resumption, ResumptionKind, Scenario, ServerKeyShare, Side, SideFacts, SignatureScheme, Verification,
};

use crate::c_primitive::{self, Collect, Make, Negotiated, Run};
use crate::{
    Assignment, Buffer, Endpoint, EndpointError, Identity, Material, Primitive, Progress, Unready, serve,
};

const ABI: u32 = 1;
pub const OK: c_int = 0;
const CONTINUES: c_int = 1;
pub const UNSUPPORTED: c_int = -2;

#[repr(C)]
pub struct CError {
    text: [MaybeUninit<c_char>; 512],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct CBytes {
    data: *const u8,
    len: usize,
}

#[repr(C)]
pub struct CBuffer {
    pub data: *mut u8,
    pub len: usize,
    pub capacity: usize,
    flush: Option<unsafe extern "C" fn(*mut CBuffer)>,
    kit: *mut c_void,
}

impl CBuffer {
    /// Memory that is handed over with the call's end and not before.
    #[inline(always)]
    pub fn over(data: *mut u8, len: usize, capacity: usize) -> Self {
        Self { data, len, capacity, flush: None, kit: ptr::null_mut() }
    }
}

#[repr(C)]
struct CScenario {
    version: u16,
    suite: u16,
    group: u16,
    signature_scheme: u16,
    key_bits: u32,
    verification: u32,
    tickets: u32,
    resumption: u32,
    mutual: u32,
    retry_group: u32,
    early_data: u32,
    pregenerated: u32,
}

#[repr(C)]
pub struct CMaterial {
    pub root: CBytes,
    pub chain: *const CBytes,
    pub chain_len: usize,
    pub key: CBytes,
    pub server_name: *const c_char,
    pub client_root: CBytes,
    pub client_chain: *const CBytes,
    pub client_chain_len: usize,
    pub client_key: CBytes,
    pub psk_identity: *const c_char,
    pub psk: CBytes,
}

#[repr(C)]
struct CFacts {
    version: u16,
    suite: u16,
    group: u16,
    signature_scheme: u16,
    resumed: i32,
    tickets_received: i32,
    peer_certificate: *mut u8,
    peer_certificate_len: usize,
    early_data_accepted: i32,
}

#[repr(C)]
struct CLimit {
    axis: *const c_char,
    value: *const c_char,
    reason: *const c_char,
}

#[repr(C)]
struct CIdentity {
    driver: *const c_char,
    library: *const c_char,
    library_version: *const c_char,
    versions: *const u16,
    versions_len: usize,
    suites: *const u16,
    suites_len: usize,
    groups: *const u16,
    groups_len: usize,
    signatures: *const *const c_char,
    signatures_len: usize,
    verification_levels: u32,
    max_tickets: u32,
    limits: *const CLimit,
    limits_len: usize,
    notes: *const *const c_char,
    notes_len: usize,
    details: *const *const c_char,
    details_len: usize,
    offers_more: *const *const c_char,
    offers_more_len: usize,
    record_plaintext_bytes: u32,
    record_padding_bytes: u32,
    record_filled_to_bytes: u32,
    resumptions: u32,
    mutual: u32,
    renews_no_tickets: u32,
    hello_retry: u32,
    max_early_data: u32,
    pregenerated: u32,
    threads: u32,
    flushes: u32,
    operations: u32,
    primitives: *const *const c_char,
    primitives_len: usize,
    settles_ms: u32,
}

type ContextCall =
    unsafe extern "C" fn(c_int, *const CScenario, *const CMaterial, *mut *mut c_void, *mut CError) -> c_int;
type DataCall = unsafe extern "C" fn(*mut c_void, CBytes, *mut CBuffer, *mut CError) -> c_int;

/// The header's `tlslab_endpoint`.
#[repr(C)]
pub struct CEndpoint {
    abi: u32,
    identity: unsafe extern "C" fn(*mut CIdentity),
    context: ContextCall,
    context_free: unsafe extern "C" fn(*mut c_void),
    create: unsafe extern "C" fn(*mut c_void, *mut *mut c_void, *mut CError) -> c_int,
    connection_free: unsafe extern "C" fn(*mut c_void),
    handshake: DataCall,
    send: DataCall,
    receive: DataCall,
    facts: unsafe extern "C" fn(*mut c_void, *mut CFacts),
    session: Option<unsafe extern "C" fn(*mut c_void, *mut *mut c_void, *mut CError) -> c_int>,
    session_free: Option<unsafe extern "C" fn(*mut c_void)>,
    resume: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, *mut *mut c_void, *mut CError) -> c_int>,
    session_copy: Option<unsafe extern "C" fn(*mut c_void, *mut *mut c_void, *mut CError) -> c_int>,
    make_key_share: Option<unsafe extern "C" fn(*mut c_void, *mut CError) -> c_int>,
    send_early: Option<DataCall>,
    handshake_early:
        Option<unsafe extern "C" fn(*mut c_void, CBytes, *mut CBuffer, *mut CBuffer, *mut CError) -> c_int>,
    pub(crate) primitive: Option<Make>,
    pub(crate) primitive_run: Option<Run>,
    pub(crate) primitive_free: Option<unsafe extern "C" fn(*mut c_void)>,
    pub(crate) primitive_collect: Option<Collect>,
    pub(crate) primitive_negotiated: Option<Negotiated>,
}

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
    // ExitCode has no way back to a number; serve returns one of two.
    if serve(endpoint) == std::process::ExitCode::SUCCESS { 0 } else { 1 }
}

// SAFETY: function pointers, and nothing that changes.
unsafe impl Sync for CEndpoint {}

// SAFETY: an endpoint that says `threads` bears being called from several at once; any other is called from one alone, which
// `prepare` sees to.
unsafe impl Send for CContext {}
unsafe impl Sync for CContext {}
unsafe impl Send for CConnection {}
unsafe impl Send for CSession {}

/// A C context, freed with its endpoint's own call.
pub struct CContext {
    handle: *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
}

impl Drop for CContext {
    fn drop(&mut self) {
        // SAFETY: the handle came from the same endpoint and is freed once.
        unsafe { (self.free)(self.handle) }
    }
}

/// A C connection, freed likewise.
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

/// A C session, freed likewise unless it is taken up.
pub struct CSession {
    handle: *mut c_void,
    free: Option<unsafe extern "C" fn(*mut c_void)>,
}

impl Drop for CSession {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: the handle came from the same endpoint, and one that was taken up is forgotten.
            unsafe { free(self.handle) }
        }
    }
}

impl Endpoint for CEndpoint {
    type Context = CContext;
    type Connection = CConnection;
    type Session = CSession;

    fn identity(&self) -> Identity {
        // SAFETY: all-zero is a valid value of these plain structures, and the endpoint fills it in.
        let identity = unsafe {
            let mut identity: CIdentity = std::mem::zeroed();
            (self.identity)(&mut identity);
            identity
        };
        Identity {
            driver: text(identity.driver),
            library: Library {
                name: text(identity.library).to_owned(),
                version: text(identity.library_version).to_owned(),
                components: vec![],
            },
            capabilities: capabilities(&identity),
        }
    }

    fn context(&self, side: Side, scenario: &Scenario, material: &Material) -> Result<CContext, Unready> {
        let pinned = CScenario {
            version: scenario.version.0,
            suite: scenario.suite.0,
            group: scenario.group.0,
            signature_scheme: scenario.signature_scheme().0,
            key_bits: scenario.signature.bits(),
            verification: scenario.verification as u32,
            tickets: scenario.tickets,
            resumption: resumption(scenario.resumption),
            mutual: u32::from(scenario.authentication == Authentication::Mutual),
            retry_group: scenario.retry_group().map_or(0, |group| u32::from(group.0)),
            early_data: scenario.early_data,
            pregenerated: u32::from(scenario.server_key_share == ServerKeyShare::Pregenerated),
        };
        let all = |chain: &[Vec<u8>]| -> Vec<CBytes> { chain.iter().map(|der| bytes(der)).collect() };
        let chain = all(&material.chain);
        let client = material.client.as_ref();
        let client_chain = client.map_or_else(Vec::new, |client| all(&client.chain));
        let server_name = CString::new(material.server_name.as_str())?;
        let psk_identity =
            material.psk.as_ref().map(|psk| CString::new(psk.identity.as_str())).transpose()?;
        let material = CMaterial {
            root: bytes(&material.root),
            chain: chain.as_ptr(),
            chain_len: chain.len(),
            key: bytes(&material.key),
            server_name: server_name.as_ptr(),
            client_root: bytes(client.map_or(&[], |client| &client.root)),
            client_chain: client_chain.as_ptr(),
            client_chain_len: client_chain.len(),
            client_key: bytes(client.map_or(&[], |client| &client.key)),
            psk_identity: psk_identity.as_ref().map_or(ptr::null(), |identity| identity.as_ptr()),
            psk: bytes(material.psk_of(side)),
        };
        let mut handle = ptr::null_mut();
        let mut error = CError::none();
        // SAFETY: every pointer is to a value that lives until the call returns.
        let status = unsafe { (self.context)(side as c_int, &pinned, &material, &mut handle, &mut error) };
        match status {
            OK => Ok(CContext { handle, free: self.context_free }),
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
            _ => Err(EndpointError(error.reason())),
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
        // SAFETY: the context and the session came from this endpoint and live; the session is its own from here on.
        match unsafe { resume(client.handle, taken_up.handle, &mut handle, &mut error) } {
            OK => Ok(CConnection { handle, free: self.connection_free }),
            _ => Err(EndpointError(error.reason())),
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
        // SAFETY: the buffers are the kit's own rooms, and the endpoint keeps to their capacities.
        let status =
            unsafe { handshake(server.handle, bytes(input), &mut to_client, &mut received, &mut error) };
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
        Ok(c_primitive::make(self, assignment, material)?)
    }

    /// The kit keeps a pointer.
    fn inline_bytes(&self) -> usize {
        0
    }
}

/// What the header calls it. Whether a ticket serves once or again and again is the kit's affair.
fn resumption(resumption: Resumption) -> u32 {
    match resumption {
        Resumption::None => 0,
        Resumption::SessionId => 1,
        Resumption::Ticket | Resumption::TicketReused => 2,
        Resumption::ExternalPsk => 3,
        Resumption::ExternalPskOnly => 4,
    }
}

/// The status of a call that did not fail.
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
    // SAFETY: the buffer is the kit's own room, and the endpoint keeps to its capacity.
    let status = unsafe { function(connection.handle, bytes(input), &mut buffer, &mut error) };
    output.advance(buffer.len);
    if status < 0 { Err(EndpointError(error.reason())) } else { Ok(status) }
}

/// The header's `flush`: hands over what the endpoint has appended so far.
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

fn capabilities(identity: &CIdentity) -> Capabilities {
    let levels = [Verification::None, Verification::Chain, Verification::ChainAndName];
    let key_type = |name: &*const c_char| KeyType::ALL.into_iter().find(|key| key.name() == text(*name));
    let mut able = Capabilities {
        versions: list(identity.versions, identity.versions_len)
            .iter()
            .copied()
            .map(ProtocolVersion)
            .collect(),
        signatures: list(identity.signatures, identity.signatures_len).iter().filter_map(key_type).collect(),
        groups: list(identity.groups, identity.groups_len).iter().copied().map(Group).collect(),
        suites: list(identity.suites, identity.suites_len).iter().copied().map(CipherSuite).collect(),
        verification: levels
            .into_iter()
            .filter(|level| identity.verification_levels & (1 << *level as u32) != 0)
            .collect(),
        resumption: [
            (1, ResumptionKind::SessionId12),
            (2, ResumptionKind::Ticket12),
            (4, ResumptionKind::Ticket13),
            (8, ResumptionKind::TicketReused13),
            (16, ResumptionKind::ExternalPsk13),
            (32, ResumptionKind::ExternalPskOnly13),
            (64, ResumptionKind::ExternalPsk12),
            (128, ResumptionKind::ExternalPskOnly12),
        ]
        .into_iter()
        .filter_map(|(bit, kind)| (identity.resumptions & bit != 0).then_some(kind))
        .collect(),
        renews_no_tickets: identity.renews_no_tickets == 1,
        threads: identity.threads == 1,
        flushes: identity.flushes == 1,
        settles_ms: identity.settles_ms,
        mutual_authentication: identity.mutual == 1,
        max_tickets: identity.max_tickets,
        works: vec![],
        primitives: texts(identity.primitives, identity.primitives_len),
        limits: list(identity.limits, identity.limits_len)
            .iter()
            .map(|limit| Limit {
                axis: text(limit.axis).to_owned(),
                value: text(limit.value).to_owned(),
                reason: text(limit.reason).to_owned(),
            })
            .collect(),
        protects_nothing: false,
        offers_more: texts(identity.offers_more, identity.offers_more_len),
        records: Records {
            plaintext_bytes: match identity.record_plaintext_bytes {
                0 => Records::default().plaintext_bytes,
                bytes => bytes,
            },
            padding_bytes: identity.record_padding_bytes,
            filled_to_bytes: identity.record_filled_to_bytes.max(1),
            counts_overhead: false,
        },
        notes: texts(identity.notes, identity.notes_len),
        details: texts(identity.details, identity.details_len),
        hello_retry: identity.hello_retry == 1,
        max_early_data: identity.max_early_data,
        pregenerated_key_shares: identity.pregenerated == 1,
        ..Capabilities::default()
    };
    c_primitive::declare(identity.operations, &mut able);
    able
}

impl CBuffer {
    #[inline(always)]
    fn room_of(buffer: &mut Buffer) -> Self {
        let room = buffer.room();
        Self::over(room.as_mut_ptr(), 0, room.len())
    }
}

impl CError {
    /// The empty text, without touching all 512 bytes inside the clock.
    #[inline(always)]
    pub fn none() -> Self {
        let mut text = [MaybeUninit::uninit(); 512];
        text[0] = MaybeUninit::new(0);
        Self { text }
    }

    pub fn reason(&self) -> String {
        match text(self.text.as_ptr().cast()) {
            "" => "the library gave no reason".to_owned(),
            reason => reason.to_owned(),
        }
    }
}

pub fn bytes(slice: &[u8]) -> CBytes {
    CBytes { data: slice.as_ptr(), len: slice.len() }
}

fn list<'a, T>(data: *const T, len: usize) -> &'a [T] {
    if data.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: the contract says that an identity's lists have the lengths beside them and outlive the call.
    unsafe { slice::from_raw_parts(data, len) }
}

fn texts(data: *const *const c_char, len: usize) -> Vec<String> {
    list(data, len).iter().map(|pointer| text(*pointer).to_owned()).collect()
}

fn text<'a>(pointer: *const c_char) -> &'a str {
    if pointer.is_null() {
        return "";
    }
    // SAFETY: the contract says that texts are terminated and outlive the call.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("(not UTF-8)")
}
