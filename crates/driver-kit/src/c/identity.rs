//! The capabilities of an endpoint in C: the kit asks about every value that the protocol has.

use std::ffi::{c_char, c_int};

use tlslab_protocol::{
    Algorithm, Capabilities, CipherSuite, Group, HashFunction, KeyType, Library, Limit, Measure, Operation,
    ProtocolVersion, Records, ResumptionKind, Scenario, ServerKeyShare, Verification,
};

use super::layout::{CEndpoint, CError, CIdentity};
use super::status::read_text;
use super::values::Value;
use crate::Identity;
use crate::contract::ability::{ANY, TICKETS};

/// The header's `tlslab_axis`.
#[derive(Clone, Copy)]
enum Axis {
    Version = 1,
    Suite,
    Group,
    Signature,
    Resumption,
    Authentication,
    Tickets,
    HelloRetry,
    EarlyData,
    ServerKeyShare,
    Primitive,
    Work,
    Metric,
}

impl Axis {
    fn name(self) -> &'static str {
        match self {
            Axis::Version => "version",
            Axis::Suite => "suite",
            Axis::Group => "group",
            Axis::Signature => "signature",
            Axis::Resumption => "resumption",
            Axis::Authentication => "authentication",
            Axis::Tickets => "tickets",
            Axis::HelloRetry => "hello_retry",
            Axis::EarlyData => "early_data",
            Axis::ServerKeyShare => "server_key_share",
            Axis::Primitive => "primitive",
            Axis::Work => "work",
            Axis::Metric => "metric",
        }
    }
}

/// The reason why key shares cannot be pre-generated, if the endpoint gives none.
const MAKES_KEY_SHARE: &str =
    "the library makes a server's key share in the handshake, and has no call to be given one";

/// The order in which they are listed.
const RESUMPTIONS: [ResumptionKind; 8] = [
    ResumptionKind::SessionId12,
    ResumptionKind::Ticket12,
    ResumptionKind::Ticket13,
    ResumptionKind::TicketReused13,
    ResumptionKind::ExternalPsk13,
    ResumptionKind::ExternalPskOnly13,
    ResumptionKind::ExternalPsk12,
    ResumptionKind::ExternalPskOnly12,
];

/// The identity of an endpoint's library, and all its capabilities.
pub fn identity(endpoint: &CEndpoint) -> Identity {
    identify(endpoint, everything)
}

/// The identity of an endpoint's library, and the capabilities that a scenario needs.
pub fn identity_for(endpoint: &CEndpoint, scenario: Option<&Scenario>) -> Identity {
    identify(endpoint, |asked, said| needed(asked, said, scenario))
}

