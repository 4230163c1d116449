//! Bounds of a reply. A driver is an external program: a number that no database can store, a text that fills
//! a page or an endless list is an error of that driver's cell; the run and its report go on.

use serde_json::Value;
use tlslab_protocol::{CodecError, Latencies, MAX_LINE_BYTES, Reply, decode_line};

/// The largest integer that every program and database can read exactly: 2^53, which a double represents.
const MOST: f64 = 9_007_199_254_740_992.0;
/// The longest time, ns: a day.
const MOST_NS: f64 = 86_400e9;
/// The most iterations of one request.
const MOST_ITERATIONS: f64 = (1_u64 << 40) as f64;
/// The longest time for which a runtime may claim to do other work after a pause, ms.
const MOST_SETTLES_MS: f64 = 10_000.0;

/// The longest text, bytes.
pub const MOST_TEXT_BYTES: usize = 2048;
/// The most entries of a list without a bound of its own.
const MOST_ENTRIES: usize = 1024;

/// Why a line is not a usable reply.
#[derive(Debug, thiserror::Error)]
pub enum BadReply {
    /// It is not a reply.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// A field has a value outside its bounds.
    #[error("a reply whose `{field}` {what}")]
    OutOfRange {
        /// Its path: `measured[0].client.phases.handshake_ns`.
        field: String,
        /// What is wrong with it.
        what: String,
    },
}

/// Decodes the reply in one line, and checks that each field is within its bounds. Long reasons and errors
/// are truncated.
///
/// # Errors
/// Fails with [`BadReply::Codec`] if it is not a reply, and with [`BadReply::OutOfRange`] and the field's
/// path if a field is out of its bounds.
pub fn decode_reply(line: &str) -> Result<Reply, BadReply> {
    let mut value: Value = decode_line(line)?;
    if let Err(mut wrong) = check("", &mut value) {
        wrong.path.reverse();
        let field = wrong.path.concat();
        return Err(BadReply::OutOfRange {
            field: field.trim_start_matches('.').to_owned(),
            what: wrong.what,
        });
    }
    serde_json::from_value(value).map_err(|cause| {
        let excerpt = line.trim_end().chars().take(120).collect();
        let cause = cut(&cause.to_string(), MOST_TEXT_BYTES).to_owned();
        CodecError::NotAMessage { cause, excerpt }.into()
    })
}

/// A field that is out of its bounds; its path starts with the innermost name.
struct Wrong {
    path: Vec<String>,
    what: String,
}

impl Wrong {
    fn because(what: String) -> Self {
        Self { path: vec![], what }
    }

    fn within(mut self, name: String) -> Self {
        self.path.push(name);
        self
    }
}

/// Checks a field and its descendants.
fn check(name: &str, value: &mut Value) -> Result<(), Wrong> {
    match value {
        Value::Null | Value::Bool(_) => Ok(()),
        Value::Number(number) => {
            let most = most(name);
            // A double cannot distinguish 2^53 from the next integer.
            let whole = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
            let is_within = match whole {
                Some(whole) => whole <= most as u64,
                None => number.as_f64().is_some_and(|size| size.abs() <= most),
            };
            if is_within { Ok(()) } else { Err(Wrong::because(format!("is {number}, beyond {most}"))) }
        }
        Value::String(text) => check_text(name, text),
        Value::Array(entries) => {
            let most = most_entries(name);
            if entries.len() > most {
                return Err(Wrong::because(format!("has {} entries, more than {most}", entries.len())));
            }
            for (at, entry) in entries.iter_mut().enumerate() {
                check(name, entry).map_err(|wrong| wrong.within(format!("[{at}]")))?;
            }
            Ok(())
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                if name.len() > MOST_TEXT_BYTES {
                    return Err(Wrong::because(format!("has a name of {} bytes", name.len())));
                }
                check(name, field).map_err(|wrong| wrong.within(format!(".{}", cut(name, 64))))?;
            }
            Ok(())
        }
    }
}

/// The largest absolute value of a number in a field of this name.
fn most(name: &str) -> f64 {
    match name {
        "iterations" => MOST_ITERATIONS,
        "settles_ms" => MOST_SETTLES_MS,
        name if name.ends_with("_ns") => MOST_NS,
        _ => MOST,
    }
}

