//! Invalid combinations in a file.

use tlslab_protocol::{
    Arrivals, Authentication, ContextUse, HEADER_OF_TLS_1_2, HEADER_OF_TLS_1_3, Operation, ProtocolVersion,
    Resumption, Scenario, ServerKeyShare, Sharing, SignatureAlgorithm, Start, Verification, Work,
};

use super::written::{Axes, WorkKind, Write};

/// Certificates that the version's handshakes do not use.
pub(super) fn certificates(scenario: &Scenario) -> Result<(), String> {
    let Scenario { version, signature, group, chain, resumption, .. } = scenario;
    if !(1..=Scenario::LONGEST_CHAIN).contains(chain) {
        let most = Scenario::LONGEST_CHAIN;
        return Err(format!("chain {chain}: a side sends 1 to {most} certificates, including its own"));
    }
    roots(scenario)?;
    if *version != ProtocolVersion::TLS12 {
        return Ok(());
    }
    if signature.algorithm() == SignatureAlgorithm::MlDsa {
        return Err(format!("signature {signature}: TLS 1.2 has no ML-DSA"));
    }
    let shows_certificate = !resumption.is_external_psk();
    if shows_certificate && group.is_finite_field() && signature.algorithm() != SignatureAlgorithm::Rsa {
        return Err(format!(
            "group {group}: in TLS 1.2 its suites have RSA certificates; none has {signature}"
        ));
    }
    Ok(())
}

/// Rejects roots that are not read.
fn roots(scenario: &Scenario) -> Result<(), String> {
    let Scenario { roots, verification, context, .. } = scenario;
    if *roots == 0 {
        return Ok(());
    }
    if !Scenario::ROOTS.contains(roots) {
        let [one, many] = Scenario::ROOTS;
        return Err(format!("roots {roots}: there are files of {one} and of {many} roots"));
    }
    if *context != ContextUse::Fresh {
        return Err(format!(
            "roots {roots}: a context reads them when it is made; set the axis context to fresh"
        ));
    }
    if *verification == Verification::None {
        return Err(format!(
            "roots {roots}: nothing is verified with them; set the axis verification to chain"
        ));
    }
    Ok(())
}

/// Combinations that are impossible, or cannot be measured.
pub(super) fn scenario(scenario: &Scenario) -> Result<(), String> {
    let Scenario { version, resumption, group, tickets, .. } = scenario;
    if *version == ProtocolVersion::TLS12
        && (*tickets > 1 || *tickets == 1 && *resumption != Resumption::Ticket)
    {
        return Err(format!(
            "tickets {tickets}: in TLS 1.2 it must be 1 if resumption is ticket, and 0 otherwise"
        ));
    }
    if *version == ProtocolVersion::TLS12 && group.encapsulates() {
        return Err(format!("group {group}: TLS 1.2 has no group with ML-KEM"));
    }
    extras(scenario)?;
    if *resumption == Resumption::None {
        return Ok(());
    }
    if !scenario.work.is_connection() {
        return Err(format!("resumption {resumption}: only handshakes and requests can be resumed"));
    }
    if scenario.authentication == Authentication::Mutual {
        return Err(format!(
            "resumption {resumption}: a resumed handshake has no certificates; omit authentication"
        ));
    }
    if *resumption == Resumption::TicketReused && *version != ProtocolVersion::TLS13 {
        return Err(format!("resumption {resumption}: {version} does not support it; use TLS 1.3"));
    }
    let by_ticket = match resumption {
        Resumption::SessionId => *version == ProtocolVersion::TLS13,
        _ => matches!(resumption, Resumption::Ticket | Resumption::TicketReused),
    };
    if by_ticket && scenario.tickets == 0 {
        return Err(format!(
            "resumption {resumption}: the server has to send tickets; set the axis tickets to 1"
        ));
    }
    if resumption.is_external_psk() && scenario.tickets > 0 {
        return Err(format!(
            "resumption {resumption}: there is no session to send a ticket for; omit tickets"
        ));
    }
    if resumption.is_external_psk() && scenario.verification != Verification::None {
        return Err(format!(
            "resumption {resumption}: there are no certificates to verify; set the axis verification to none"
        ));
    }
    Ok(())
}

