//! The ClientHello (RFC 8446, section 4.1.2): the client's offer.

use tlslab_protocol::{CipherSuite, Group, ProtocolVersion, SignatureScheme};

use super::cursor::Cursor;
use super::{Message, WireError};

/// A ClientHello. Lists are in wire order and contain everything that was sent, including reserved values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClientHello {
    /// The message's length including its header, bytes.
    pub message_bytes: usize,
    /// The version field, which TLS 1.3 fixes at TLS 1.2.
    pub legacy_version: Option<ProtocolVersion>,
    /// The client's random.
    pub random: [u8; 32],
    /// The session id, which TLS 1.3 only echoes.
    pub session_id: Vec<u8>,
    /// The suites on offer.
    pub suites: Vec<CipherSuite>,
    /// The types of all extensions.
    pub extension_types: Vec<u16>,
    /// `server_name`, the first host name.
    pub server_name: Option<String>,
    /// `supported_groups`.
    pub groups: Vec<Group>,
    /// `signature_algorithms`.
    pub signature_schemes: Vec<SignatureScheme>,
    /// `application_layer_protocol_negotiation`.
    pub alpn: Vec<String>,
    /// The length of the `session_ticket` extension, bytes; `None` without the extension.
    pub session_ticket_bytes: Option<usize>,
    /// Whether there is a `pre_shared_key`.
    pub pre_shared_key: bool,
    /// Its identities.
    pub psk_identities: Vec<Vec<u8>>,
    /// Whether there is an `early_data`.
    pub early_data: bool,
    /// `supported_versions`; `None` without the extension.
    pub versions: Option<Vec<ProtocolVersion>>,
    /// `psk_key_exchange_modes`.
    pub psk_modes: Vec<u8>,
    /// The groups of `key_share`.
    pub key_shares: Vec<Group>,
    /// The shares themselves, in the same order.
    pub shares: Vec<Vec<u8>>,
}

impl ClientHello {
    /// The handshake message type.
    pub const MESSAGE_TYPE: u8 = 1;

    /// Parses the message.
    ///
    /// # Errors
    /// Fails if the message is of another type or malformed.
    pub fn parse(message: &Message<'_>) -> Result<Self, WireError> {
        if message.message_type != Self::MESSAGE_TYPE {
            return Err(WireError::UnexpectedMessage { expected: NAME, seen: message.message_type });
        }
        let mut body = Cursor::new(NAME, message.body);
        let mut hello = Self {
            message_bytes: message.message_bytes(),
            legacy_version: Some(ProtocolVersion(body.u16("legacy_version")?)),
            ..Self::default()
        };
        hello.random.copy_from_slice(body.take("random", 32)?);
        hello.session_id = body.vector8("the session id")?.rest().to_vec();
        hello.suites = body.vector16("the cipher suites")?.code_points("a cipher suite", CipherSuite)?;
        body.vector8("the compression methods")?;
        // Before TLS 1.3 a ClientHello without extensions was valid.
        if !body.is_empty() {
            let extensions = body.vector16("the extensions")?.extensions()?;
            body.finish("the extensions")?;
            for (extension_type, content) in extensions {
                hello.extension_types.push(extension_type);
                hello.extension(extension_type, content)?;
            }
        }
        Ok(hello)
    }

    fn extension(&mut self, extension_type: u16, mut content: Cursor<'_>) -> Result<(), WireError> {
        match extension_type {
            0 => self.server_name = server_name(&mut content)?,
            10 => self.groups = content.vector16("supported_groups")?.code_points("a group", Group)?,
            13 => {
                let schemes = content.vector16("signature_algorithms")?;
                self.signature_schemes = schemes.code_points("a signature scheme", SignatureScheme)?;
            }
            16 => self.alpn = alpn(&mut content)?,
            35 => {
                self.session_ticket_bytes = Some(content.rest().len());
                return Ok(());
            }
            41 => {
                self.pre_shared_key = true;
                self.psk_identities = psk_identities(&mut content)?;
                content.vector16("the binders")?;
            }
            42 => self.early_data = true,
            43 => {
                let versions = content.vector8("supported_versions")?;
                self.versions = Some(versions.code_points("a version", ProtocolVersion)?);
            }
            45 => self.psk_modes = content.vector8("psk_key_exchange_modes")?.rest().to_vec(),
            51 => (self.key_shares, self.shares) = key_shares(&mut content)?,
            _ => return Ok(()),
        }
        content.finish("an extension's content")
    }
}

fn server_name(content: &mut Cursor<'_>) -> Result<Option<String>, WireError> {
    let mut names = content.vector16("server_name")?;
    let mut host = None;
    while !names.is_empty() {
        let name_type = names.u8("a server name's type")?;
        let name = names.vector16("a server name")?.rest();
        if name_type == 0 && host.is_none() {
            host = Some(String::from_utf8_lossy(name).into_owned());
        }
    }
    Ok(host)
}

fn alpn(content: &mut Cursor<'_>) -> Result<Vec<String>, WireError> {
    let mut list = content.vector16("ALPN")?;
    let mut protocols = Vec::new();
    while !list.is_empty() {
        let protocol = list.vector8("an ALPN protocol")?.rest();
        protocols.push(String::from_utf8_lossy(protocol).into_owned());
    }
    Ok(protocols)
}

fn key_shares(content: &mut Cursor<'_>) -> Result<(Vec<Group>, Vec<Vec<u8>>), WireError> {
    let mut list = content.vector16("key_share")?;
    let (mut groups, mut shares) = (Vec::new(), Vec::new());
    while !list.is_empty() {
        groups.push(Group(list.u16("a key share's group")?));
        shares.push(list.vector16("a key share")?.rest().to_vec());
    }
    Ok((groups, shares))
}

fn psk_identities(content: &mut Cursor<'_>) -> Result<Vec<Vec<u8>>, WireError> {
    let mut list = content.vector16("the identities")?;
    let mut identities = Vec::new();
    while !list.is_empty() {
        identities.push(list.vector16("an identity")?.rest().to_vec());
        list.take("a ticket's age", 4)?;
    }
    Ok(identities)
}

const NAME: &str = "ClientHello";
