//! A family: one file whose axes multiply out to scenarios.

use serde::Deserialize;
use tlslab_protocol::{
    Authentication, CipherSuite, ConnectionAge, Group, KeyType, ProtocolVersion, Resumption, Scenario, Side,
    Verification, Work,
};

use crate::ScenarioError;

/// The most scenarios that one file may resolve to: far above any sensible matrix, far below what fills the memory.
const MOST_SCENARIOS: usize = 10_000;

/// A scenario file.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// A few words.
    pub title: String,
    /// What is done, in sentences.
    pub description: String,
    /// Everything that the axes multiply out to, in the file's order.
    pub scenarios: Vec<Scenario>,
}

impl Family {
    /// Resolves a file. `file` is its name for errors.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScenarioError> {
        let error = |cause: String| ScenarioError::File { file: file.to_owned(), cause };
        let written: Written = toml::from_str(text).map_err(|cause| error(cause.to_string()))?;
        let axes = &written.axes;
        // Counted before anything is multiplied out: a small file can ask for very many.
        let count = [
            axes.sender.as_ref().map_or(1, |axis| axis.0.len()),
            axes.connection.as_ref().map_or(1, |axis| axis.0.len()),
            axes.write.as_ref().map_or(1, |axis| axis.0.len()),
            axes.version.0.len(),
            axes.signature.0.len(),
            axes.group.0.len(),
            axes.suite.0.len(),
            axes.verification.0.len(),
            axes.tickets.0.len(),
            axes.resumption.0.len(),
            axes.authentication.0.len(),
        ]
        .iter()
        .try_fold(1_usize, |product, len| product.checked_mul(*len));
        match count {
            Some(0) => return Err(error("an axis has no values; give it one, or leave it out".to_owned())),
            Some(count) if count <= MOST_SCENARIOS => {}
            _ => return Err(error(format!("more than {MOST_SCENARIOS} scenarios; split the file"))),
        }
        let works = written.works().map_err(error)?;
        let sessions = written.sessions();
        let mut scenarios = Vec::new();
        for &version in &axes.version.0 {
            for &signature in &axes.signature.0 {
                for &group in &axes.group.0 {
                    for &suite in &axes.suite.0 {
                        for &verification in &axes.verification.0 {
                            for &(tickets, resumption, authentication) in &sessions {
                                for (work, write) in &works {
                                    let mut scenario = Scenario {
                                        name: String::new(),
                                        work: *work,
                                        version,
                                        signature,
                                        group,
                                        suite: suite_of(suite, version, signature).map_err(error)?,
                                        verification,
                                        tickets,
                                        resumption,
                                        authentication,
                                    };
                                    check_session(&scenario).map_err(error)?;
                                    scenario.name = name(&written.name, &scenario, write).map_err(error)?;
                                    scenarios.push(scenario);
                                }
                            }
                        }
                    }
                }
            }
        }
        Ok(Self { title: written.title, description: written.description.trim().to_owned(), scenarios })
    }
}

