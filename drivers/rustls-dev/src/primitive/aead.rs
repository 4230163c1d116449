//! Records sealed and opened by a suite's own encrypter and decrypter. They work on whole records: the message gets its
//! content type behind it.

use rustls::crypto::cipher::{
    AeadKey, EncodableVersion, InboundOpaque, Iv, OutboundPlain, Record, RecordDecrypter, RecordEncrypter,
};
use rustls::enums::{ContentType, ProtocolVersion};
use tlslab_driver_kit::protocol::{CipherSuite, Operation};
use tlslab_driver_kit::{Assignment, Buffer, EndpointError, Primitive, Unready};

use crate::provider;

/// A record's header, which is authenticated, bytes.
const HEADER: usize = 5;

/// The most that a record holds, bytes.
const RECORD: usize = 16 * 1024;

/// The version in the header, which is authenticated: of a record of TLS 1.3 it is that of TLS 1.2.
const VERSION: EncodableVersion = EncodableVersion::Legacy(ProtocolVersion::TLSv1_2);

struct Records {
    encrypter: Box<dyn RecordEncrypter>,
    decrypter: Box<dyn RecordDecrypter>,
    /// What was opened lies in the input, where the library decrypts.
    opened_bytes: Option<usize>,
}

pub fn new(point: CipherSuite, assignment: &Assignment) -> Result<Box<dyn Primitive>, Unready> {
    let lacks = || Unready::Unsupported(provider::lacks(point));
    let aead = provider::tls13_suite(point).ok_or_else(lacks)?.aead_alg;
    if assignment.header.len() != HEADER {
        return Err(Unready::Unsupported(
            "rustls seals records of TLS 1.3, whose header has 5 bytes, and takes no other header".to_owned(),
        ));
    }
    if assignment.bytes > RECORD {
        return Err(Unready::Unsupported(format!(
            "rustls seals records, which have at most {RECORD} bytes, and no longer messages"
        )));
    }
    Ok(Box::new(Records {
        encrypter: aead.encrypter(key(assignment)?, Iv::from(assignment.iv)),
        decrypter: aead.decrypter(key(assignment)?, Iv::from(assignment.iv)),
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
