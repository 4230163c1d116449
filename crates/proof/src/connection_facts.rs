//! The facts of one connection, in the form that results store and reports show.

use serde::{Deserialize, Serialize};
use tlslab_protocol::{CipherSuite, Group, ProtocolVersion, Side, SignatureScheme};

use crate::{Blocks, CertificateKey, Fact, Source};

/// All facts of a connection.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ConnectionFacts {
    /// The negotiated version.
    pub version: Fact<ProtocolVersion>,
    /// The negotiated cipher suite.
    pub suite: Fact<CipherSuite>,
    /// The negotiated group.
    pub group: Fact<Group>,
    /// The scheme of the server's CertificateVerify.
    pub signature_scheme: Fact<SignatureScheme>,
    /// The key in the server's certificate.
    pub certificate_key: Fact<CertificateKey>,
    /// The key in the client's certificate, if it presents one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate_key: Option<Fact<CertificateKey>>,
    /// Whether the session was resumed.
    pub resumed: Fact<bool>,
    /// Whether the server sent a HelloRetryRequest.
    pub hello_retry_request: Fact<bool>,
    /// Session tickets that the server sent.
    pub tickets: Fact<u32>,
    /// Bytes of early data that the server accepted, if the scenario has early data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early_data: Option<Fact<u64>>,
    /// The client's offer. From the wire.
    pub offer: Offer,
    /// The lengths of the flights. From the wire.
    pub sizes: FlightSizes,
    /// The numbers of records. From the wire.
    pub records: RecordCounts,
    /// The application data.
    pub data: DataFacts,
    /// Bytes of each side's closing alert, record headers included, if the scenario closes the connection.
    /// From the wire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close: Option<BySide<u64>>,
    /// The number of certificates that the server presents; `None` if it presents none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificates: Option<Fact<u32>>,
    /// The number that the client presents; `None` if it presents none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificates: Option<Fact<u32>>,
}

/// A client's offer in its first ClientHello, without the values that RFC 8701 reserves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Offer {
    /// The versions.
    pub versions: Vec<ProtocolVersion>,
    /// The cipher suites, without the signalling values.
    pub suites: Vec<CipherSuite>,
    /// The groups.
    pub groups: Vec<Group>,
    /// The groups with a key share.
    pub key_shares: Vec<Group>,
    /// The signature schemes for CertificateVerify.
    pub signature_schemes: Vec<SignatureScheme>,
    /// The server's name.
    pub server_name: Option<String>,
    /// The application protocols.
    pub alpn: Vec<String>,
    /// Whether a session was offered for resumption with TLS 1.3's `pre_shared_key`.
    pub pre_shared_key: bool,
    /// Whether a TLS 1.2 session ticket was offered.
    #[serde(default)]
    pub session_ticket: bool,
    /// Whether a session id was sent. In TLS 1.3 it has no meaning.
    #[serde(default)]
    pub session_id: bool,
    /// The modes in which a pre-shared key may be used, as code points (RFC 8446, section 4.2.9).
    #[serde(default)]
    pub psk_modes: Vec<u8>,
    /// Whether early data was announced.
    pub early_data: bool,
    /// The types of all extensions, in order.
    pub extensions: Vec<u16>,
    /// Whether there were reserved values (GREASE) in any list.
    pub grease: bool,
}

/// The handshake's sizes. Flights count every byte on the wire, record headers included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FlightSizes {
    /// The first ClientHello as a message, bytes.
    pub client_hello_bytes: u64,
    /// The ServerHello as a message, bytes.
    pub server_hello_bytes: u64,
    /// The client's hello messages, and early data if there is some, bytes.
    pub client_first_flight_bytes: u64,
    /// From ServerHello to the server's Finished, bytes.
    pub server_flight_bytes: u64,
    /// The client's Finished and the messages with it, bytes.
    pub client_second_flight_bytes: u64,
    /// Messages that the server sends without a request after the handshake, bytes.
    pub post_handshake_bytes: u64,
    /// How often the client waits for the server until its handshake is done: the number of the server's
    /// flights so far.
    #[serde(default)]
    pub round_trips: u64,
    /// Session tickets, bytes: in TLS 1.2 their messages, in TLS 1.3 all that the server sends after the
    /// handshake.
    #[serde(default)]
    pub ticket_bytes: u64,
}

/// Numbers of records. Those of the handshake include everything sent during it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordCounts {
    /// In the handshake.
    pub handshake: BySide<u64>,
    /// After it and before any data.
    pub post_handshake: BySide<u64>,
    /// With application data.
    pub data: BySide<u64>,
}

/// A value for each sending side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BySide<T> {
    /// The client's value.
    pub client: T,
    /// The server's value.
    pub server: T,
}

impl<T> BySide<T> {
    /// The value of one side.
    pub fn side(&self, side: Side) -> &T {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }
}

