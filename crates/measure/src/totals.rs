//! Compares a driver's report of a count with the counter's own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tlslab_process::Channel;
use tlslab_protocol::{Capabilities, Counting, Scenario, Work};
use tlslab_record::unverified_time;

use crate::DriverFailure;

/// Instructions of a process since its count began, as the counter reports them when the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// Instructions of neither side.
    pub others: u64,
    /// Instructions of both sides.
    pub sides: u64,
}

impl Totals {
    /// From the counter's line.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let (others, sides) = std::str::from_utf8(line).ok()?.strip_suffix('\n')?.split_once(' ')?;
        Some(Self { others: others.parse().ok()?, sides: sides.parse().ok()? })
    }

    /// The implausible part of a scenario's count, given these totals.
    pub(crate) fn untrue(&self, counting: &Counting, scenario: &Scenario) -> Option<String> {
        let sides = [&counting.sides.client, &counting.sides.server];
        let reported =
            sides.iter().fold(0_u64, |sum, side| sum.saturating_add(side.phases.total().instructions));
        let counted = self.sides;
        if reported != counted {
            return Some(format!("{reported} instructions, but the counter counted {counted}"));
        }
        // The work between two marks of no side is small; after the last mark comes the reply.
        let most = (counted as f64 * MOST_BESIDE) as u64 + REPLY;
        (!works_beside(scenario) && self.others > most).then(|| {
            let others = self.others;
            format!(
                "{counted} instructions of both sides, and {others} of neither, of which at most {most} are plausible"
            )
        })
    }
}

/// Whether honest work belongs to neither side: connections, messages, key shares and tickets that are
/// prepared, and data that is generated and compared.
fn works_beside(scenario: &Scenario) -> bool {
    let any = Capabilities { renews_no_tickets: true, ..Capabilities::default() };
    let is_of_data =
        matches!(scenario.work, Work::Transfer { .. } | Work::Exchange { .. } | Work::Idle { .. });
    is_of_data || unverified_time(scenario, &any).is_some()
}

/// The totals of the process that has ended last.
pub(crate) fn received(channel: &Channel, cancel: &AtomicBool) -> Result<Totals, DriverFailure> {
    let deadline = Instant::now() + LONGEST;
    let what = loop {
        if cancel.load(Ordering::Relaxed) {
            return Err(DriverFailure::Interrupted);
        }
        match channel.receive(GLANCE) {
            Ok(Some(line)) => match Totals::parse(&line) {
                Some(totals) => return Ok(totals),
                None => break format!("no totals of the counter; got {:?}", String::from_utf8_lossy(&line)),
            },
            Ok(None) if Instant::now() >= deadline => break "no totals of the counter".to_owned(),
            Ok(None) => {}
            Err(cause) => break format!("totals of the counter that cannot be read: {cause}"),
        }
    };
    Err(DriverFailure::Nonsense { request: "count", what })
}

/// How long a process that has said goodbye may take to end under the counter.
const LONGEST: Duration = Duration::from_secs(30);
const GLANCE: Duration = Duration::from_millis(50);

/// The most instructions of neither side for each of the sides'.
const MOST_BESIDE: f64 = 0.25;
/// And for one-off work: writing the reply and the end of the process.
const REPLY: u64 = 20_000_000;

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tlslab_protocol::{ConnectionAge, Side};

    use super::*;

    fn counting(client: u64, server: u64) -> Counting {
        let side =
            |instructions: u64| json!({"phases": {"handshake": {"instructions": instructions}}, "marks": 1});
        let text =
            json!({"iterations": 1, "sides": {"client": side(client), "server": side(server)}, "wire": ""});
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn a_count_is_what_the_counter_has_counted() {
        let totals = Totals::parse(b"1000 3000000\n").unwrap();
        assert_eq!(totals, Totals { others: 1000, sides: 3_000_000 });
        assert_eq!(totals.untrue(&counting(1_000_000, 2_000_000), &handshake()), None);
        let what = totals.untrue(&counting(10_000, 20_000), &handshake()).unwrap();
        assert_eq!(what, "30000 instructions, but the counter counted 3000000");
    }

    #[test]
    fn work_is_not_hidden_between_the_sides() {
        let totals = Totals { others: 90_000_000, sides: 40_000_000 };
        let counting = counting(20_000_000, 20_000_000);
        let what = totals.untrue(&counting, &handshake()).unwrap();
        let text = "40000000 instructions of both sides, and 90000000 of neither, of which at most 30000000 are plausible";
        assert_eq!(what, text);
        // A connection that is opened for the data belongs to neither side.
        let work = Work::Transfer {
            sender: Side::Client,
            write_bytes: 16_384,
            connection: ConnectionAge::Fresh,
            burst: 1,
        };
        assert_eq!(totals.untrue(&counting, &Scenario::plain(work)), None);
    }

    fn handshake() -> Scenario {
        Scenario::plain(Work::Handshake)
    }

    #[test]
    fn a_line_that_is_none_is_refused() {
        for line in [&b""[..], b"1 2", b"1\n", b"-1 2\n", b"1 2 3\n", b"\xff 1\n"] {
            assert_eq!(Totals::parse(line), None, "{line:?}");
        }
    }
}