/// The file as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    title: String,
    #[serde(default)]
    description: String,
    name: String,
    work: WorkKind,
    axes: Axes,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum WorkKind {
    Handshake,
    Transfer,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Axes {
    version: Axis<ProtocolVersion>,
    signature: Axis<KeyType>,
    group: Axis<Group>,
    suite: Axis<CipherSuite>,
    verification: Axis<Verification>,
    #[serde(default = "no_tickets")]
    tickets: Axis<u32>,
    #[serde(default)]
    resumption: Axis<Resumption>,
    #[serde(default)]
    authentication: Axis<Authentication>,
    sender: Option<Axis<Side>>,
    connection: Option<Axis<ConnectionAge>>,
    write: Option<Axis<Write>>,
}

fn no_tickets() -> Axis<u32> {
    Axis(vec![0])
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Write {
    name: String,
    bytes: u32,
    #[serde(default = "one")]
    burst: u32,
}

fn one() -> u32 {
    1
}

/// One value or a list of values.
struct Axis<T>(Vec<T>);

impl<T: Default> Default for Axis<T> {
    fn default() -> Self {
        Self(vec![T::default()])
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Axis<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Untagged enums swallow the reason why a value was refused, so the shape is decided by hand.
        struct Either<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> serde::de::Visitor<'de> for Either<T> {
            type Value = Axis<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a value or a list of values")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Axis<T>, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(Axis(values))
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Axis<T>, A::Error> {
                let value = T::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                Ok(Axis(vec![value]))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Axis<T>, E> {
                T::deserialize(serde::de::value::StrDeserializer::new(text)).map(|value| Axis(vec![value]))
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Axis<T>, E> {
                T::deserialize(serde::de::value::I64Deserializer::new(number)).map(|value| Axis(vec![value]))
            }
        }
        deserializer.deserialize_any(Either(std::marker::PhantomData))
    }
}

impl Written {
    /// What the axes on sessions and certificates give.
    fn sessions(&self) -> Vec<(u32, Resumption, Authentication)> {
        let Axes { tickets, resumption, authentication, .. } = &self.axes;
        let mut sessions = Vec::new();
        for &tickets in &tickets.0 {
            for &resumption in &resumption.0 {
                sessions.extend(authentication.0.iter().map(|who| (tickets, resumption, *who)));
            }
        }
        sessions
    }

    /// Every kind of work that the axes give, with the name of its write size.
    fn works(&self) -> Result<Vec<(Work, String)>, String> {
        let Axes { sender, connection, write, .. } = &self.axes;
        match (self.work, sender, connection, write) {
            (WorkKind::Handshake, None, None, None) => Ok(vec![(Work::Handshake, String::new())]),
            (WorkKind::Handshake, ..) => {
                Err("a handshake has no axes sender, connection or write; remove them".to_owned())
            }
            (WorkKind::Transfer, Some(senders), Some(connections), Some(writes)) => {
                let mut works = Vec::new();
                for &sender in &senders.0 {
                    for write in &writes.0 {
                        check_write(write)?;
                        for &connection in &connections.0 {
                            // A fresh connection carries one write, so it has no bursts.
                            let burst = if connection == ConnectionAge::Fresh { 1 } else { write.burst };
                            let work = Work::Transfer { sender, write_bytes: write.bytes, connection, burst };
                            works.push((work, write.name.clone()));
                        }
                    }
                }
                Ok(works)
            }
            (WorkKind::Transfer, ..) => {
                Err("a transfer needs the axes sender, connection and write".to_owned())
            }
        }
    }
}

/// The suite that a version has for a kind of protection and a kind of certificate, whichever version's was written. A
/// suite without counterparts stands for itself.
fn suite_of(written: CipherSuite, version: ProtocolVersion, key: KeyType) -> Result<CipherSuite, String> {
    if written.counterpart(ProtocolVersion::TLS13, key).is_none() {
        return Ok(written);
    }
    written.counterpart(version, key).ok_or_else(|| {
        format!("suite {written}: no suite of {version} protects data in this way with a {key} certificate")
    })
}

/// What cannot be, or what nobody could measure.
fn check_session(scenario: &Scenario) -> Result<(), String> {
    let Scenario { version, resumption, group, tickets, .. } = scenario;
    if *version == ProtocolVersion::TLS12
        && (*tickets > 1 || *tickets == 1 && *resumption != Resumption::Ticket)
    {
        return Err(format!("tickets {tickets}: TLS 1.2 has one where resumption is ticket, and else none"));
    }
    if *version == ProtocolVersion::TLS12 && [Group::X25519MLKEM768, Group::SECP256R1MLKEM768].contains(group)
    {
        return Err(format!("group {group}: TLS 1.2 has no group with ML-KEM"));
    }
    if *resumption == Resumption::None {
        return Ok(());
    }
    if matches!(scenario.work, Work::Transfer { .. }) {
        return Err(format!("resumption {resumption}: only a handshake can have it"));
    }
    if scenario.authentication == Authentication::Mutual {
        return Err(format!(
            "resumption {resumption}: a resumed handshake has no certificates; leave authentication out"
        ));
    }
    if *resumption == Resumption::SessionId && *version != ProtocolVersion::TLS12 {
        return Err(format!("resumption session-id: {version} has none; it has ticket"));
    }
    if *resumption == Resumption::Ticket && scenario.tickets == 0 {
        return Err("resumption ticket: the server has to send tickets; set the axis tickets to 1".to_owned());
    }
    Ok(())
}

fn check_write(write: &Write) -> Result<(), String> {
    if write.name.len() > 40 {
        return Err("a write's name is longer than 40 bytes".to_owned());
    }
    if write.bytes == 0 || write.bytes > 16 * 1024 * 1024 {
        return Err(format!("write \"{}\": bytes must be from 1 to 16777216", write.name));
    }
    if write.burst == 0 || write.burst > 1024 {
        return Err(format!("write \"{}\": burst must be from 1 to 1024", write.name));
    }
    Ok(())
}

/// Fills in a name's placeholders.
fn name(template: &str, scenario: &Scenario, write: &str) -> Result<String, String> {
    if template.len() > 400 {
        return Err("name: the template is longer than 400 bytes".to_owned());
    }
    let mut name = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (axis, after) =
            after.split_once('}').ok_or_else(|| format!("name: \"{template}\" has a {{ without a }}"))?;
        name.push_str(before);
        name.push_str(&value(axis, scenario, write)?);
        rest = after;
    }
    name.push_str(rest);
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-+._/".contains(letter);
    if name.is_empty() || name.len() > 200 || !name.chars().all(allowed) {
        return Err(format!("name: \"{name}\" must have 1 to 200 letters, digits or any of - + . _ /"));
    }
    Ok(name)
}

fn value(axis: &str, scenario: &Scenario, write: &str) -> Result<String, String> {
    Ok(match (axis, &scenario.work) {
        ("version", _) => scenario.version.short_name().into_owned(),
        ("signature", _) => scenario.signature.to_string(),
        ("group", _) => scenario.group.short_name().into_owned(),
        ("suite", _) => scenario.suite.protection().into_owned(),
        ("verification", _) => scenario.verification.to_string(),
        ("resumption", _) => scenario.resumption.to_string(),
        ("authentication", _) => scenario.authentication.to_string(),
        ("tickets", _) => scenario.tickets.to_string(),
        ("sender", Work::Transfer { sender, .. }) => sender.to_string(),
        ("connection", Work::Transfer { connection, .. }) => connection.name().to_owned(),
        ("write", Work::Transfer { .. }) => write.to_owned(),
        _ => return Err(format!("name: there is no axis \"{axis}\" to fill in")),
    })
}
