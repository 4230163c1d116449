//! The handshake messages that TLS 1.2 sends in the clear (RFC 5246, section 7.4) and that say what was done.

use tlslab_protocol::{Group, SignatureScheme};

use super::cursor::Cursor;
use super::{ClientHello, Message, ServerHello, WireError};

/// What one side's messages in the clear show, up to its ChangeCipherSpec.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClearHandshake {
    /// The first certificate that it shows, DER; `Some` of nothing if it shows that it has none.
    pub certificate: Option<Vec<u8>>,
    /// The server's share of the key exchange.
    pub key_exchange: Option<ServerKeyExchange>,
    /// Whether a certificate is asked for.
    pub asks_for_certificate: bool,
    /// The scheme of its CertificateVerify.
    pub certificate_verify: Option<SignatureScheme>,
    /// How many session tickets it gives.
    pub tickets: u32,
}

/// A signed share on a named curve (RFC 8422, section 5.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServerKeyExchange {
    /// The curve.
    pub group: Group,
    /// How it is signed.
    pub scheme: SignatureScheme,
}

impl ClearHandshake {
    /// Reads on: `message` comes next. Hello messages belong to others, and are passed over.
    pub fn read(&mut self, message: &Message<'_>) -> Result<(), WireError> {
        match message.message_type {
            HELLO_REQUEST | ClientHello::MESSAGE_TYPE | ServerHello::MESSAGE_TYPE => {}
            NEW_SESSION_TICKET => self.tickets += 1,
            CERTIFICATE => self.certificate = Some(first_certificate(message)?),
            SERVER_KEY_EXCHANGE => self.key_exchange = Some(ServerKeyExchange::parse(message)?),
            CERTIFICATE_REQUEST => self.asks_for_certificate = true,
            CERTIFICATE_VERIFY => {
                let mut body = Cursor::new("CertificateVerify", message.body);
                self.certificate_verify = Some(SignatureScheme(body.u16("the signature scheme")?));
            }
            // A server that has nothing more to say, and the client's share: neither shows a choice.
            SERVER_HELLO_DONE | CLIENT_KEY_EXCHANGE | CERTIFICATE_STATUS => {}
            seen => {
                let expected = "a message of a TLS 1.2 handshake";
                return Err(WireError::UnexpectedMessage { expected, seen });
            }
        }
        Ok(())
    }
}

impl ServerKeyExchange {
    fn parse(message: &Message<'_>) -> Result<Self, WireError> {
        let mut body = Cursor::new("ServerKeyExchange", message.body);
        let curve_type = body.u8("the kind of curve")?;
        if curve_type != NAMED_CURVE {
            return Err(body.malformed(format!("the kind of curve is {curve_type}, not a named curve")));
        }
        let group = Group(body.u16("the curve")?);
        body.vector8("the share")?;
        let scheme = SignatureScheme(body.u16("the signature scheme")?);
        body.vector16("the signature")?;
        body.finish("the signature")?;
        Ok(Self { group, scheme })
    }
}

/// The first of a list with lengths of three bytes; nothing where the list is empty.
fn first_certificate(message: &Message<'_>) -> Result<Vec<u8>, WireError> {
    let mut body = Cursor::new("Certificate", message.body);
    let length = body.u24("the certificates")?;
    let mut list = Cursor::new("Certificate", body.take("the certificates", length)?);
    body.finish("the certificates")?;
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let length = list.u24("a certificate")?;
    list.take("a certificate", length).map(<[u8]>::to_vec)
}

const HELLO_REQUEST: u8 = 0;
const NEW_SESSION_TICKET: u8 = 4;
const CERTIFICATE: u8 = 11;
const SERVER_KEY_EXCHANGE: u8 = 12;
const CERTIFICATE_REQUEST: u8 = 13;
const SERVER_HELLO_DONE: u8 = 14;
const CERTIFICATE_VERIFY: u8 = 15;
const CLIENT_KEY_EXCHANGE: u8 = 16;
const CERTIFICATE_STATUS: u8 = 22;
const NAMED_CURVE: u8 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message_type: u8, body: &[u8]) -> Result<ClearHandshake, WireError> {
        let mut clear = ClearHandshake::default();
        clear.read(&Message { message_type, body }).map(|()| clear)
    }

    #[test]
    fn a_signed_share_tells_its_curve_and_its_scheme() {
        let body = [3, 0x00, 0x1d, 2, 0xaa, 0xbb, 0x04, 0x03, 0, 1, 0xcc];
        let seen = read(SERVER_KEY_EXCHANGE, &body).unwrap().key_exchange.unwrap();
        assert_eq!((seen.group, seen.scheme), (Group::X25519, SignatureScheme::ECDSA_SECP256R1_SHA256));
        assert!(read(SERVER_KEY_EXCHANGE, &body[..9]).is_err());
        assert!(read(SERVER_KEY_EXCHANGE, &[1, 0, 0]).is_err());
    }

    #[test]
    fn the_first_certificate_is_taken() {
        let body = [0, 0, 9, 0, 0, 2, 0x30, 0x00, 0, 0, 1, 0x31];
        assert_eq!(read(CERTIFICATE, &body).unwrap().certificate, Some(vec![0x30, 0x00]));
        assert_eq!(read(CERTIFICATE, &[0, 0, 0]).unwrap().certificate, Some(vec![]));
        assert!(read(CERTIFICATE, &[0, 0, 5, 0, 0, 9, 0x30, 0x00]).is_err());
    }
}