fn identify(endpoint: &CEndpoint, fill: impl Fn(&mut Asked<'_>, Capabilities) -> Capabilities) -> Identity {
    // SAFETY: all-zero is a valid value of these plain structures, and the endpoint fills it in.
    let identity = unsafe {
        let mut identity: CIdentity = std::mem::zeroed();
        (endpoint.identity)(&mut identity);
        identity
    };
    let mut asked = Asked { endpoint, asks_psk_suites: identity.has_psk_suites == 1, limits: vec![] };
    let mut capabilities = fill(&mut asked, read_capabilities(endpoint, &identity));
    asked.metrics();
    capabilities.limits = asked.limits;
    Identity {
        driver: read_text(identity.driver),
        library: Library {
            name: read_text(identity.library).to_owned(),
            version: read_text(identity.library_version).to_owned(),
            components: vec![],
        },
        capabilities,
    }
}

/// The capabilities that an endpoint's identity states.
fn read_capabilities(endpoint: &CEndpoint, identity: &CIdentity) -> Capabilities {
    Capabilities {
        verification: vec![Verification::None, Verification::Chain, Verification::ChainAndName],
        renews_no_tickets: identity.renews_no_tickets == 1,
        threads: identity.threads == 1,
        flushes: identity.flushes == 1,
        settles_ms: identity.settles_ms,
        reads_roots: identity.reads_roots == 1,
        defaults: identity.leaves_defaults == 1,
        max_tickets: identity.max_tickets,
        max_early_data: identity.max_early_data,
        pregenerated_key_shares: endpoint.make_key_share.is_some(),
        works: endpoint.close.iter().map(|_| "request".to_owned()).collect(),
        offers_more: texts(&identity.offers_more),
        records: records(identity),
        notes: texts(&identity.notes),
        details: texts(&identity.details),
        ..Capabilities::default()
    }
}

fn everything(asked: &mut Asked<'_>, said: Capabilities) -> Capabilities {
    let asks_psk_suites = asked.asks_psk_suites;
    let is_asked = |suite: &CipherSuite| asks_psk_suites || !suite.is_by_psk();
    let suites: Vec<CipherSuite> = CipherSuite::KNOWN.iter().copied().filter(is_asked).collect();
    let mut able = Capabilities {
        versions: asked.those(Axis::Version, ProtocolVersion::KNOWN, Value::version),
        suites: asked.those(Axis::Suite, &suites, Value::suite),
        groups: asked.those(Axis::Group, Group::KNOWN, Value::group),
        signatures: asked.those(Axis::Signature, &KeyType::ALL, Value::key),
        mutual_authentication: asked.can(Axis::Authentication, &Value::named("mutual")),
        hello_retry: asked.can(Axis::HelloRetry, &Value::named(ANY)),
        ..said
    };
    able.resumption = asked.resumptions(&RESUMPTIONS, &able.suites);
    asked.reasons(&able);
    able.primitives = if asked.endpoint.primitive.is_some() { asked.primitives(&able) } else { vec![] };
    able
}

/// Asks about the axes that the kit checks before it passes a scenario to the endpoint, which refuses the
/// rest.
fn needed(asked: &mut Asked<'_>, said: Capabilities, scenario: Option<&Scenario>) -> Capabilities {
    let Some(scenario) = scenario else { return said };
    let is_wanted = |kind: &ResumptionKind| kind.parts() == (scenario.version, scenario.resumption);
    let kinds: Vec<ResumptionKind> = RESUMPTIONS.into_iter().filter(is_wanted).collect();
    let by_psk = asked.asks_psk_suites && scenario.suite.is_by_psk();
    let suites = if by_psk { vec![scenario.suite] } else { vec![] };
    let suites = asked.those(Axis::Suite, &suites, Value::suite);
    let resumption = asked.resumptions(&kinds, &suites);
    let hello_retry = scenario.hello_retry && asked.can(Axis::HelloRetry, &Value::named(ANY));
    if scenario.early_data > said.max_early_data {
        asked.can(Axis::EarlyData, &Value::named(ANY));
    }
    if scenario.server_key_share == ServerKeyShare::Pregenerated {
        asked.key_share();
    }
    Capabilities { resumption, hello_retry, ..said }
}

fn records(identity: &CIdentity) -> Records {
    let whole = Records::default();
    Records {
        plaintext_bytes: match identity.record_plaintext_bytes {
            0 => whole.plaintext_bytes,
            bytes => bytes,
        },
        padding_bytes: identity.record_padding_bytes,
        filled_to_bytes: identity.record_filled_to_bytes.max(1),
        ..whole
    }
}

/// Questions to an endpoint, and the reasons that it has given.
struct Asked<'e> {
    endpoint: &'e CEndpoint,
    /// Whether the endpoint is asked about cipher suites with a pre-shared key.
    asks_psk_suites: bool,
    limits: Vec<Limit>,
}

