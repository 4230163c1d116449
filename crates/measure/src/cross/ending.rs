//! The outcome of a connection between two stacks, for the record.

use tlslab_proof::wire::{ContentType, alerts, records};
use tlslab_protocol::{Side, Step};
use tlslab_record::PairRefusal;

/// A refusal with its alert, as seen on the wire and by the peer.
pub(crate) fn refusal(
    side: Side,
    step: Step,
    error: String,
    sent: &[u8],
    peer: Option<String>,
) -> PairRefusal {
    PairRefusal { side, step, error, alert: alert(sent), peer }
}

/// The alert in a side's last bytes.
fn alert(sent: &[u8]) -> Option<String> {
    let records = records(sent).ok()?;
    let in_sight = alerts(&records).last().map(ToString::to_string);
    // TLS 1.3 encrypts an alert like application data, which a handshake does not have.
    let hidden = records.last().is_some_and(|record| {
        record.content_type == ContentType::ApplicationData && record.fragment.len() <= LONGEST_HIDDEN
    });
    in_sight.or_else(|| hidden.then(|| "an encrypted alert".to_owned()))
}

/// Two bytes, the content type, a tag of 16 bytes and the padding of some libraries; a Finished is longer.
const LONGEST_HIDDEN: usize = 48;

#[cfg(test)]
mod tests {
    use super::alert;

    #[test]
    fn an_alert_is_read_where_it_can_be() {
        assert_eq!(alert(&[21, 3, 3, 0, 2, 2, 50]).unwrap(), "fatal decode_error (50)");
        let hidden = [&[23, 3, 3, 0, 19][..], &[0; 19]].concat();
        assert_eq!(alert(&hidden).unwrap(), "an encrypted alert");
        let finished = [&[23, 3, 3, 0, 53][..], &[0; 53]].concat();
        assert_eq!(alert(&finished), None);
        assert_eq!(alert(&[]), None);
        assert_eq!(alert(&[21, 3]), None);
    }
}
