//! Times that come again.

use std::str::FromStr;

use croner::Cron;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Reads a time as cron writes it.
pub(crate) fn parse(text: &str) -> Result<Cron, String> {
    Cron::from_str(text).map_err(|cause| {
        format!("\"{text}\" is not a cron expression ({cause}); write five fields, such as \"0 3 * * *\"")
    })
}

/// The first time after a moment, in UTC; both in milliseconds since 1970.
pub(crate) fn next_after(cron: &str, unix_ms: u64) -> Result<u64, String> {
    let none = |cause: String| format!("\"{cron}\" has no time after this one: {cause}");
    let now = i64::try_from(unix_ms).map_err(|cause| none(cause.to_string()))?;
    let now = Timestamp::from_millisecond(now).map_err(|cause| none(cause.to_string()))?;
    let next = parse(cron)?
        .find_next_occurrence(&now.to_zoned(TimeZone::UTC), false)
        .map_err(|cause| none(cause.to_string()))?;
    u64::try_from(next.timestamp().as_millisecond()).map_err(|cause| none(cause.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_time_is_after_the_moment() {
        // 2026-11-25 03:00:00 UTC.
        let three: u64 = 1_795_575_600_000;
        assert_eq!(next_after("0 3 * * *", three - 1).unwrap(), three);
        assert_eq!(next_after("0 3 * * *", three).unwrap(), three + 86_400_000);
        assert!(next_after("0 3 31 2 *", three).is_err());
    }
}