impl Asked<'_> {
    fn can(&mut self, axis: Axis, value: &Value) -> bool {
        let mut why = CError::none();
        // SAFETY: the value and the buffer for a reason live until the call returns.
        let able = value.lend(|value| unsafe { (self.endpoint.can)(axis as c_int, value, &mut why) }) != 0;
        if let Some(reason) = why.text() {
            self.limit(axis, &value.name, reason);
        }
        able
    }

    fn limit(&mut self, axis: Axis, value: &str, reason: String) {
        self.limits.push(Limit { axis: axis.name().to_owned(), value: value.to_owned(), reason });
    }

    fn those<T: Copy>(&mut self, axis: Axis, known: &[T], value: fn(T) -> Value) -> Vec<T> {
        known.iter().copied().filter(|known| self.can(axis, &value(*known))).collect()
    }

    /// In TLS 1.2 the cipher suites decide whether external PSKs are supported.
    fn resumptions(&mut self, kinds: &[ResumptionKind], suites: &[CipherSuite]) -> Vec<ResumptionKind> {
        let by_psk =
            |alone| move |suite: &&CipherSuite| suite.is_by_psk() && suite.exchanges_no_key() == alone;
        let has = |alone| suites.iter().any(|suite| by_psk(alone)(&suite));
        let is_there = |kind: &ResumptionKind| match kind {
            ResumptionKind::ExternalPsk12 if has(false) => true,
            ResumptionKind::ExternalPskOnly12 if has(true) => true,
            kind => self.can(Axis::Resumption, &Value::resumption(*kind)),
        };
        kinds.iter().copied().filter(is_there).collect()
    }

    /// Asks for the reason if a number of the identity or a missing call shows a limit.
    fn reasons(&mut self, able: &Capabilities) {
        for tickets in TICKETS.into_iter().filter(|tickets| u32::from(*tickets) > able.max_tickets) {
            self.can(Axis::Tickets, &Value { point: tickets, ..Value::named(&tickets.to_string()) });
        }
        self.can(Axis::EarlyData, &Value::named(ANY));
        self.key_share();
        if self.endpoint.close.is_none() {
            self.can(Axis::Work, &Value::named("request"));
        }
        if self.endpoint.primitive.is_none() {
            self.can(Axis::Work, &Value::named("primitive"));
        }
    }

    /// Asks why key shares cannot be pre-generated, if so.
    fn key_share(&mut self) {
        if self.endpoint.make_key_share.is_some() {
            return;
        }
        let before = self.limits.len();
        self.can(Axis::ServerKeyShare, &Value::named(ANY));
        if self.limits.len() == before {
            self.limit(Axis::ServerKeyShare, ANY, MAKES_KEY_SHARE.to_owned());
        }
    }

    /// Asks why a metric cannot be measured, if so.
    fn metrics(&mut self) {
        for metric in [Measure::Heap.name(), Measure::Count.name(), Measure::Kernel.name(), "resident"] {
            self.can(Axis::Metric, &Value::named(metric));
        }
    }

    /// Each operation is asked about as such, and then with each algorithm.
    fn primitives(&mut self, able: &Capabilities) -> Vec<String> {
        let mut claimed = vec![];
        for operation in Operation::ALL {
            let alone = Value { is_claimed: true, ..Value::operation(operation) };
            if !self.can(Axis::Primitive, &alone) {
                continue;
            }
            for (algorithm, is_claimed) in algorithms(operation, able) {
                let name = format!("{operation}/{algorithm}");
                let value = Value { name, operation: alone.operation, is_claimed, ..value_of(algorithm) };
                if self.can(Axis::Primitive, &value) {
                    claimed.push(value.name);
                }
            }
        }
        claimed
    }
}

/// The algorithms of an operation, each with whether the endpoint has claimed it for its TLS.
fn algorithms(operation: Operation, able: &Capabilities) -> Vec<(Algorithm, bool)> {
    let hashes: &[HashFunction] =
        if operation == Operation::HashObject { &HashFunction::ALL } else { &HashFunction::OF_TLS13 };
    let hashes = hashes.iter().map(|hash| (Algorithm::Hash(*hash), true));
    let suites = CipherSuite::TLS13.into_iter();
    let suites = suites.map(|suite| (Algorithm::Aead(suite), able.suites.contains(&suite)));
    let keys =
        KeyType::ALL.into_iter().map(|key| (Algorithm::Signature(key), able.signatures.contains(&key)));
    let groups = Group::KNOWN.iter().map(|group| (Algorithm::Group(*group), able.groups.contains(group)));
    let all = hashes.chain(suites).chain(keys).chain(groups);
    all.filter(|(algorithm, _)| operation.fits(*algorithm)).collect()
}

fn value_of(algorithm: Algorithm) -> Value {
    match algorithm {
        Algorithm::Hash(hash) => Value::hash(hash),
        Algorithm::Aead(suite) => Value::suite(suite),
        Algorithm::Signature(key) => Value::key(key),
        Algorithm::Group(group) => Value::group(group),
    }
}

