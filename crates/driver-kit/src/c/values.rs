//! The values that an endpoint in C is asked about, with their names, code points and parts; and the
//! generated header that lists them for drivers.

use std::ffi::{CString, c_char};
use std::ptr;

use tlslab_protocol::{
    CipherSuite, Group, HashFunction, KeyType, Operation, ProtocolVersion, ResumptionKind, SignatureScheme,
};

use super::layout::CValue;

/// One value of one axis. Fields that do not apply to it are 0 or empty.
#[derive(Clone, Default)]
pub struct Value {
    /// Its code point, or the number that the header uses instead.
    pub point: u16,
    /// For a primitive: the header's number of its operation.
    pub operation: u16,
    /// For a key: its size, bits.
    pub bits: u32,
    /// For an operation: whether the driver has claimed its algorithm for TLS.
    pub is_claimed: bool,
    /// The value as scenario files write it.
    pub name: String,
    /// IANA's name; for a key, that of its scheme.
    pub iana: String,
    /// For a cipher suite: its name in OpenSSL's form.
    pub dashed: String,
    /// For a cipher suite of TLS 1.2: its key exchange and authentication.
    pub exchange: String,
    /// For a cipher suite: its AEAD.
    pub cipher: String,
}

impl Value {
    /// A value that has only a name.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// A protocol version.
    pub fn version(version: ProtocolVersion) -> Self {
        Self { point: version.0, iana: version.to_string(), ..Self::named(&version.short_name()) }
    }

    /// A cipher suite.
    pub fn suite(suite: CipherSuite) -> Self {
        let (name, cipher) = (suite.short_name(), suite.protection());
        let exchange = name.strip_suffix(cipher.as_ref()).unwrap_or_default().trim_end_matches('-');
        Self {
            point: suite.0,
            iana: suite.to_string(),
            dashed: dashed(&suite.to_string()),
            exchange: exchange.to_uppercase(),
            cipher: cipher.to_uppercase(),
            ..Self::named(&name)
        }
    }

    /// A key exchange group.
    pub fn group(group: Group) -> Self {
        Self { point: group.0, iana: group.to_string(), ..Self::named(&group.short_name()) }
    }

    /// A key, with its scheme in TLS 1.3.
    pub fn key(key: KeyType) -> Self {
        let scheme = key.signature_scheme(ProtocolVersion::TLS13);
        Self { bits: key.bits(), ..Self { name: key.name().to_owned(), ..Self::scheme(scheme) } }
    }

    fn scheme(scheme: SignatureScheme) -> Self {
        Self { point: scheme.0, iana: scheme.to_string(), ..Self::named(&scheme.short_name()) }
    }

    /// A hash function.
    pub fn hash(hash: HashFunction) -> Self {
        Self { point: hash.code_point(), ..Self::named(hash.name()) }
    }

    /// A way to resume a session.
    pub fn resumption(kind: ResumptionKind) -> Self {
        Self { point: bit(kind), ..Self::named(&kind.to_string()) }
    }

    /// An operation as such, without an algorithm.
    pub fn operation(operation: Operation) -> Self {
        Self { operation: operation as u16 + 1, ..Self::named(operation.name()) }
    }

    /// Calls `call` with the value as C sees it.
    pub fn lend<T>(&self, call: impl FnOnce(&CValue) -> T) -> T {
        let texts = [&self.name, &self.iana, &self.dashed, &self.exchange, &self.cipher];
        let texts = texts.map(|text| CString::new(text.as_str()).unwrap_or_default());
        let pointer = |text: &CString| if text.is_empty() { ptr::null() } else { text.as_ptr() };
        let [name, iana, dashed, exchange, cipher]: [*const c_char; 5] =
            std::array::from_fn(|at| pointer(&texts[at]));
        call(&CValue {
            point: self.point,
            operation: self.operation,
            bits: self.bits,
            is_claimed: u32::from(self.is_claimed),
            name,
            iana,
            dashed,
            exchange,
            cipher,
        })
    }
}

/// The bit of a way to resume a session.
fn bit(kind: ResumptionKind) -> u16 {
    1 << kind as u16
}

