//! The ServerHello (RFC 8446, section 4.1.3): the server's choice. A HelloRetryRequest is one with a fixed
//! random.

use tlslab_protocol::{CipherSuite, Group, ProtocolVersion};

use super::cursor::Cursor;
use super::{Message, WireError};

/// A ServerHello or a HelloRetryRequest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerHello {
    /// The message's length including its header, bytes.
    pub message_bytes: usize,
    /// The session id: in TLS 1.3 always the client's, in TLS 1.2 the client's if its session is resumed.
    pub session_id: Vec<u8>,
    /// Whether it is a HelloRetryRequest.
    pub hello_retry_request: bool,
    /// The version: that of `supported_versions` if it is sent, else the version field.
    pub version: ProtocolVersion,
    /// The suite.
    pub suite: CipherSuite,
    /// The group of `key_share`: the chosen one, or the one that a HelloRetryRequest requests.
    pub group: Option<Group>,
    /// The share of `key_share`; a HelloRetryRequest has none.
    pub share: Option<Vec<u8>>,
    /// Whether there is a `pre_shared_key`: the session is resumed.
    pub pre_shared_key: bool,
    /// The types of all extensions.
    pub extension_types: Vec<u16>,
}

impl ServerHello {
    /// The handshake message type.
    pub const MESSAGE_TYPE: u8 = 2;

    /// Parses the message.
    ///
    /// # Errors
    /// Fails if the message is of another type or malformed.
    pub fn parse(message: &Message<'_>) -> Result<Self, WireError> {
        if message.message_type != Self::MESSAGE_TYPE {
            return Err(WireError::UnexpectedMessage { expected: NAME, seen: message.message_type });
        }
        let mut body = Cursor::new(NAME, message.body);
        let legacy_version = ProtocolVersion(body.u16("legacy_version")?);
        let random = body.take("random", 32)?;
        let session_id = body.vector8("the session id")?.rest().to_vec();
        let mut hello = Self {
            message_bytes: message.message_bytes(),
            session_id,
            hello_retry_request: random == HELLO_RETRY_REQUEST_RANDOM,
            version: legacy_version,
            suite: CipherSuite(body.u16("the cipher suite")?),
            group: None,
            share: None,
            pre_shared_key: false,
            extension_types: Vec::new(),
        };
        body.u8("the compression method")?;
        if !body.is_empty() {
            let extensions = body.vector16("the extensions")?.extensions()?;
            body.finish("the extensions")?;
            for (extension_type, mut content) in extensions {
                hello.extension_types.push(extension_type);
                match extension_type {
                    41 => hello.pre_shared_key = true,
                    43 => hello.version = ProtocolVersion(content.u16("supported_versions")?),
                    51 => {
                        hello.group = Some(Group(content.u16("key_share")?));
                        if !content.is_empty() {
                            hello.share = Some(content.vector16("the key share")?.rest().to_vec());
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(hello)
    }
}

const NAME: &str = "ServerHello";

/// SHA-256 of "HelloRetryRequest" (RFC 8446, section 4.1.3).
const HELLO_RETRY_REQUEST_RANDOM: [u8; 32] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2,
    0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];
