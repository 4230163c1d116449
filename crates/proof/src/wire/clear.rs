//! The cleartext handshake messages of TLS 1.2 (RFC 5246, section 7.4) that show what was done.

use tlslab_protocol::{CipherSuite, SignatureScheme};

use super::cursor::Cursor;
use super::{ClientHello, ClientKeyExchange, Message, ServerHello, ServerKeyExchange, WireError};

/// The facts in one side's cleartext messages, up to its ChangeCipherSpec.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClearHandshake {
    /// The first certificate, DER; empty if the side states that it has none.
    pub certificate: Option<Vec<u8>>,
    /// The number of certificates.
    pub certificates: u32,
    /// The server's share of the key exchange.
    pub key_exchange: Option<ServerKeyExchange>,
    /// The client's answer to it, which is absent if a session is resumed.
    pub answer: Option<ClientKeyExchange>,
    /// Whether a certificate is requested.
    pub asks_for_certificate: bool,
    /// The scheme of its CertificateVerify.
    pub certificate_verify: Option<SignatureScheme>,
    /// The number of session tickets that it sends.
    pub tickets: u32,
    /// The length of these messages with their headers, bytes.
    pub ticket_bytes: u64,
}

impl ClearHandshake {
    /// Reads the next message of a handshake with this suite. Hello messages are read elsewhere, and skipped.
    ///
    /// # Errors
    /// Fails if the message is malformed.
    pub fn read(&mut self, message: &Message<'_>, suite: CipherSuite) -> Result<(), WireError> {
        match message.message_type {
            HELLO_REQUEST | ClientHello::MESSAGE_TYPE | ServerHello::MESSAGE_TYPE => {}
            NEW_SESSION_TICKET => {
                self.tickets += 1;
                self.ticket_bytes += message.message_bytes() as u64;
            }
            CERTIFICATE => {
                let (first, count) = certificates(message)?;
                (self.certificate, self.certificates) = (Some(first), count);
            }
            SERVER_KEY_EXCHANGE => self.key_exchange = Some(ServerKeyExchange::parse(message, suite)?),
            CLIENT_KEY_EXCHANGE => self.answer = Some(ClientKeyExchange::parse(message, suite)?),
            CERTIFICATE_REQUEST => self.asks_for_certificate = true,
            CERTIFICATE_VERIFY => {
                let mut body = Cursor::new("CertificateVerify", message.body);
                self.certificate_verify = Some(SignatureScheme(body.u16("the signature scheme")?));
            }
            // Neither contains a choice.
            SERVER_HELLO_DONE | CERTIFICATE_STATUS => {}
            seen => {
                let expected = "a message of a TLS 1.2 handshake";
                return Err(WireError::UnexpectedMessage { expected, seen });
            }
        }
        Ok(())
    }
}

/// The first of a list with lengths of three bytes (empty if the list is), and their number.
fn certificates(message: &Message<'_>) -> Result<(Vec<u8>, u32), WireError> {
    let mut body = Cursor::new("Certificate", message.body);
    let length = body.u24("the certificates")?;
    let mut list = Cursor::new("Certificate", body.take("the certificates", length)?);
    body.finish("the certificates")?;
    let (mut first, mut count) = (Vec::new(), 0);
    while !list.is_empty() {
        let length = list.u24("a certificate")?;
        let certificate = list.take("a certificate", length)?;
        if count == 0 {
            first = certificate.to_vec();
        }
        count += 1;
    }
    Ok((first, count))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message_type: u8, body: &[u8]) -> Result<ClearHandshake, WireError> {
        let mut clear = ClearHandshake::default();
        clear.read(&Message { message_type, body }, CipherSuite::ECDHE_RSA_AES_128_GCM).map(|()| clear)
    }

    #[test]
    fn the_first_certificate_is_taken_and_all_are_counted() {
        let shown = |body: &[u8]| read(CERTIFICATE, body).map(|seen| (seen.certificate, seen.certificates));
        let body = [0, 0, 9, 0, 0, 2, 0x30, 0x00, 0, 0, 1, 0x31];
        assert_eq!(shown(&body).unwrap(), (Some(vec![0x30, 0x00]), 2));
        assert_eq!(shown(&[0, 0, 0]).unwrap(), (Some(vec![]), 0));
        assert!(shown(&[0, 0, 5, 0, 0, 9, 0x30, 0x00]).is_err());
        assert!(shown(&[0, 0, 6, 0, 0, 2, 0x30, 0x00, 0]).is_err());
    }
}