/// The most entries of a list in a field of this name.
fn most_entries(name: &str) -> usize {
    match name {
        // Buckets of a histogram.
        "latencies" | "responses" => Latencies::BUCKETS,
        "limits" => 4096,
        // Slices, steps of several connections, and flights.
        "measured" | "results" | "flights" => 1 << 20,
        "notes" | "details" => 64,
        _ => MOST_ENTRIES,
    }
}

fn check_text(name: &str, text: &mut String) -> Result<(), Wrong> {
    let most = match name {
        // Bytes on the wire, or input and output of an operation, in hex.
        "wire" | "output" | "input" | "peer_certificate" => MAX_LINE_BYTES,
        // A library's error message is kept as far as it can be shown.
        "reason" | "error" | "refused" => {
            if text.len() > MOST_TEXT_BYTES {
                *text = format!("{} …", cut(text, MOST_TEXT_BYTES - 4));
            }
            return Ok(());
        }
        // Keys, shares and secrets.
        "key" | "nonce" | "again" | "share" | "secret" | "decapsulated" => 1 << 20,
        _ => MOST_TEXT_BYTES,
    };
    let bytes = text.len();
    if bytes <= most { Ok(()) } else { Err(Wrong::because(format!("has {bytes} bytes, more than {most}"))) }
}

/// The beginning of a text, truncated at a character boundary.
fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(line: &str) -> String {
        decode_reply(line).unwrap_err().to_string()
    }

    #[test]
    fn a_number_that_no_database_holds_is_named() {
        let line = r#"{"measured":[{"iterations":1,"client":{"phases":{"handshake_ns":9223372036854775808},"clock_reads":0,"wire_bytes":0,"plaintext_sent":0,"plaintext_received":0},"server":{"phases":{},"clock_reads":0,"wire_bytes":0,"plaintext_sent":0,"plaintext_received":0},"elapsed_ns":1}]}"#;
        assert_eq!(
            wrong(line),
            "a reply whose `measured[0].client.phases.handshake_ns` is 9223372036854775808, beyond 86400000000000"
        );
        assert!(decode_reply(&line.replace("9223372036854775808", "86400000000000")).is_ok());
        assert!(decode_reply(&line.replace("9223372036854775808", "86400000000001")).is_err());
    }

    #[test]
    fn numbers_of_every_kind_have_bounds() {
        assert!(
            wrong(r#"{"counted":{"iterations":2,"sides":{"client":{"marks":1e300}},"wire":""}}"#)
                .contains("`counted.sides.client.marks` is 1e")
        );
        assert!(wrong(r#"{"calibrated":{"clock_read_ns":-1e18}}"#).contains("`calibrated.clock_read_ns`"));
        assert!(wrong(r#"{"hello":{"capabilities":{"settles_ms":4000000}}}"#).contains("beyond 10000"));
        assert!(wrong(r#"{"measured":[{"iterations":1099511627777}]}"#).contains("`measured[0].iterations`"));
    }

    #[test]
    fn long_texts_are_refused_but_reasons_are_cut() {
        let long = "ä".repeat(40_000);
        assert!(
            wrong(&format!(r#"{{"hello":{{"driver":"{long}"}}}}"#))
                .contains("`hello.driver` has 80000 bytes, more than 2048")
        );
        let Ok(Reply::Failed { reason }) = decode_reply(&format!(r#"{{"failed":{{"reason":"{long}"}}}}"#))
        else {
            panic!("a long reason is still a reason");
        };
        assert!(reason.len() <= MOST_TEXT_BYTES && reason.ends_with(" …"), "{} bytes", reason.len());
    }

    #[test]
    fn lists_have_an_end() {
        let many = vec!["1"; 1025].join(",");
        let line = format!(r#"{{"measured":[{{"client":{{"handshake_calls_ns":[{many}]}}}}]}}"#);
        assert!(
            wrong(&line).contains("`measured[0].client.handshake_calls_ns` has 1025 entries, more than 1024")
        );
    }

    #[test]
    fn what_is_no_reply_is_said_as_before() {
        assert!(wrong("Hello, world").contains("in the line \"Hello, world\""));
        assert!(wrong(r#"{"reward":{}}"#).contains("unknown variant"));
        assert!(wrong(&"[".repeat(1000)).contains("recursion limit"));
    }
}
