//! A scenario under construction: each axis sets one field.

use tlslab_protocol::{
    Algorithm, CipherSuite, ConnectionAge, Operation, Primitive, ProtocolVersion, Resumption, Scenario, Side,
    Work,
};

use super::axis::Axis;
use super::check;
use super::written::{Axes, WorkKind, Write};

/// The fields set by the axes.
#[derive(Clone)]
pub(crate) struct Draft {
    pub scenario: Scenario,
    pub sender: Option<Side>,
    pub connection: Option<ConnectionAge>,
    pub write: Option<Write>,
    pub request_bytes: Option<u32>,
    pub response_bytes: Option<u32>,
    pub held: Option<u32>,
    pub operation: Option<Operation>,
    pub algorithm: Option<Algorithm>,
    pub message: Option<Write>,
    pub header_bytes: Option<u32>,
}

/// Sets one value of one axis.
pub(super) type Setting = Box<dyn Fn(&mut Draft)>;

impl Axes {
    /// Each axis with the settings of each of its values; the last axis varies fastest.
    pub(crate) fn settings(&self) -> Vec<(&'static str, Vec<Setting>)> {
        vec![
            ("version", each_if(self.version.as_ref(), |draft, version| draft.scenario.version = version)),
            (
                "signature",
                each_if(self.signature.as_ref(), |draft, signature| draft.scenario.signature = signature),
            ),
            ("group", each_if(self.group.as_ref(), |draft, group| draft.scenario.group = group)),
            ("suite", each_if(self.suite.as_ref(), |draft, suite| draft.scenario.suite = suite)),
            (
                "verification",
                each_if(self.verification.as_ref(), |draft, verification| {
                    draft.scenario.verification = verification
                }),
            ),
            ("tickets", each(&self.tickets, |draft, tickets| draft.scenario.tickets = tickets)),
            (
                "resumption",
                each(&self.resumption, |draft, resumption| draft.scenario.resumption = resumption),
            ),
            ("authentication", each(&self.authentication, |draft, who| draft.scenario.authentication = who)),
            ("hello_retry", each(&self.hello_retry, |draft, retry| draft.scenario.hello_retry = retry)),
            ("early_data", each(&self.early_data, |draft, bytes| draft.scenario.early_data = bytes)),
            (
                "server_key_share",
                each(&self.server_key_share, |draft, when| draft.scenario.server_key_share = when),
            ),
            ("context", each(&self.context, |draft, context| draft.scenario.context = context)),
            ("start", each(&self.start, |draft, start| draft.scenario.start = start)),
            ("transport", each(&self.transport, |draft, transport| draft.scenario.transport = transport)),
            (
                "concurrent",
                each(&self.concurrent, |draft, concurrent| draft.scenario.concurrent = concurrent),
            ),
            ("threads", each(&self.threads, |draft, threads| draft.scenario.threads = threads)),
            ("sharing", each(&self.sharing, |draft, sharing| draft.scenario.sharing = sharing)),
            ("chain", each(&self.chain, |draft, chain| draft.scenario.chain = chain)),
            ("rate", each(&self.rate, |draft, rate| draft.scenario.rate = rate)),
            ("arrivals", each(&self.arrivals, |draft, arrivals| draft.scenario.arrivals = arrivals)),
            ("roots", each(&self.roots, |draft, roots| draft.scenario.roots = roots)),
            ("defaults", each(&self.defaults, |draft, defaults| draft.scenario.defaults = defaults)),
            ("sender", each_if(self.sender.as_ref(), |draft, sender| draft.sender = Some(sender))),
            ("write", each_if(self.write.as_ref(), |draft, write| draft.write = Some(write))),
            (
                "connection",
                each_if(self.connection.as_ref(), |draft, connection| draft.connection = Some(connection)),
            ),
            (
                "request_bytes",
                each_if(self.request_bytes.as_ref(), |draft, bytes| draft.request_bytes = Some(bytes)),
            ),
            (
                "response_bytes",
                each_if(self.response_bytes.as_ref(), |draft, bytes| draft.response_bytes = Some(bytes)),
            ),
            ("held", each_if(self.held.as_ref(), |draft, held| draft.held = Some(held))),
            (
                "operation",
                each_if(self.operation.as_ref(), |draft, operation| draft.operation = Some(operation)),
            ),
            (
                "algorithm",
                each_if(self.algorithm.as_ref(), |draft, algorithm| draft.algorithm = Some(algorithm)),
            ),
            ("message", each_if(self.message.as_ref(), |draft, message| draft.message = Some(message))),
            (
                "header_bytes",
                each_if(self.header_bytes.as_ref(), |draft, bytes| draft.header_bytes = Some(bytes)),
            ),
        ]
    }
}

