//! Lines as a forge's answers: a comment is left or not, after a bounded number of requests, and no message is long.

#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use tlslab_forge::{Answer, Ask, Forge, ForgeError, Kind, Mark, Measured, Transport, leave};

/// Answers line by line: the status, then the body.
struct Lines<'l>(std::str::Lines<'l>, usize);

impl Transport for Lines<'_> {
    fn send(&mut self, _: &Ask) -> Result<Answer, ForgeError> {
        self.1 += 1;
        assert!(self.1 <= 2_000, "it asks without end");
        let line = self.0.next().unwrap_or("404 null");
        let (status, body) = line.split_once(' ').unwrap_or((line, ""));
        let body = serde_json::from_str(body).unwrap_or_default();
        Ok(Answer { status: status.parse().unwrap_or(500), body, ..Answer::default() })
    }

    fn wait(&mut self, time: Duration) {
        assert!(time <= Duration::from_secs(120));
    }

    fn now_unix_s(&self) -> u64 {
        0
    }
}

fuzz_target!(|text: &str| {
    for (kind, repository) in [(Kind::Github, "o/r"), (Kind::Gitlab, "7")] {
        let forge = Forge::new(kind, "https://api.example", repository).expect("a good name");
        let mark = Mark::of("tlslab").expect("a good name");
        let commit = "0123456789012345678901234567890123456789";
        let measured = Measured { number: 7, commit, repository: Some(70) };
        let left = leave(&mut Lines(text.lines(), 0), &forge, measured, &mark, "text", None);
        if let Err(error) = left {
            assert!(error.to_string().len() < 2_000);
        }
    }
});
