//! Connections that arrive at a rate.

use tlslab_protocol::{Arrivals, Capabilities, Scenario, Work};

use crate::{Catalogue, Family, SourceFile, claims};

const FILE: &str = r#"
name = "arriving/{rate}/{arrivals}"
[axes]
version = "1.3"
signature = "ecdsa-p256"
group = "x25519"
suite = "aes-128-gcm"
verification = "none"
"#;

fn error(more: &str) -> String {
    Family::parse("f.toml", &format!("{FILE}{more}")).unwrap_err().to_string()
}

#[test]
fn a_file_has_rates_like_any_other_axis() {
    let more = "transport = \"loopback\"\nrate = [100, 2000]\narrivals = [\"poisson\", \"fixed\"]\n";
    let family = Family::parse("f.toml", &format!("{FILE}{more}")).unwrap().remove(0);
    let names: Vec<&str> = family.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    let expected =
        ["arriving/100/poisson", "arriving/100/fixed", "arriving/2000/poisson", "arriving/2000/fixed"];
    assert_eq!(names, expected);
    assert_eq!((family.scenarios[3].rate, family.scenarios[3].arrivals), (2_000, Arrivals::Fixed));
}

#[test]
fn a_rate_that_cannot_be_is_refused() {
    insta::assert_snapshot!(error("rate = 5\n"), @"f.toml: rate 5: connections arrive over loopback TCP alone");
    insta::assert_snapshot!(error("arrivals = \"fixed\"\n"), @"f.toml: arrivals fixed: there are no arrivals without a rate; set rate, or omit arrivals");
    insta::assert_snapshot!(error("transport = \"loopback\"\nrate = 2000000\n"), @"f.toml: rate 2000000: from 1 to 1000000 a second");
    insta::assert_snapshot!(error("transport = \"loopback\"\nrate = 5\nthreads = 2\n"), @"f.toml: rate 5: an open loop has one thread for all clients and one for the server");
}

#[test]
fn a_stack_without_the_loop_has_a_reason_and_so_has_other_work() {
    let reason = |scenario: Scenario, open_loop: bool| {
        let able = Capabilities { open_loop, ..Capabilities::default() };
        let claims = claims(&scenario.at_rate(5, Arrivals::Poisson), &able);
        let claim = claims.into_iter().find(|claim| claim.axis == "rate").unwrap();
        (claim.met, claim.reason)
    };
    let handshake = || Scenario::plain(Work::Handshake);
    assert_eq!(reason(handshake(), true), (true, None));
    let without = reason(handshake(), false);
    assert_eq!(without, (false, Some("its driver has no loop over arrivals".to_owned())));
    let exchange = reason(Scenario::plain(Work::Exchange { write_bytes: 1, burst: 1 }), true);
    assert!(!exchange.0 && exchange.1.unwrap().contains("carry no data"));
    let plain = claims(&handshake(), &Capabilities::default());
    assert!(plain.iter().all(|claim| claim.axis != "rate"), "no rate, no claim");
}

#[test]
fn a_pattern_that_ends_in_a_rate_stands_for_what_matches_the_rest() {
    let text = FILE.replace("arriving/{rate}/{arrivals}", "h/{suite}");
    let text = text.replace("\"aes-128-gcm\"", "[\"aes-128-gcm\", \"chacha20-poly1305\"]");
    let file = SourceFile { path: "scenarios/curated/h.toml".to_owned(), text, is_own: false };
    let catalogue = Catalogue::parse(&[file]).unwrap();
    let selected = |patterns: &[&str]| -> Vec<String> {
        catalogue.select(patterns).unwrap().into_iter().map(|scenario| scenario.name).collect()
    };
    let both = ["h/aes-128-gcm/open-loop-50", "h/chacha20-poly1305/open-loop-50"];
    assert_eq!(selected(&["h/*/open-loop-50"]), both);
    let mixed = ["h/chacha20-poly1305", "h/aes-128-gcm/open-loop-9-fixed"];
    assert_eq!(selected(&["h/aes*/open-loop-9-fixed", "h/cha*"]), mixed);
    assert!(catalogue.select(&["x/open-loop-50"]).is_err());
    let named = catalogue.named("h/aes-128-gcm/open-loop-50").unwrap();
    assert_eq!((named.rate, named.name.as_str()), (50, both[0]));
    assert!(catalogue.named("h/open-loop-50").is_err());
}