fn each<T: Clone + 'static>(axis: &Axis<T>, set: fn(&mut Draft, T)) -> Vec<Setting> {
    let setting = |value: &T| -> Setting {
        let value = value.clone();
        Box::new(move |draft| set(draft, value.clone()))
    };
    axis.0.iter().map(setting).collect()
}

/// An omitted axis counts as one value without a setting.
fn each_if<T: Clone + 'static>(axis: Option<&Axis<T>>, set: fn(&mut Draft, T)) -> Vec<Setting> {
    axis.map_or_else(|| vec![Box::new(|_: &mut Draft| ()) as Setting], |axis| each(axis, set))
}

impl Draft {
    /// Before any axis is applied: every optional axis has its default.
    pub(crate) fn blank() -> Self {
        Self {
            scenario: Scenario::plain(Work::Handshake),
            sender: None,
            connection: None,
            write: None,
            request_bytes: None,
            response_bytes: None,
            held: None,
            operation: None,
            algorithm: None,
            message: None,
            header_bytes: None,
        }
    }

    /// The scenario, or why it is invalid.
    pub(crate) fn finish(self, kind: WorkKind, name: &str) -> Result<Scenario, String> {
        let mut scenario = self.scenario.clone();
        scenario.work = self.work(kind)?;
        if let Work::Primitive(primitive) = scenario.work {
            // The rest of a scenario determines the keys, and describes the work.
            match primitive.algorithm {
                Algorithm::Hash(_) => {}
                Algorithm::Aead(suite) => scenario.suite = suite,
                Algorithm::Signature(key) => scenario.signature = key,
                Algorithm::Group(group) => scenario.group = group,
            }
        }
        check::certificates(&scenario)?;
        scenario.suite = suite_of(&scenario)?;
        check::scenario(&scenario)?;
        check::course(&scenario)?;
        check::defaults(&scenario)?;
        let write = self.write.as_ref().or(self.message.as_ref()).map_or("", |write| &write.name);
        scenario.name = super::name::name(name, &scenario, write)?;
        Ok(scenario)
    }

