//! Scenarios that leave libraries at their defaults.

use tlslab_protocol::{Capabilities, KeyType, Limit, Verification};

use crate::{Family, claims, hole};

fn parse(more: &str) -> Result<Vec<tlslab_protocol::Scenario>, String> {
    let text = format!("name = \"defaults/handshake\"\n[axes]\ndefaults = true\n{more}\n");
    Family::parse("f.toml", &text)
        .map(|mut families| families.remove(0).scenarios)
        .map_err(|cause| cause.to_string())
}

#[test]
fn a_library_decides_what_a_scenario_would_pin() {
    let refused = |more: &str| parse(more).unwrap_err();
    insta::assert_snapshot!(refused("version = \"1.2\""), @"f.toml: defaults: the library decides the axis version; remove it");
    insta::assert_snapshot!(refused("group = \"p-256\""), @"f.toml: defaults: the library decides the axis group; remove it");
    insta::assert_snapshot!(refused("tickets = 2"), @"f.toml: defaults: the library decides the axis tickets; remove it");
    insta::assert_snapshot!(refused("hello_retry = true"), @"f.toml: defaults: the library decides the axis hello_retry; remove it");
    let transfer = "name = \"t\"\nwork = \"request\"\n[axes]\ndefaults = true\n";
    let refused = Family::parse("f.toml", transfer).unwrap_err();
    insta::assert_snapshot!(refused, @"f.toml: defaults: only a handshake can have them; set work to handshake");
    let [scenario] = &parse("verification = \"chain+name\"").unwrap()[..] else { panic!() };
    assert!(scenario.defaults && scenario.verification == Verification::ChainAndName);
}

#[test]
fn a_stack_needs_no_version_group_or_suite_for_it() {
    let scenario = parse("verification = \"chain\"").unwrap().remove(0);
    let able = Capabilities {
        defaults: true,
        works: vec!["handshake".to_owned()],
        signatures: vec![KeyType::EcdsaP256],
        verification: vec![Verification::Chain],
        ..Capabilities::default()
    };
    assert_eq!(hole(&scenario, &able), None);
    let axes: Vec<&str> = claims(&scenario, &able).iter().map(|claim| claim.axis).collect();
    assert!(axes.contains(&"defaults") && !axes.contains(&"version") && !axes.contains(&"group"), "{axes:?}");
    let without = Capabilities { defaults: false, ..able };
    let reason = "its driver cannot leave the library at its defaults yet";
    assert_eq!(hole(&scenario, &without).as_deref(), Some(reason));
    let limit =
        Limit { axis: "defaults".to_owned(), value: "any".to_owned(), reason: "it has none".to_owned() };
    let said = Capabilities { limits: vec![limit], ..without };
    assert_eq!(hole(&scenario, &said).as_deref(), Some("it has none"));
}
