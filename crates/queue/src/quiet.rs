//! Hours in which a runner is left alone: `08:00-18:00`, or with days, `mon-fri 08:00-18:00`; several after
//! commas. UTC.

use std::fmt;
use std::str::FromStr;

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const DAY_MIN: u32 = 24 * 60;
const MINUTE_MS: u64 = 60_000;

/// Hours in which a runner takes no job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuietHours {
    spans: Vec<Span>,
    text: String,
}

/// On these days from a minute to another one; the day after, if that one is not later.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Span {
    days: [bool; 7],
    from: u32,
    to: u32,
}

impl QuietHours {
    /// Whether a moment, milliseconds since 1970, is within them.
    pub fn has(&self, unix_ms: u64) -> bool {
        let minutes = unix_ms / MINUTE_MS;
        // 1 January 1970 was a Thursday.
        let day = ((minutes / u64::from(DAY_MIN) + 3) % 7) as usize;
        let minute = (minutes % u64::from(DAY_MIN)) as u32;
        self.spans.iter().any(|span| {
            let (today, yesterday) = (span.days[day], span.days[(day + 6) % 7]);
            match span.from < span.to {
                true => today && (span.from..span.to).contains(&minute),
                false => today && minute >= span.from || yesterday && minute < span.to,
            }
        })
    }

    /// Whether there are no quiet hours.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for QuietHours {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let spans: Result<Vec<Span>, String> = parts.map(span).collect();
        Ok(Self { spans: spans?, text: text.trim().to_owned() })
    }
}

fn span(text: &str) -> Result<Span, String> {
    let wrong = || {
        format!(
            "\"{}\" is not a range of hours: write 08:00-18:00 or mon-fri 08:00-18:00, in UTC",
            text.escape_debug()
        )
    };
    let (days, hours) = match text.split_once(' ') {
        Some((days, hours)) => (days_of(days).ok_or_else(wrong)?, hours.trim()),
        None => ([true; 7], text),
    };
    let (from, to) = hours.split_once('-').ok_or_else(wrong)?;
    let (from, to) = (minute(from).ok_or_else(wrong)?, minute(to).ok_or_else(wrong)?);
    if from == DAY_MIN {
        return Err(wrong());
    }
    Ok(Span { days, from, to })
}

fn days_of(text: &str) -> Option<[bool; 7]> {
    let day = |name: &str| DAYS.iter().position(|known| *known == name);
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (day(first)?, day(last)?),
        None => (day(text)?, day(text)?),
    };
    let mut days = [false; 7];
    let mut at = first;
    loop {
        days[at] = true;
        if at == last {
            return Some(days);
        }
        at = (at + 1) % 7;
    }
}

fn minute(text: &str) -> Option<u32> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |text: &str| (text.len() == 2).then(|| text.parse::<u32>().ok()).flatten();
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60 || (hours, minutes) == (24, 0)).then_some(hours * 60 + minutes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Thursday, 26 November 2026, 00:00 UTC.
    const THURSDAY: u64 = 1_795_651_200_000;
    const HOUR: u64 = 3_600_000;

    fn is(text: &str, unix_ms: u64) -> bool {
        text.parse::<QuietHours>().unwrap().has(unix_ms)
    }

    #[test]
    fn hours_end_before_their_last_minute() {
        assert!(!is("08:00-18:00", THURSDAY + 8 * HOUR - 1));
        assert!(is("08:00-18:00", THURSDAY + 8 * HOUR));
        assert!(is("08:00-18:00", THURSDAY + 18 * HOUR - 1));
        assert!(!is("08:00-18:00", THURSDAY + 18 * HOUR));
        assert!(is("00:00-24:00", THURSDAY) && !is("", THURSDAY));
    }

    #[test]
    fn a_night_belongs_to_the_day_on_which_it_begins() {
        let night = "thu 22:00-06:00";
        assert!(is(night, THURSDAY + 23 * HOUR) && is(night, THURSDAY + 29 * HOUR));
        assert!(!is(night, THURSDAY + 5 * HOUR) && !is(night, THURSDAY + 30 * HOUR));
    }

    #[test]
    fn days_may_go_over_the_end_of_the_week() {
        assert!(is("sat-mon 00:00-24:00", THURSDAY + 2 * 24 * HOUR));
        assert!(!is("sat-mon 00:00-24:00", THURSDAY));
        assert!(is("mon-fri 09:00-17:00, sat 10:00-12:00", THURSDAY + 58 * HOUR));
    }

    #[test]
    fn what_are_no_hours_is_named() {
        for wrong in
            ["8:00-18:00", "08:00", "25:00-26:00", "someday 08:00-09:00", "24:00-01:00", "08:60-09:00"]
        {
            let error = wrong.parse::<QuietHours>().unwrap_err();
            assert!(error.contains("mon-fri 08:00-18:00"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-z0-9:, -]{0,40}", unix_ms in 0..4_000_000_000_000_u64) {
            if let Ok(hours) = text.parse::<QuietHours>() {
                let _ = hours.has(unix_ms);
            }
        }
    }
}
