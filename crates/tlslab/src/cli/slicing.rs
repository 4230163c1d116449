//! How long a stack works without a break, and how much of that is warm-up.

use std::time::Duration;

use clap::Args;
use jiff::SignedDuration;
use tlslab_lab::request::SlicingRequest;
use tlslab_protocol::WarmUpRule;
use tlslab_record::Count;

/// Arguments of verbs that time stacks.
#[derive(Args, Clone, Copy, Default)]
pub(crate) struct SlicingArgs {
    /// The target length of a slice, such as 5ms; figures from slices of different lengths are not comparable
    /// [default: 0.5ms].
    #[arg(long, value_name = "TIME", value_parser = parse_slice, hide_short_help = true)]
    pub slice: Option<Duration>,
    /// Slices per turn of a stack [default: 8].
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub slices: Option<Count<1, 1_000>>,
    /// The warm-up before the slices, excluded from every figure: LEAST_TIME,LEAST_ITERATIONS,MOST_TIME, or
    /// none [default: 2ms,16,20ms].
    #[arg(long, value_name = "RULE", value_parser = parse_warm_up, hide_short_help = true)]
    pub warm_up: Option<AskedWarmUp>,
}

/// A warm-up, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskedWarmUp(Option<WarmUpRule>);

impl SlicingArgs {
    /// The same for a request.
    pub(crate) fn request(self) -> SlicingRequest {
        SlicingRequest {
            slice_ns: self.slice.and_then(|time| Count::new((time.as_nanos() as u64).max(1)).ok()),
            slices: self.slices,
            warm_up: self.warm_up.map(|asked| asked.0),
        }
    }
}

fn parse_warm_up(text: &str) -> Result<AskedWarmUp, String> {
    if text == "none" {
        return Ok(AskedWarmUp(None));
    }
    let wrong = || "it is not a warm-up rule; examples: 2ms,16,20ms and none".to_owned();
    let parts: Vec<&str> = text.split(',').collect();
    let [least, iterations, most] = parts[..] else { return Err(wrong()) };
    let ns = |text| parse_slice(text).map(|time| time.as_nanos() as u64);
    let rule = WarmUpRule {
        least_ns: ns(least)?,
        least_iterations: iterations.parse().map_err(|_| wrong())?,
        most_ns: ns(most)?,
    };
    Ok(AskedWarmUp(Some(rule)))
}

/// Up to a second.
fn parse_slice(text: &str) -> Result<Duration, String> {
    let time: SignedDuration =
        text.parse().map_err(|_| "it is not the length of a slice; examples: 5ms, 0.5ms, 200us")?;
    let is_allowed = (SignedDuration::ZERO..=SignedDuration::from_secs(1)).contains(&time);
    if is_allowed { Ok(time.unsigned_abs()) } else { Err("must be from 0 to 1000 ms".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warm_up_is_three_numbers_or_none() {
        let rule = WarmUpRule { least_ns: 2_000_000, least_iterations: 8, most_ns: 10_000_000 };
        assert_eq!(parse_warm_up("2ms,8,10ms"), Ok(AskedWarmUp(Some(rule))));
        assert_eq!(parse_warm_up("none"), Ok(AskedWarmUp(None)));
        for wrong in ["", "2ms", "2ms,8", "2ms,x,10ms", "2,8,10ms", "2ms,8,10ms,1"] {
            assert!(parse_warm_up(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn slices_are_given_with_their_unit() {
        assert_eq!(parse_slice("5ms"), Ok(Duration::from_millis(5)));
        assert_eq!(parse_slice("0.5ms"), Ok(Duration::from_micros(500)));
        assert_eq!(parse_slice("200us"), Ok(Duration::from_micros(200)));
        assert_eq!(parse_slice("200µs"), Ok(Duration::from_micros(200)));
        assert_eq!(parse_slice("0.1ms"), Ok(Duration::from_micros(100)));
        assert_eq!(parse_slice("0ms"), Ok(Duration::ZERO));
        assert_eq!(parse_slice("1s"), Ok(Duration::from_secs(1)));
        for wrong in ["", "5", "5s", "ms", "-1ms", "1ms ago", "2000ms", "NaNms", "1d", "1e300ms", "0.1ns"] {
            assert!(parse_slice(wrong).is_err(), "{wrong}");
        }
    }
}