/// Options of only some handshakes of TLS 1.3.
fn extras(scenario: &Scenario) -> Result<(), String> {
    /// More than any library accepts without configuration, and far below the size of the drivers' buffers.
    const MOST_EARLY_BYTES: u32 = 16 * 1024;
    let Scenario { resumption, early_data, .. } = scenario;
    let pregenerated = scenario.server_key_share == ServerKeyShare::Pregenerated;
    let is_tls13_handshake = scenario.version == ProtocolVersion::TLS13 && scenario.work == Work::Handshake;
    for (axis, is_asked) in [
        ("hello_retry", scenario.hello_retry),
        ("early_data", *early_data > 0),
        ("server_key_share", pregenerated),
    ] {
        if is_asked && !is_tls13_handshake {
            return Err(format!("{axis}: only TLS 1.3 handshakes support it"));
        }
    }
    if scenario.hello_retry && *resumption != Resumption::None {
        return Err(format!(
            "hello_retry: it cannot be combined with resumption {resumption}; use one of them"
        ));
    }
    if *early_data > 0 && *resumption != Resumption::Ticket {
        return Err(
            "early_data: it is protected by a ticket's key; set the axis resumption to ticket".to_owned()
        );
    }
    if *early_data > MOST_EARLY_BYTES {
        return Err(format!("early_data {early_data}: at most {MOST_EARLY_BYTES} bytes are carried"));
    }
    if pregenerated && *resumption == Resumption::ExternalPskOnly {
        return Err("server_key_share: external-psk-only has no key exchange; omit one of them".to_owned());
    }
    if scenario.concurrent && *early_data > 0 {
        return Err("concurrent: it cannot be combined with early_data; omit one of them".to_owned());
    }
    if pregenerated && scenario.group.encapsulates() {
        let group = scenario.group;
        return Err(format!("server_key_share: a server's share of {group} is an answer to the client's"));
    }
    Ok(())
}

/// Rejects a number of connections that is too small to be useful, or too large for a process.
pub(super) fn held(connections: u32) -> Result<(), String> {
    if (100..=100_000).contains(&connections) {
        return Ok(());
    }
    Err(format!("held {connections}: from 100 to 100000 connections can be held open"))
}

/// Rejects arrivals of work that cannot arrive, and rates beyond the clock's resolution.
fn arrivals(scenario: &Scenario) -> Result<(), String> {
    let Scenario { rate, arrivals, .. } = scenario;
    if *rate == 0 {
        let is_plain = *arrivals == Arrivals::default();
        let why = "there are no arrivals without a rate; set rate, or omit arrivals";
        return if is_plain { Ok(()) } else { Err(format!("arrivals {arrivals}: {why}")) };
    }
    if *rate > Scenario::MOST_RATE {
        return Err(format!("rate {rate}: from 1 to {} a second", Scenario::MOST_RATE));
    }
    match scenario.lacks_open_loop() {
        None => Ok(()),
        Some(why) => Err(format!("rate {rate}: {why}")),
    }
}

/// Incompatible options of connections.
pub(super) fn course(scenario: &Scenario) -> Result<(), String> {
    arrivals(scenario)?;
    let is_handshake = matches!(scenario.work, Work::Handshake);
    let is_full = is_handshake && scenario.resumption == Resumption::None;
    let is_fresh = scenario.context == ContextUse::Fresh || scenario.start == Start::Cold;
    if is_fresh && (!is_full || scenario.processors() > 1) {
        return Err(
            "context fresh and start cold: only a full handshake in one thread supports them".to_owned()
        );
    }
    if scenario.context == ContextUse::Fresh && scenario.start == Start::Cold {
        return Err("start cold: its contexts are fresh anyway; omit context".to_owned());
    }
    if scenario.concurrent && (!is_handshake || scenario.threads > 1) {
        return Err("concurrent: only a handshake can have it, and with one thread a side".to_owned());
    }
    if !(1..=MOST_THREADS).contains(&scenario.threads) {
        return Err(format!("threads {}: from 1 to {MOST_THREADS}", scenario.threads));
    }
    if scenario.threads > 1 && scenario.resumption != Resumption::None && scenario.sharing == Sharing::Shared
    {
        let why =
            "a client's context remembers one session, which several threads would take from each other";
        return Err(format!("threads with resumption: {why}; set sharing to private"));
    }
    if scenario.threads == 1 && scenario.sharing == Sharing::Private {
        return Err(
            "sharing private: a single thread shares its contexts with no other; omit sharing".to_owned()
        );
    }
    Ok(())
}

