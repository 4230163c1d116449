//! Records sealed and opened by a suite's own encrypter and decrypter.

use rustls::Tls13CipherSuite;
use rustls::crypto::cipher::{
    AeadKey, EncodableVersion, InboundOpaque, Iv, OutboundPlain, Record, RecordDecrypter, RecordEncrypter,
};
use rustls::enums::{ContentType, ProtocolVersion};
use tlslab_driver_kit::protocol::Operation;
use tlslab_driver_kit::{Assignment, Buffer, EndpointError, Material, Primitive, Unready};

/// Why there are no records.
pub const NO_RECORDS: Option<&str> = None;

/// The version in the header, which is authenticated: of a record of TLS 1.3 it is that of TLS 1.2.
const VERSION: EncodableVersion = EncodableVersion::Legacy(ProtocolVersion::TLSv1_2);

/// Records sealed and opened by a suite's own encrypter and decrypter.
struct Records {
    encrypter: Box<dyn RecordEncrypter>,
    decrypter: Box<dyn RecordDecrypter>,
    /// The plaintext is in the input, where the library decrypts.
    opened_bytes: Option<usize>,
}

/// Seals and opens records.
pub fn records(
    suite: &Tls13CipherSuite,
    assignment: &Assignment,
    _: &Material,
) -> Result<Box<dyn Primitive>, Unready> {
    Ok(Box::new(Records {
        encrypter: suite.aead_alg.encrypter(key(assignment)?, Iv::from(assignment.iv)),
        decrypter: suite.aead_alg.decrypter(key(assignment)?, Iv::from(assignment.iv)),
        opened_bytes: None,
    }))
}

fn key(assignment: &Assignment) -> Result<AeadKey, Unready> {
    let bytes = assignment.key.as_slice();
    match <[u8; 16]>::try_from(bytes) {
        Ok(short) => Ok(AeadKey::from(short)),
        Err(_) => Ok(AeadKey::from(<[u8; 32]>::try_from(bytes)?)),
    }
}

impl Primitive for Records {
    fn run(
        &mut self,
        operation: Operation,
        sequence: u64,
        input: &mut [u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        if operation == Operation::AeadSeal {
            let message = Record::new(ContentType::ApplicationData, VERSION, OutboundPlain::Single(input));
            let bytes = self.encrypter.encrypt(message, sequence, output.room())?.payload.len();
            output.advance(bytes);
        } else {
            let message = Record::new(ContentType::ApplicationData, VERSION, InboundOpaque(input));
            self.opened_bytes = Some(self.decrypter.decrypt(message, sequence)?.payload.len());
        }
        Ok(())
    }

    fn collect(&mut self, input: &[u8], output: &mut Buffer) {
        if let Some(bytes) = self.opened_bytes.take() {
            output.append(&input[..bytes]);
        }
    }
}
