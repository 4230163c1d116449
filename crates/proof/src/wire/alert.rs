//! Alerts (RFC 8446, section 6), with IANA's names (TLS Alerts).

use std::fmt;

use super::{ContentType, Record};

/// An alert in cleartext.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alert {
    /// 1 is a warning, 2 is fatal. TLS 1.3 ignores this: every alert but two is fatal.
    pub level: u8,
    /// Its description.
    pub description: AlertDescription,
}

/// The description of an alert, as its code point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AlertDescription(pub u8);

/// An alert on the wire, as far as it can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SentAlert {
    /// An alert before there are keys.
    Clear(Alert),
    /// An encrypted alert of TLS 1.2, which shows that it is an alert, but not which.
    Encrypted,
}

const NAMES: &[(u8, &str)] = &[
    (0, "close_notify"),
    (10, "unexpected_message"),
    (20, "bad_record_mac"),
    (21, "decryption_failed"),
    (22, "record_overflow"),
    (30, "decompression_failure"),
    (40, "handshake_failure"),
    (41, "no_certificate"),
    (42, "bad_certificate"),
    (43, "unsupported_certificate"),
    (44, "certificate_revoked"),
    (45, "certificate_expired"),
    (46, "certificate_unknown"),
    (47, "illegal_parameter"),
    (48, "unknown_ca"),
    (49, "access_denied"),
    (50, "decode_error"),
    (51, "decrypt_error"),
    (52, "too_many_cids_requested"),
    (60, "export_restriction"),
    (70, "protocol_version"),
    (71, "insufficient_security"),
    (80, "internal_error"),
    (86, "inappropriate_fallback"),
    (90, "user_canceled"),
    (100, "no_renegotiation"),
    (109, "missing_extension"),
    (110, "unsupported_extension"),
    (111, "certificate_unobtainable"),
    (112, "unrecognized_name"),
    (113, "bad_certificate_status_response"),
    (114, "bad_certificate_hash_value"),
    (115, "unknown_psk_identity"),
    (116, "certificate_required"),
    (117, "general_error"),
    (120, "no_application_protocol"),
    (121, "ech_required"),
];

impl AlertDescription {
    /// IANA's name, if it has one.
    pub fn name(self) -> Option<&'static str> {
        NAMES.iter().find(|known| known.0 == self.0).map(|known| known.1)
    }
}

impl fmt::Display for AlertDescription {
    /// Writes `handshake_failure (40)`, or only the number if there is no name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "alert {}", self.0),
        }
    }
}

impl fmt::Display for Alert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            1 => write!(f, "warning {}", self.description),
            2 => write!(f, "fatal {}", self.description),
            level => write!(f, "{} of the level {level}", self.description),
        }
    }
}

impl fmt::Display for SentAlert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SentAlert::Clear(alert) => alert.fmt(f),
            SentAlert::Encrypted => f.write_str("an encrypted alert"),
        }
    }
}

/// Every alert among these records, in order. In TLS 1.3 an encrypted one is not visible: its content type is
/// application data.
pub fn alerts(records: &[Record<'_>]) -> Vec<SentAlert> {
    let mut alerts = Vec::new();
    for record in records.iter().filter(|record| record.content_type == ContentType::Alert) {
        // Older versions may put several into a record. An encrypted one is longer by at least its tag.
        if record.fragment.len() % 2 == 0 && record.fragment.len() <= MOST_CLEAR_BYTES {
            let clear = |pair: &[u8]| Alert { level: pair[0], description: AlertDescription(pair[1]) };
            alerts.extend(record.fragment.chunks_exact(2).map(|pair| SentAlert::Clear(clear(pair))));
        } else {
            alerts.push(SentAlert::Encrypted);
        }
    }
    alerts
}

/// Less than the length of any authentication tag.
const MOST_CLEAR_BYTES: usize = 8;

#[cfg(test)]
mod tests {
    use super::super::records;
    use super::*;

    #[test]
    fn alerts_in_the_clear_have_names() {
        let wire = [21, 3, 3, 0, 2, 2, 40, 22, 3, 3, 0, 1, 0, 21, 3, 1, 0, 4, 1, 0, 2, 99];
        let words: Vec<String> = alerts(&records(&wire).unwrap()).iter().map(ToString::to_string).collect();
        assert_eq!(words, ["fatal handshake_failure (40)", "warning close_notify (0)", "fatal alert 99"]);
    }

    #[test]
    fn an_encrypted_alert_is_one_without_a_name() {
        let wire = [&[21, 3, 3, 0, 26][..], &[7; 26]].concat();
        assert_eq!(alerts(&records(&wire).unwrap()), [SentAlert::Encrypted]);
        // The content type of TLS 1.3's encrypted records is application data.
        let wire = [&[23, 3, 3, 0, 19][..], &[7; 19]].concat();
        assert_eq!(alerts(&records(&wire).unwrap()), []);
    }

    #[test]
    fn names_stand_in_the_order_of_their_code_points() {
        assert!(NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(AlertDescription(121).to_string(), "ech_required (121)");
    }
}