const MOST_THREADS: u32 = 1024;

/// Rejects axes that a library with its own defaults decides.
pub(super) fn defaults(scenario: &Scenario) -> Result<(), String> {
    if !scenario.defaults {
        return Ok(());
    }
    // What is compared beyond these: name, work, certificate, verification, and the connection's course.
    let plain = Scenario::plain(scenario.work);
    let pinned = [
        ("version", scenario.version != plain.version),
        ("group", scenario.group != plain.group),
        ("suite", scenario.suite != plain.suite),
        ("tickets", scenario.tickets != plain.tickets),
        ("resumption", scenario.resumption != plain.resumption),
        ("authentication", scenario.authentication != plain.authentication),
        ("hello_retry", scenario.hello_retry),
        ("early_data", scenario.early_data > 0),
        ("server_key_share", scenario.server_key_share != plain.server_key_share),
        ("roots", scenario.roots > 0),
    ];
    if scenario.work != Work::Handshake {
        return Err("defaults: only a handshake can have them; set work to handshake".to_owned());
    }
    match pinned.into_iter().find(|(_, is_pinned)| *is_pinned) {
        None => Ok(()),
        Some((axis, _)) => Err(format!("defaults: the library decides the axis {axis}; remove it")),
    }
}

/// Rejects a write that no driver accepts.
pub(super) fn write(write: &Write) -> Result<(), String> {
    if write.name.len() > 40 {
        return Err("a write's name is longer than 40 bytes".to_owned());
    }
    bytes(&format!("write \"{}\": bytes", write.name), write.bytes)?;
    if write.burst == 0 || write.burst > 1024 {
        return Err(format!("write \"{}\": burst must be from 1 to 1024", write.name));
    }
    Ok(())
}

/// Rejects a size that no driver accepts.
pub(super) fn bytes(axis: &str, bytes: u32) -> Result<(), String> {
    if (1..=16 * 1024 * 1024).contains(&bytes) {
        return Ok(());
    }
    Err(format!("{axis} must be from 1 to 16777216"))
}

/// The axes of an operation. It has no connection.
pub(super) fn message(operation: Operation, message: &Write) -> Result<(), String> {
    match (operation, message) {
        (Operation::Connection, Write { bytes: 0, burst: 1, .. }) => Ok(()),
        (Operation::Connection, Write { name, burst: 2.., .. }) => {
            Err(format!("write \"{name}\": each connection is a burst of its own; burst must be 1"))
        }
        _ => write(message),
    }
}

/// The required and the invalid axes of a kind of work.
pub(super) fn axes(kind: WorkKind, axes: &Axes) -> Result<(), String> {
    let primitive = kind == WorkKind::Primitive;
    match axes.of_connections().into_iter().find(|(_, is_given)| primitive && *is_given) {
        None => Ok(()),
        Some((axis, _)) => Err(format!("a primitive has no axis {axis}; remove it")),
    }
}

/// The additional data of an AEAD, bytes.
pub(super) fn header(operation: Operation, bytes: Option<u32>) -> Result<u32, String> {
    match (operation, bytes) {
        (_, None) => Ok(HEADER_OF_TLS_1_3),
        (
            Operation::AeadSeal | Operation::AeadOpen,
            Some(bytes @ (HEADER_OF_TLS_1_3 | HEADER_OF_TLS_1_2)),
        ) => Ok(bytes),
        (Operation::AeadSeal | Operation::AeadOpen, Some(bytes)) => Err(format!(
            "header_bytes {bytes}: a record's header has 5 bytes in TLS 1.3, and 13 count as one in TLS 1.2"
        )),
        (other, Some(_)) => Err(format!("operation {other} has no axis header_bytes; remove it")),
    }
}
