//! Records on the wire: where one ends, and how long one may be.

/// The longest plaintext of a record (RFC 8446, section 5.1). Bertie itself has no such limit and never fragments.
pub const MOST_PLAINTEXT_BYTES: usize = 16_384;

const HEADER_BYTES: usize = 5;
const CHANGE_CIPHER_SPEC: u8 = 20;
const ALERT: u8 = 21;

/// The first record of `wire` and what follows it, or `None` while the record is not whole.
pub fn split(wire: &[u8]) -> Option<(&[u8], &[u8])> {
    let header = wire.first_chunk::<HEADER_BYTES>()?;
    let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
    wire.split_at_checked(HEADER_BYTES + length)
}

/// Whether a record only looks like TLS 1.2 for middleboxes and is to be skipped.
pub fn is_change_cipher_spec(record: &[u8]) -> bool {
    record[0] == CHANGE_CIPHER_SPEC
}

/// The description in an alert that is not encrypted.
pub fn plain_alert(record: &[u8]) -> Option<u8> {
    (record[0] == ALERT).then(|| record.get(HEADER_BYTES + 1).copied()).flatten()
}

#[cfg(test)]
mod tests {
    use super::{plain_alert, split};

    #[test]
    fn a_record_is_split_off_only_when_it_is_whole() {
        let wire = [23, 3, 3, 0, 2, 8, 9, 22];
        assert_eq!(split(&wire), Some((&wire[..7], &wire[7..])));
        assert_eq!(split(&wire[..6]), None);
        assert_eq!(split(&wire[..4]), None);
        assert_eq!(split(&[]), None);
    }

    #[test]
    fn an_alert_tells_its_description() {
        assert_eq!(plain_alert(&[21, 3, 3, 0, 2, 2, 40]), Some(40));
        assert_eq!(plain_alert(&[21, 3, 3, 0, 1, 2]), None);
        assert_eq!(plain_alert(&[22, 3, 3, 0, 2, 2, 40]), None);
    }
}
