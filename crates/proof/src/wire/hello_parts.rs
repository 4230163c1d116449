//! The bytes of a hello message by what they are for.

use super::cursor::Cursor;
use super::{ClientHello, Message, ServerHello, WireError, extension_name};

/// Extensions that have entries of their own; more are counted as one.
const MOST_EXTENSIONS: usize = 64;

/// The parts of a ClientHello or ServerHello with their bytes, which add up to the message with its header:
/// `session_id`, `cipher_suites`, `extension.NAME` with each extension's header of four bytes, and `fixed`
/// for the rest.
///
/// # Errors
/// Fails if it is another message, or one whose lengths contradict each other.
pub fn hello_parts(message: &Message<'_>) -> Result<Vec<(String, u64)>, WireError> {
    let (name, is_client) = match message.message_type {
        ClientHello::MESSAGE_TYPE => ("ClientHello", true),
        ServerHello::MESSAGE_TYPE => ("ServerHello", false),
        seen => return Err(WireError::UnexpectedMessage { expected: "a hello message", seen }),
    };
    let mut body = Cursor::new(name, message.body);
    body.take("version and random", 2 + 32)?;
    let session_id = 1 + body.vector8("the session id")?.rest().len();
    let suites = if is_client {
        let suites = 2 + body.vector16("the cipher suites")?.rest().len();
        body.vector8("the compression methods")?;
        suites
    } else {
        body.take("the cipher suite", 2)?;
        body.u8("the compression method")?;
        2
    };
    let mut parts = vec![("session_id".to_owned(), session_id), ("cipher_suites".to_owned(), suites)];
    if !body.is_empty() {
        let mut others = 0;
        for (at, (kind, content)) in body.vector16("the extensions")?.extensions()?.into_iter().enumerate() {
            let bytes = EXTENSION_HEADER_BYTES + content.rest().len();
            if at < MOST_EXTENSIONS {
                add(&mut parts, format!("extension.{}", extension_name(kind)), bytes);
            } else {
                others += bytes;
            }
        }
        if others > 0 {
            add(&mut parts, "extension.others".to_owned(), others);
        }
        body.finish("the extensions")?;
    }
    let known: usize = parts.iter().map(|(_, bytes)| bytes).sum();
    parts.push(("fixed".to_owned(), message.message_bytes() - known));
    Ok(parts.into_iter().map(|(name, bytes)| (name, bytes as u64)).collect())
}

/// Reserved values have one name, whichever of them was drawn.
fn add(parts: &mut Vec<(String, usize)>, name: String, bytes: usize) {
    match parts.iter_mut().find(|(known, _)| *known == name) {
        Some((_, sum)) => *sum += bytes,
        None => parts.push((name, bytes)),
    }
}

const EXTENSION_HEADER_BYTES: usize = 4;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A ClientHello with a session id of 32 bytes, two suites and these extensions.
    fn client_hello(extensions: &[(u16, usize)]) -> Vec<u8> {
        let mut body = [&[3, 3][..], &[7; 32], &[32], &[9; 32], &[0, 4, 0x13, 1, 0x13, 2], &[1, 0]].concat();
        let mut all = Vec::new();
        for (kind, bytes) in extensions {
            all.extend(kind.to_be_bytes());
            all.extend((*bytes as u16).to_be_bytes());
            all.extend(vec![0; *bytes]);
        }
        body.extend((all.len() as u16).to_be_bytes());
        body.extend(all);
        body
    }

    fn parts(message_type: u8, body: &[u8]) -> Result<Vec<(String, u64)>, WireError> {
        hello_parts(&Message { message_type, body })
    }

    #[test]
    fn a_client_hello_is_taken_apart_by_extension() {
        let body = client_hello(&[(51, 38), (0x1a1a, 0), (43, 3), (0xdada, 1), (60_000, 6)]);
        let parts = parts(1, &body).unwrap();
        let parts: Vec<(&str, u64)> = parts.iter().map(|(name, bytes)| (&**name, *bytes)).collect();
        let expected = [
            ("session_id", 33),
            ("cipher_suites", 6),
            ("extension.key_share", 42),
            ("extension.grease", 9),
            ("extension.supported_versions", 7),
            ("extension.60000", 10),
            // Header 4, version 2, random 32, compression methods 2, length of the extensions 2.
            ("fixed", 42),
        ];
        assert_eq!(parts, expected);
        assert_eq!(parts.iter().map(|(_, bytes)| bytes).sum::<u64>(), body.len() as u64 + 4);
    }

    #[test]
    fn a_server_hello_has_one_suite_and_may_have_no_extensions() {
        let body = [&[3, 3][..], &[7; 32], &[0], &[0xc0, 0x2b], &[0]].concat();
        let parts = parts(2, &body).unwrap();
        let of = |name: &str| parts.iter().find(|part| part.0 == name).map(|part| part.1);
        assert_eq!((of("session_id"), of("cipher_suites"), of("fixed")), (Some(1), Some(2), Some(39)));
        assert_eq!(parts.len(), 3);
    }

    #[test]
    fn another_message_and_a_wrong_length_are_errors() {
        assert!(parts(11, &[]).is_err());
        let mut body = client_hello(&[(51, 38)]);
        body.pop();
        assert!(parts(1, &body).is_err());
    }

    #[test]
    fn a_hello_with_very_many_extensions_has_a_bounded_number_of_parts() {
        let many: Vec<(u16, usize)> = (100..400).map(|kind| (kind, 0)).collect();
        let parts = parts(1, &client_hello(&many)).unwrap();
        assert_eq!(parts.len(), 2 + MOST_EXTENSIONS + 2);
        assert!(parts.contains(&("extension.others".to_owned(), 4 * (300 - MOST_EXTENSIONS as u64))));
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken_apart_whole_or_refused(kind in 1_u8..3, body: Vec<u8>) {
            if let Ok(parts) = parts(kind, &body) {
                prop_assert_eq!(parts.iter().map(|(_, bytes)| bytes).sum::<u64>(), body.len() as u64 + 4);
            }
        }
    }
}