/// The application data of a connection.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DataFacts {
    /// What each side sent. From the wire.
    pub sent: BySide<SentData>,
    /// Bytes on the wire per byte of plaintext; `None` without data.
    pub expansion: Option<f64>,
    /// Bytes of plaintext passed to the sender. From the driver.
    pub plaintext_sent: u64,
    /// Bytes of plaintext that arrived unaltered. From the driver.
    pub plaintext_received: u64,
}

/// The application data that one side sent.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SentData {
    /// Bytes, including record headers.
    pub wire_bytes: u64,
    /// A histogram of record sizes, the largest first.
    pub record_sizes: Vec<RecordSize>,
    /// The cipher blocks for these records.
    #[serde(default)]
    pub blocks: Blocks,
}

/// A bin of a histogram.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordSize {
    /// Plaintext in the record, bytes: the ciphertext's length without content type and tag. Padding counts
    /// as plaintext, since the wire does not distinguish them.
    pub plaintext_bytes: u64,
    /// Records of this size.
    pub count: u64,
}

/// A row of the summary: a fact, its value and its sources.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The fact's name.
    pub fact: String,
    /// Its value, or `not shown` with the reason.
    pub value: String,
    /// The sources; empty if it is not shown.
    pub sources: Vec<Source>,
}

impl ConnectionFacts {
    /// All facts as text, one per row, in a fixed order.
    pub fn rows(&self) -> Vec<Row> {
        let yes_no = |value: &bool| if *value { "yes" } else { "no" }.to_owned();
        let mut rows = vec![
            row("version", &self.version, ToString::to_string),
            row("suite", &self.suite, ToString::to_string),
            row("group", &self.group, ToString::to_string),
            row("signature scheme", &self.signature_scheme, ToString::to_string),
            row("certificate key", &self.certificate_key, ToString::to_string),
            row("resumed", &self.resumed, yes_no),
            row("HelloRetryRequest", &self.hello_retry_request, yes_no),
            row("tickets", &self.tickets, ToString::to_string),
        ];
        if let Some(bytes) = &self.early_data {
            rows.push(row("early data", bytes, |bytes| format!("{bytes} bytes")));
        }
        if let Some(key) = &self.client_certificate_key {
            rows.push(row("client's certificate key", key, ToString::to_string));
        }
        for (name, count) in
            [("certificates", &self.certificates), ("client's certificates", &self.client_certificates)]
        {
            rows.extend(count.as_ref().map(|count| row(name, count, ToString::to_string)));
        }
        let sizes = &self.sizes;
        let mut wire = |fact: &str, value: String| {
            rows.push(Row { fact: fact.to_owned(), value, sources: vec![Source::Wire] });
        };
        wire("client's first flight", format!("{} bytes", sizes.client_first_flight_bytes));
        wire("server's flight", format!("{} bytes", sizes.server_flight_bytes));
        wire("client's second flight", format!("{} bytes", sizes.client_second_flight_bytes));
        wire("after the handshake", format!("{} bytes", sizes.post_handshake_bytes));
        wire("round trips", sizes.round_trips.to_string());
        wire("extensions", format!("{:?}", self.offer.extensions));
        for side in Side::BOTH {
            let sent = self.data.sent.side(side);
            if sent.wire_bytes > 0 {
                wire(&format!("{side}'s data"), format!("{} bytes in {}", sent.wire_bytes, sent.sizes()));
            }
        }
        for side in Side::BOTH {
            let Blocks { cipher, authenticator } = self.data.sent.side(side).blocks;
            if cipher > 0 {
                wire(
                    &format!("{side}'s blocks"),
                    format!("{cipher} of the cipher, {authenticator} authenticated"),
                );
            }
        }
        if let Some(close) = &self.close {
            for side in Side::BOTH {
                wire(&format!("{side}'s closing alert"), format!("{} bytes", close.side(side)));
            }
        }
        if let Some(expansion) = self.data.expansion {
            wire("expansion", format!("{expansion:.4}"));
        }
        rows
    }
}

impl SentData {
    /// The histogram as text, such as `64 × 16384`.
    pub(crate) fn sizes(&self) -> String {
        if self.record_sizes.is_empty() {
            return "no records".to_owned();
        }
        let bars = self.record_sizes.iter().map(|size| format!("{} × {}", size.count, size.plaintext_bytes));
        bars.collect::<Vec<_>>().join(" + ")
    }
}

fn row<T>(fact: &str, seen: &Fact<T>, text: impl Fn(&T) -> String) -> Row {
    let value = match seen {
        Fact::Shown { value, .. } => text(value),
        Fact::NotShown { not_shown } => format!("not shown: {not_shown}"),
    };
    Row { fact: fact.to_owned(), value, sources: seen.sources().to_vec() }
}
