//! Asking again: a forge has moments in which it cannot, and limits that pass.

use std::time::Duration;

use crate::{Answer, Ask, ForgeError, Transport};

/// How often something is asked.
pub(crate) const TRIES: u32 = 5;
/// The longest wait that a job is worth, s.
const LONGEST_S: u64 = 120;

/// For how long to wait before asking again; `None` where asking again is of no use.
pub(crate) fn wait(answer: &Answer, tried: u32, now_unix_s: u64) -> Option<Duration> {
    let limited = is_limited(answer);
    if !limited && !(500..600).contains(&answer.status) {
        return None;
    }
    let asked = asked_for(answer, now_unix_s);
    // One second, then twice as long each time, if the answer gives no time.
    Some(asked.map_or_else(|| Duration::from_secs(1 << tried.min(6)), Duration::from_secs))
}

/// How many seconds to wait; `None` if the failure is not temporary.
pub(crate) fn busy_s(answer: &Answer, now_unix_s: u64) -> Option<u64> {
    let limited = is_limited(answer);
    if !limited && !(500..600).contains(&answer.status) {
        return None;
    }
    // GitHub requires at least a minute if a secondary limit gives no time.
    let unnamed = if limited { 60 } else { 10 };
    Some(asked_for(answer, now_unix_s).unwrap_or(unnamed).clamp(1, 86_400))
}

fn is_limited(answer: &Answer) -> bool {
    let is_secondary = || answer.message().to_ascii_lowercase().contains("secondary rate limit");
    let is_asked = answer.remaining == Some(0) || answer.retry_after_s.is_some();
    answer.status == 429 || (answer.status == 403 && (is_asked || is_secondary()))
}

/// The seconds that it demands itself.
fn asked_for(answer: &Answer, now_unix_s: u64) -> Option<u64> {
    let is_used_up = is_limited(answer) && answer.remaining == Some(0);
    let reset = answer.reset_unix_s.filter(|_| is_used_up);
    answer.retry_after_s.or_else(|| Some(reset?.saturating_sub(now_unix_s)))
}

/// Reads, and asks again while that may help.
pub(crate) fn read(transport: &mut dyn Transport, ask: &Ask) -> Result<Answer, ForgeError> {
    let mut tried = 0;
    loop {
        let answer = transport.send(ask)?;
        if !again(transport, ask, &answer, &mut tried)? {
            return Ok(answer);
        }
    }
}

/// Whether to ask again; has waited then.
pub(crate) fn again(
    transport: &mut dyn Transport,
    ask: &Ask,
    answer: &Answer,
    tried: &mut u32,
) -> Result<bool, ForgeError> {
    let Some(wait) = wait(answer, *tried, transport.now_unix_s()) else { return Ok(false) };
    *tried += 1;
    if wait.as_secs() > LONGEST_S {
        return Err(ForgeError::Limited { url: ask.url.clone(), wait_s: wait.as_secs() });
    }
    if *tried >= TRIES {
        return Err(ForgeError::TooBusy {
            method: ask.method,
            url: ask.url.clone(),
            status: answer.status,
            message: answer.message(),
            tries: *tried,
        });
    }
    transport.wait(wait);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_waits_as_long_as_it_is_asked_to() {
        let of = |status, retry_after_s, remaining, reset_unix_s| Answer {
            status,
            retry_after_s,
            remaining,
            reset_unix_s,
            ..Answer::default()
        };
        let seconds = |answer: &Answer, tried| wait(answer, tried, 1000).map(|wait| wait.as_secs());
        assert_eq!(seconds(&of(200, None, Some(0), Some(1030)), 0), None);
        assert_eq!(seconds(&of(404, None, None, None), 0), None);
        assert_eq!(seconds(&of(403, None, Some(12), Some(1030)), 0), None, "it may not, ever");
        assert_eq!(seconds(&of(403, None, Some(0), Some(1030)), 0), Some(30));
        assert_eq!(seconds(&of(403, Some(7), None, None), 0), Some(7), "a second limit");
        assert_eq!(seconds(&of(429, Some(60), Some(0), Some(1030)), 3), Some(60));
        assert_eq!(seconds(&of(429, None, None, None), 2), Some(4));
        assert_eq!(seconds(&of(503, None, None, None), 0), Some(1));
        assert_eq!(
            seconds(&of(502, None, Some(40), Some(5000)), 3),
            Some(8),
            "limits have nothing to do with it"
        );
        assert_eq!(seconds(&of(403, None, Some(0), Some(900)), 0), Some(0), "it is over");
    }

    #[test]
    fn the_time_of_a_limit_is_named() {
        let of = |status, retry_after_s, remaining, message: &str| Answer {
            status,
            retry_after_s,
            remaining,
            reset_unix_s: Some(1900),
            body: serde_json::json!({ "message": message }),
        };
        for (answer, expected) in [
            (of(200, None, Some(0), ""), None),
            (of(403, None, Some(12), "Resource not accessible"), None),
            (of(403, None, Some(12), "You have exceeded a secondary rate limit."), Some(60)),
            (of(403, None, Some(0), ""), Some(900)),
            (of(429, Some(17), None, ""), Some(17)),
            (of(429, None, None, ""), Some(60)),
            (of(429, Some(0), None, ""), Some(1)),
            (of(429, Some(u64::MAX), None, ""), Some(86_400)),
            (of(502, None, Some(40), ""), Some(10)),
            (of(404, None, Some(0), ""), None),
        ] {
            assert_eq!(busy_s(&answer, 1000), expected, "{answer:?}");
        }
    }
}
