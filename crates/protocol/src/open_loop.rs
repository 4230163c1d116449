//! The open loop: connections arrive by their own schedule, and each response time is counted from the
//! intended arrival.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Arrivals, ContextUse, Latencies, Scenario, ServerKeyShare, Start, Transport, Work};

/// Separates the work's name from the rate in a scenario's name.
const OPEN_LOOP: &str = "/open-loop-";

/// Statistics of the arrivals of a slice. The slice's iterations are its arrivals.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OpenLoop {
    /// Arrivals whose handshake was done before the slice ended. The others were still waiting or in progress
    /// at its deadline.
    pub served: u64,
    /// The length of the schedule, ns: from the first arrival to the time at which another would follow the
    /// last.
    pub span_ns: u64,
    /// Time for which the client's thread worked between the first arrival and the end of the slice, ns.
    pub client_busy_ns: u64,
    /// The same for the server's thread, ns.
    pub server_busy_ns: u64,
    /// How much later than intended the client's thread began, ns, summed over the arrivals that were served.
    pub late_ns: u64,
    /// Response times: from each served connection's intended arrival until the client's handshake is done.
    pub responses: Latencies,
}

impl Scenario {
    /// The highest rate that can be requested, arrivals per second.
    pub const MOST_RATE: u32 = 1_000_000;

    /// The reason why the scenario cannot have a rate; `None` if it can.
    pub fn lacks_open_loop(&self) -> Option<&'static str> {
        let refused = [
            (matches!(self.work, Work::Primitive(_)), "a primitive has no connection that could arrive"),
            (self.work != Work::Handshake, "connections that arrive make a handshake and carry no data"),
            (self.transport != Transport::Loopback, "connections arrive over loopback TCP alone"),
            (
                self.resumption.takes_up_session(),
                "a session would have to be free when its connection arrives",
            ),
            (self.early_data > 0, "connections that arrive carry no early data"),
            (
                self.server_key_share == ServerKeyShare::Pregenerated,
                "key shares made beforehand would be made between arrivals",
            ),
            (
                self.context == ContextUse::Fresh || self.start == Start::Cold,
                "connections that arrive share contexts in a warm process",
            ),
            (
                self.threads > 1 || self.concurrent,
                "an open loop has one thread for all clients and one for the server",
            ),
        ];
        refused.into_iter().find(|(is_so, _)| *is_so).map(|(_, why)| why)
    }

    /// Splits a name made by [`at_rate`](Self::at_rate) into the work's name, the rate per second and the
    /// kind of arrivals. `None` for other names.
    pub fn rate_of_name(name: &str) -> Option<(&str, u32, Arrivals)> {
        let (work, end) = name.rsplit_once(OPEN_LOOP)?;
        let (rate, arrivals) = match end.strip_suffix("-fixed") {
            Some(rate) => (rate, Arrivals::Fixed),
            None => (end, Arrivals::Poisson),
        };
        let rate = rate.parse().ok().filter(|rate| (1..=Self::MOST_RATE).contains(rate))?;
        (!work.is_empty()).then_some((work, rate, arrivals))
    }

    /// The same work with arrivals at `rate` per second, over loopback TCP. Check
    /// [`lacks_open_loop`](Self::lacks_open_loop) first.
    pub fn at_rate(&self, rate: u32, arrivals: Arrivals) -> Self {
        let process = match arrivals {
            Arrivals::Poisson => String::new(),
            Arrivals::Fixed => format!("-{arrivals}"),
        };
        Self {
            name: format!("{}{OPEN_LOOP}{rate}{process}", self.name),
            transport: Transport::Loopback,
            // Each side has a thread of its own in any case.
            concurrent: false,
            rate,
            arrivals,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resumption;

    #[test]
    fn a_scenario_without_a_rate_is_written_as_ever() {
        let plain = Scenario::plain(Work::Handshake);
        let text = serde_json::to_value(&plain).unwrap();
        assert!(text.get("rate").is_none() && text.get("arrivals").is_none(), "{text}");
        assert_eq!(text.as_object().unwrap().len(), 20);
        let read: Scenario = serde_json::from_value(text).unwrap();
        assert_eq!((read.rate, read.arrivals), (0, Arrivals::Poisson));
    }

    #[test]
    fn a_rate_is_part_of_the_scenario_and_of_its_name() {
        let plain = Scenario { name: "h".to_owned(), ..Scenario::plain(Work::Handshake) };
        let at = plain.at_rate(2_000, Arrivals::Poisson);
        assert_eq!((at.name.as_str(), at.lacks_open_loop()), ("h/open-loop-2000", None));
        assert_eq!((at.processors(), at.works_at_once()), (2, true));
        assert_eq!(plain.at_rate(50, Arrivals::Fixed).name, "h/open-loop-50-fixed");
        assert!(plain.lacks_open_loop().unwrap().contains("loopback"));
        let taken_apart = Scenario::rate_of_name("a/b/open-loop-50-fixed");
        assert_eq!(taken_apart, Some(("a/b", 50, Arrivals::Fixed)));
        assert_eq!(Scenario::rate_of_name(&at.name), Some(("h", 2_000, Arrivals::Poisson)));
        for none in ["a/b", "a/open-loop-0", "a/open-loop-x", "/open-loop-5", "a/open-loop-5/b"] {
            assert_eq!(Scenario::rate_of_name(none), None, "{none}");
        }
    }

    #[test]
    fn what_cannot_arrive_has_a_reason() {
        let lacks = |scenario: Scenario| scenario.at_rate(1, Arrivals::Poisson).lacks_open_loop();
        let plain = || Scenario::plain(Work::Handshake);
        assert!(lacks(Scenario { resumption: Resumption::Ticket, ..plain() }).is_some());
        assert_eq!(lacks(Scenario { resumption: Resumption::ExternalPsk, ..plain() }), None);
        assert_eq!(lacks(Scenario { concurrent: true, ..plain() }), None);
        assert!(lacks(Scenario { threads: 2, ..plain() }).is_some());
        assert!(lacks(Scenario::plain(Work::Exchange { write_bytes: 1, burst: 1 })).is_some());
    }
}