    fn work(&self, kind: WorkKind) -> Result<Work, String> {
        if kind == WorkKind::Primitive {
            return self.primitive();
        }
        let of_message = self.message.is_some() || self.header_bytes.is_some();
        if self.operation.is_some() || self.algorithm.is_some() || of_message {
            return Err(
                "only a primitive has the axes operation, algorithm, message and header_bytes; remove them"
                    .to_owned(),
            );
        }
        let Self { sender, connection, write, held, .. } = self;
        if kind != WorkKind::Request && (self.request_bytes.is_some() || self.response_bytes.is_some()) {
            return Err(
                "only a request has the axes request_bytes and response_bytes; remove them".to_owned()
            );
        }
        match (kind, *held) {
            (WorkKind::Idle, Some(connections))
                if sender.is_none() && connection.is_none() && write.is_none() =>
            {
                check::held(connections)?;
                return Ok(Work::Idle { connections });
            }
            (WorkKind::Idle, _) => {
                return Err(
                    "idle connections need the axis held, and have no sender, connection or write".to_owned()
                );
            }
            (_, Some(_)) => {
                return Err("only idle connections have the axis held; remove it".to_owned());
            }
            (_, None) => {}
        }
        match (kind, *sender, *connection, write) {
            (WorkKind::Handshake, None, None, None) => Ok(Work::Handshake),
            (WorkKind::Handshake, ..) => {
                Err("a handshake has no axes sender, connection or write; remove them".to_owned())
            }
            (WorkKind::Transfer, Some(sender), Some(connection), Some(write)) => {
                check::write(write)?;
                // A fresh connection carries one write, so it has no bursts.
                let burst = if connection == ConnectionAge::Fresh { 1 } else { write.burst };
                Ok(Work::Transfer { sender, write_bytes: write.bytes, connection, burst })
            }
            (WorkKind::Transfer | WorkKind::Idle, ..) => {
                Err("a transfer needs the axes sender, connection and write".to_owned())
            }
            (WorkKind::Exchange, None, None, Some(write)) => {
                check::write(write)?;
                Ok(Work::Exchange { write_bytes: write.bytes, burst: write.burst })
            }
            (WorkKind::Exchange, ..) => {
                Err("an exchange needs the axis write, and has no axes sender and connection".to_owned())
            }
            (WorkKind::Request, ..) => self.request(),
            (WorkKind::Primitive, ..) => self.primitive(),
        }
    }

    fn request(&self) -> Result<Work, String> {
        if self.sender.is_some() || self.connection.is_some() || self.write.is_some() {
            return Err("a request has no axes sender, connection or write; remove them".to_owned());
        }
        let request_bytes = self.request_bytes.unwrap_or(REQUEST_BYTES);
        let response_bytes = self.response_bytes.unwrap_or(RESPONSE_BYTES);
        check::bytes("request_bytes", request_bytes)?;
        check::bytes("response_bytes", response_bytes)?;
        Ok(Work::Request { request_bytes, response_bytes })
    }

    fn primitive(&self) -> Result<Work, String> {
        let (Some(operation), Some(algorithm)) = (self.operation, self.algorithm) else {
            return Err("a primitive needs the axes operation and algorithm".to_owned());
        };
        if self.sender.is_some() || self.connection.is_some() || self.write.is_some() {
            return Err("a primitive has no axes sender, connection or write; remove them".to_owned());
        }
        if !operation.fits(algorithm) {
            return Err(format!("operation {operation} does not work with {algorithm}; split the file"));
        }
        let (bytes, burst) = match (&self.message, operation.is_sized()) {
            (Some(message), true) => {
                check::message(operation, message)?;
                (message.bytes, message.burst)
            }
            (None, false) => (0, 1),
            (None, true) => return Err(format!("operation {operation} needs the axis message")),
            (Some(_), false) => return Err(format!("operation {operation} has no axis message; remove it")),
        };
        let header_bytes = check::header(operation, self.header_bytes)?;
        Ok(Work::Primitive(Primitive { operation, algorithm, bytes, burst, header_bytes }))
    }
}

/// A request with a few headers, and a small page.
const REQUEST_BYTES: u32 = 200;
const RESPONSE_BYTES: u32 = 8 * 1024;

/// A version's suite for a kind of protection, of certificate or pre-shared key and of group, regardless of
/// the version in which it was written. A suite without counterparts means itself.
fn suite_of(scenario: &Scenario) -> Result<CipherSuite, String> {
    let Scenario { suite: written, version, signature, group, resumption, .. } = *scenario;
    if version == ProtocolVersion::TLS12 && resumption.is_external_psk() {
        let exchange = (resumption == Resumption::ExternalPsk).then_some(group);
        return Ok(written.by_psk(exchange).unwrap_or(written));
    }
    if written.counterpart(ProtocolVersion::TLS13, signature, group).is_none() {
        return Ok(written);
    }
    written.counterpart(version, signature, group).ok_or_else(|| {
        format!(
            "suite {written}: no suite of {version} protects data in this way with {group} and a {signature} certificate"
        )
    })
}