/// The texts before the null pointer.
fn texts(list: &[*const c_char]) -> Vec<String> {
    list.iter()
        .take_while(|pointer| !pointer.is_null())
        .map(|pointer| read_text(*pointer).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::ffi::c_void;

    use super::*;
    use crate::c::layout::{ABI, CBuffer, CBytes, CFacts, CMaterial, CScenario, CValue};

    unsafe extern "C" fn identity_of_test(identity: *mut CIdentity) {
        // SAFETY: the kit's own structure.
        let identity = unsafe { &mut *identity };
        (identity.driver, identity.library) = (c"test".as_ptr(), c"test".as_ptr());
        identity.notes[0] = c"one note".as_ptr();
        (identity.max_tickets, identity.max_early_data) = (4, 100);
    }

    thread_local! {
        /// The axes that the endpoint was asked about.
        static QUESTIONS: RefCell<Vec<c_int>> = const { RefCell::new(vec![]) };
    }

    /// Supports TLS 1.3 with one cipher suite and curves, and signs only with RSA of 2,048 bits.
    unsafe extern "C" fn can_of_test(axis: c_int, value: *const CValue, why: *mut CError) -> c_int {
        // SAFETY: the kit's own structures.
        let (value, why) = unsafe { (&*value, &mut *why) };
        QUESTIONS.with_borrow_mut(|questions| questions.push(axis));
        let is_able = match axis {
            1 => value.point == 0x0304,
            2 => value.point == 0x1301,
            3 => !read_text(value.name).contains("mlkem"),
            4 => value.bits == 2048,
            11 => value.is_claimed == 1 && value.operation == Operation::Sign as u16 + 1,
            _ => axis == 8,
        };
        if !is_able && axis < 5 {
            for (to, from) in why.text.iter_mut().zip(c"no".to_bytes_with_nul()) {
                to.write(*from as c_char);
            }
        }
        c_int::from(is_able)
    }

    unsafe extern "C" fn context(
        _: c_int,
        _: *const CScenario,
        _: *const CMaterial,
        _: *mut *mut c_void,
        _: *mut CError,
    ) -> c_int {
        -1
    }

    unsafe extern "C" fn make(_: *mut c_void, _: *mut *mut c_void, _: *mut CError) -> c_int {
        -1
    }

    unsafe extern "C" fn free(_: *mut c_void) {}

    unsafe extern "C" fn data(_: *mut c_void, _: CBytes, _: *mut CBuffer, _: *mut CError) -> c_int {
        -1
    }

    unsafe extern "C" fn facts(_: *mut c_void, _: *mut CFacts) {}

    unsafe extern "C" fn primitive(
        _: *const crate::c::layout::CAssignment,
        _: *const CMaterial,
        _: *mut *mut c_void,
        _: *mut CError,
    ) -> c_int {
        -1
    }

    fn endpoint() -> CEndpoint {
        CEndpoint {
            abi: ABI,
            identity: identity_of_test,
            can: can_of_test,
            context,
            context_free: free,
            create: make,
            connection_free: free,
            handshake: data,
            send: data,
            receive: data,
            close: None,
            facts,
            session: None,
            session_free: None,
            resume: None,
            session_copy: None,
            make_key_share: None,
            send_early: None,
            handshake_early: None,
            primitive: Some(primitive),
            primitive_run: None,
            primitive_free: None,
            primitive_collect: None,
            primitive_negotiated: None,
        }
    }

    #[test]
    fn what_an_endpoint_says_of_each_value_becomes_claims_and_limits() {
        let able = identity(&endpoint()).capabilities;
        assert_eq!(able.versions, [ProtocolVersion::TLS13]);
        assert_eq!(able.suites, [CipherSuite::AES_128_GCM]);
        assert_eq!(able.groups.len(), 4);
        assert_eq!(able.signatures, [KeyType::Rsa2048]);
        assert_eq!(able.primitives, ["sign/rsa-2048"]);
        assert_eq!((able.max_tickets, able.max_early_data), (4, 100));
        assert!(able.hello_retry && !able.mutual_authentication && able.resumption.is_empty());
        assert_eq!(able.notes, ["one note"]);
        assert_eq!(able.reason("version", "1.2"), Some("no"));
        assert_eq!(able.reason("group", "x25519mlkem768"), Some("no"));
        assert_eq!(able.reason("server_key_share", "pregenerated"), Some(MAKES_KEY_SHARE));
        assert_eq!(able.reason("suite", "psk-aes-128-gcm"), None, "it says that it has no such suites");
        assert_eq!(able.reason("tickets", "16"), None);
    }

    /// The axes that an endpoint is asked about for a scenario, except metrics, which do not depend on the
    /// library.
    fn asked_for(more: &str) -> Vec<c_int> {
        let text = format!(
            r#"{{"name":"n","work":{{"kind":"handshake"}},"version":"TLSv1.3","signature":"ecdsa-p256",
            "group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none"{more}}}"#
        );
        let scenario: Scenario = tlslab_protocol::decode_line(&text).unwrap();
        QUESTIONS.take();
        identity_for(&endpoint(), Some(&scenario));
        QUESTIONS.take().into_iter().filter(|axis| *axis != Axis::Metric as c_int).collect()
    }

    #[test]
    fn a_library_is_asked_what_the_scenario_needs_and_nothing_else() {
        assert!(asked_for("").is_empty());
        assert!(asked_for(r#","early_data":100"#).is_empty());
        assert_eq!(asked_for(r#","early_data":101"#), [Axis::EarlyData as c_int]);
        assert_eq!(asked_for(r#","hello_retry":true"#), [Axis::HelloRetry as c_int]);
        assert_eq!(asked_for(r#","resumption":"ticket""#), [Axis::Resumption as c_int]);
        assert_eq!(asked_for(r#","server_key_share":"pregenerated""#), [Axis::ServerKeyShare as c_int]);
        identity(&endpoint());
        assert!(QUESTIONS.take().len() > 50);
    }
}
