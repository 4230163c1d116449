//! Bertie's error codes as words. Its errors are numbers without text of their own.

use bertie::tls13utils::*;
use tlslab_driver_kit::EndpointError;

/// Error of a failed call of Bertie.
pub fn endpoint_error(code: TLSError) -> EndpointError {
    EndpointError(format!("{} (Bertie's error {code})", meaning(code)))
}

fn meaning(code: TLSError) -> &'static str {
    match code {
        UNSUPPORTED_ALGORITHM => "unsupported algorithm",
        CRYPTO_ERROR => "a cryptographic operation failed, such as a record's or a signature's check",
        INSUFFICIENT_ENTROPY => "not enough entropy",
        INCORRECT_ARRAY_LENGTH => "bytes of the wrong length",
        INCORRECT_STATE => "a call that this state does not allow",
        ZERO_RTT_DISABLED => "0-RTT is disabled",
        PAYLOAD_TOO_LONG => "a payload too long, or a record too short",
        PSK_MODE_MISMATCH => "one side has a pre-shared key and the other none",
        NEGOTIATION_MISMATCH => "the sides did not agree on the parameters",
        PARSE_FAILED => "a message that cannot be parsed",
        INSUFFICIENT_DATA => "not enough data",
        UNSUPPORTED => "unsupported",
        INVALID_COMPRESSION_LIST => "an invalid list of compression methods",
        PROTOCOL_VERSION_ALERT => "another protocol version",
        APPLICATION_DATA_INSTEAD_OF_HANDSHAKE => "no handshake record where one was due",
        MISSING_KEY_SHARE => "no key share for the group",
        INVALID_SIGNATURE => "an invalid signature",
        GOT_HANDSHAKE_FAILURE_ALERT => "the peer sent an alert",
        DECODE_ERROR => "a message that cannot be decoded",
        // The certificate parser's codes are not exported.
        21..=25 => "a certificate that Bertie cannot read",
        _ => "an error without a name",
    }
}
