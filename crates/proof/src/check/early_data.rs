//! Checks of early data: announced, sent before anything came from the server, and accepted.
//!
//! The server accepts it in EncryptedExtensions, which is encrypted. The proof is that the server returned
//! the data before it was given the client's Finished; a library may report it, too.

use tlslab_protocol::{Facts, Records, Scenario};

use crate::check::checker::Checker;
use crate::check::data::{cut, overhead, plain};
use crate::transcript::Transcript;
use crate::{Fact, Source};

/// Checks early data against the scenario; `None` without early data if none is required.
pub(super) fn check(
    checker: &mut Checker,
    scenario: &Scenario,
    facts: &Facts,
    transcript: &Transcript<'_>,
    habit: Records,
) -> Option<Fact<u64>> {
    let wanted = u64::from(scenario.early_data);
    let announced = transcript.client_hello.early_data;
    let chosen = &transcript.server_hello;
    let overhead = overhead(chosen.version, chosen.suite);
    let records: Vec<u64> =
        transcript.early_records().map(|length| length.saturating_sub(overhead) as u64).collect();
    if wanted == 0 {
        if announced {
            checker.wrong("early data", "none", "early_data in the ClientHello", Source::Wire);
        }
        if !records.is_empty() {
            let seen = format!("{} records with the ClientHello", records.len());
            checker.wrong("early data", "none", seen, Source::Wire);
        }
        return None;
    }
    if !announced {
        checker.wrong("early data", "early_data in the ClientHello", "none", Source::Wire);
    }
    let expected = cut(wanted, plain(habit, scenario.version, overhead));
    if records != expected {
        checker.wrong("records of early data", bytes_of(&expected), bytes_of(&records), Source::Wire);
    }
    for (source, said) in [
        (Source::Client, facts.client.early_data_accepted),
        (Source::Server, facts.server.early_data_accepted),
    ] {
        if said == Some(false) {
            checker.wrong("early data", "accepted", "rejected", source);
        }
    }
    let words = [
        (Source::Client, facts.client.early_data_accepted == Some(true)),
        (Source::Server, facts.server.early_data_accepted == Some(true)),
    ];
    for (name, counted) in
        [("early data sent", facts.early_data_sent), ("early data received", facts.early_data_received)]
    {
        if counted != wanted {
            checker.wrong(name, format!("{wanted} bytes"), format!("{counted} bytes"), Source::Driver);
        }
    }
    let mut sources = vec![Source::Wire];
    sources.extend(words.into_iter().filter_map(|(source, said)| said.then_some(source)));
    sources.push(Source::Driver);
    Some(Fact::Shown { value: wanted, sources })
}

fn bytes_of(records: &[u64]) -> String {
    match records {
        [] => "none".to_owned(),
        records => records.iter().map(|bytes| format!("{bytes} bytes")).collect::<Vec<_>>().join(" + "),
    }
}
