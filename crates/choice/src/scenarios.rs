//! The scenarios that measure a mix.

use tlslab_protocol::{Scenario, Verification};

use crate::mix::Mix;
use crate::work::Work;

/// The scenarios that measure the costs of a mix, one for each part, and the parts without a scenario. Of
/// several, the one in which the client verifies least is taken, as more stacks support it and the side's own
/// work is the same; then the one with the mix's key, then the one with the plainest name.
#[must_use]
pub fn scenarios_of<'s>(mix: &Mix, all: &'s [Scenario]) -> (Vec<&'s Scenario>, Vec<Work>) {
    let mut found: Vec<&Scenario> = Vec::new();
    let mut missing = Vec::new();
    for work in mix.works() {
        let measures = |scenario: &&Scenario| Work::of(scenario, mix.side).as_ref() == Some(&work);
        let preference = |scenario: &&Scenario| {
            let key = format!("{} {}", scenario.signature, scenario.group.short_name());
            let is_verified = scenario.verification != Verification::None;
            (is_verified, !mix.key.ends_with(&key), scenario.name.matches('/').count())
        };
        match all.iter().filter(measures).min_by_key(preference) {
            Some(scenario) if found.contains(&scenario) => {}
            Some(scenario) => found.push(scenario),
            None => missing.push(work),
        }
    }
    (found, missing)
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::{KeyType, Resumption, Side, Work as Done};

    use super::*;
    use crate::mix::profiles;

    #[test]
    fn the_plainest_scenario_of_the_mixes_key_is_measured() {
        let named = |name: &str, scenario: Scenario| Scenario { name: name.to_owned(), ..scenario };
        let full = Scenario { verification: Verification::None, ..Scenario::plain(Done::Handshake) };
        let resumed = Scenario { resumption: Resumption::Ticket, tickets: 1, ..full.clone() };
        let key = format!("{} {}", full.signature, full.group.short_name());
        let other = [KeyType::Rsa2048, KeyType::EcdsaP256];
        let other = other.into_iter().find(|key| *key != full.signature).unwrap();
        let all = [
            named("rows/of/another/program/full", full.clone()),
            named("full/verified", Scenario { verification: Verification::ChainAndName, ..full.clone() }),
            named("full/plain", full.clone()),
            named("resumed/other", Scenario { signature: other, ..resumed.clone() }),
            named("resumed/more", Scenario { tickets: 2, ..resumed.clone() }),
            named("resumed/plain", resumed),
        ];
        let mix = Mix { key, bytes: 0.0, ..profiles().remove(0) };
        let (found, missing) = scenarios_of(&mix, &all);
        let names: Vec<&str> = found.iter().map(|scenario| scenario.name.as_str()).collect();
        assert_eq!(names, ["full/plain", "resumed/plain"]);
        assert_eq!(missing, [Work::Idle]);
        assert_eq!(Work::of(&all[2], Side::Client), None, "a client verifies");
        assert!(Work::of(&all[1], Side::Client).is_some());
    }
}