/// A cipher suite's name in OpenSSL's form, from before IANA's names became usual:
/// `ECDHE-RSA-AES128-GCM-SHA256`. TLS 1.3 suites have only IANA's.
fn dashed(iana: &str) -> String {
    let Some((exchange, cipher)) = iana.strip_prefix("TLS_").unwrap_or(iana).split_once("_WITH_") else {
        return iana.to_owned();
    };
    let cipher = cipher.replace("AES_", "AES");
    let cipher =
        cipher.strip_suffix("POLY1305_SHA256").map_or(cipher.clone(), |rest| format!("{rest}POLY1305"));
    format!("{exchange}-{cipher}").replace('_', "-")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    /// The name of a constant in C.
    fn constant(name: &str) -> String {
        let name = name.strip_prefix("sha-").map_or(name.to_owned(), |bits| format!("sha{bits}"));
        format!("TLSLAB_{}", name.to_uppercase().replace(['-', '.'], "_"))
    }

    fn constants(text: &mut String, of: &str, values: impl Iterator<Item = (String, u16)>) {
        writeln!(text, "enum {of} {{").unwrap();
        for (name, number) in values {
            writeln!(text, "  {} = {number:#06x},", constant(&name)).unwrap();
        }
        text.push_str("};\n\n");
    }

    fn table(text: &mut String, name: &str, values: &[Value]) {
        writeln!(text, "static const tlslab_value tlslab_{name}[] TLSLAB_MAYBE_UNUSED = {{").unwrap();
        for value in values {
            let mut row = format!(".point = {:#06x}", value.point);
            if value.bits > 0 {
                write!(row, ", .bits = {}", value.bits).unwrap();
            }
            for (field, text) in [
                ("name", &value.name),
                ("iana", &value.iana),
                ("dashed", &value.dashed),
                ("exchange", &value.exchange),
                ("cipher", &value.cipher),
            ] {
                if !text.is_empty() {
                    write!(row, ", .{field} = \"{text}\"").unwrap();
                }
            }
            writeln!(text, "    {{{row}}},").unwrap();
        }
        text.push_str("    {.name = NULL},\n};\n\n");
    }

    fn header() -> String {
        let mut text = "\
/* The values that scenarios have: names, code points and parts. Made of crates/protocol by
 * `UPDATE=1 cargo test -p tlslab-driver-kit names`; do not edit. */
#ifndef TLSLAB_NAMES_H
#define TLSLAB_NAMES_H

#include \"tlslab_value.h\"

"
        .to_owned();
        let groups: Vec<Value> = Group::KNOWN.iter().copied().map(Value::group).collect();
        let suites: Vec<Value> = CipherSuite::KNOWN.iter().copied().map(Value::suite).collect();
        let schemes: Vec<Value> = SignatureScheme::KNOWN.iter().copied().map(Value::scheme).collect();
        let versions: Vec<Value> = ProtocolVersion::KNOWN.iter().copied().map(Value::version).collect();
        let hashes = HashFunction::ALL.map(Value::hash);
        let keys = KeyType::ALL.map(Value::key);
        let points = |values: &[Value], of: fn(&Value) -> String| {
            values.iter().map(|value| (of(value), value.point)).collect::<Vec<_>>().into_iter()
        };
        let name = |value: &Value| value.name.clone();
        let iana = |value: &Value| value.iana.clone();
        let tls = |value: &Value| format!("tls{}", value.name.replace('.', ""));
        constants(&mut text, "tlslab_version_point", points(&versions, tls));
        constants(&mut text, "tlslab_suite_point", points(&suites, name));
        constants(&mut text, "tlslab_group_point", points(&groups, iana));
        constants(&mut text, "tlslab_scheme_point", points(&schemes, iana));
        constants(&mut text, "tlslab_hash", points(&hashes, name));
        let operations = Operation::ALL.map(|operation| (operation.name().to_owned(), operation as u16 + 1));
        constants(&mut text, "tlslab_operation", operations.into_iter());
        let ways = ResumptionKind::ALL.map(|kind| {
            let (version, way) = kind.parts();
            (format!("can-{way}-{}", version.short_name().replace('.', "")), bit(kind))
        });
        constants(&mut text, "tlslab_can_resume", ways.into_iter());
        for (name, values) in [("versions", &versions[..]), ("suites", &suites), ("groups", &groups)] {
            table(&mut text, name, values);
        }
        for (name, values) in [("schemes", &schemes[..]), ("keys", &keys), ("hashes", &hashes)] {
            table(&mut text, name, values);
        }
        text + "#endif\n"
    }

    #[test]
    fn the_header_of_names_is_what_the_protocol_has() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/include/tlslab_names.h");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(path, header()).unwrap();
        }
        let recorded = std::fs::read_to_string(path).unwrap_or_default();
        assert!(recorded == header(), "{path} is not up to date; UPDATE=1 writes it");
    }

    #[test]
    fn a_suite_is_taken_apart() {
        let suite = Value::suite(CipherSuite::ECDHE_RSA_AES_256_GCM);
        assert_eq!(suite.dashed, "ECDHE-RSA-AES256-GCM-SHA384");
        assert_eq!((suite.exchange.as_str(), suite.cipher.as_str()), ("ECDHE-RSA", "AES-256-GCM"));
        assert_eq!(Value::suite(CipherSuite(0xccac)).dashed, "ECDHE-PSK-CHACHA20-POLY1305");
        assert_eq!(Value::suite(CipherSuite(0x00a8)).dashed, "PSK-AES128-GCM-SHA256");
        let newer = Value::suite(CipherSuite::AES_128_GCM);
        assert_eq!((newer.dashed.as_str(), newer.exchange.as_str()), ("TLS_AES_128_GCM_SHA256", ""));
    }
}
