//! Files of scenarios, valid and invalid, and what stacks can do of them.

use proptest::prelude::*;
use tlslab_protocol::{
    Capabilities, CipherSuite, Group, KeyType, Limit, ProtocolVersion, ResumptionKind, Verification,
};

use crate::tests_of_repository::curated;
use crate::{Catalogue, Family, SourceFile, Suite, claims, hole};

const FAMILY: &str = r#"
title = "t"
name = "h/{suite}"
work = "handshake"
[axes]
version = "1.3"
signature = "ecdsa-p256"
group = "x25519"
suite = ["aes-128-gcm"]
verification = "none"
"#;

/// A file of one table.
fn one(text: &str) -> Family {
    let mut families = Family::parse("f.toml", text).unwrap();
    assert_eq!(families.len(), 1);
    families.remove(0)
}

/// The prefix of names is the file's name; in folders other than `curated`, the folder's.
#[test]
fn a_familys_name_says_which_file_it_is_in() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let mut checked = 0;
    for folder in ["conformance", "curated", "ci-bench"] {
        for entry in std::fs::read_dir(format!("{root}/{folder}")).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let begins = if folder == "curated" { stem } else { folder };
            let families = Family::parse("f.toml", &std::fs::read_to_string(&path).unwrap()).unwrap();
            for scenario in families.iter().flat_map(|family| &family.scenarios) {
                let first = scenario.name.split('/').next();
                assert_eq!(first, Some(begins), "{} in {}", scenario.name, path.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 500, "{checked}");
}

#[test]
fn a_file_has_several_tables() {
    let table = |name: &str, version: &str| {
        let axes = FAMILY.replace("[axes]", "[scenarios.axes]").replace("\"1.3\"", &format!("\"{version}\""));
        format!("[[scenarios]]\n{}\n", axes.replace("h/{suite}", name))
    };
    let text = table("h/a/{suite}", "1.3") + &table("h/b/{suite}", "1.3");
    let families = Family::parse("f.toml", &text).unwrap();
    let names: Vec<&str> =
        families.iter().flat_map(|family| &family.scenarios).map(|scenario| scenario.name.as_str()).collect();
    assert_eq!(names, ["h/a/aes-128-gcm", "h/b/aes-128-gcm"]);
    // Two tables that resolve to one name.
    let twice = SourceFile {
        path: "scenarios/f.toml".to_owned(),
        text: table("h/{suite}", "1.3") + &table("h/{suite}", "1.3"),
        is_own: false,
    };
    assert!(Catalogue::parse(&[twice]).unwrap_err().to_string().contains("h/aes-128-gcm"));
    let wrong = Family::parse("f.toml", &text.replace("work = \"handshake\"", "work = \"sleep\""));
    assert!(wrong.unwrap_err().to_string().contains("sleep"));
}

fn error(text: &str) -> String {
    Family::parse("f.toml", text).unwrap_err().to_string()
}

#[test]
fn wrong_files_are_reported_where_and_why() {
    assert_eq!(one(FAMILY).scenarios.len(), 1);
    insta::assert_snapshot!(error(&FAMILY.replace("\"aes-128-gcm\"", "\"aes128\"")), @r#"
    f.toml: TOML parse error at line 9, column 9
      |
    9 | suite = ["aes128"]
      |         ^^^^^^^^^^
    no cipher suite is called "aes128"; known: aes-128-gcm, aes-256-gcm, chacha20-poly1305, ecdhe-ecdsa-aes-128-gcm, ecdhe-ecdsa-aes-256-gcm, ecdhe-ecdsa-chacha20-poly1305, ecdhe-rsa-aes-128-gcm, ecdhe-rsa-aes-256-gcm, ecdhe-rsa-chacha20-poly1305, dhe-rsa-aes-128-gcm, dhe-rsa-aes-256-gcm, dhe-rsa-chacha20-poly1305, psk-aes-128-gcm, psk-aes-256-gcm, psk-chacha20-poly1305, ecdhe-psk-aes-128-gcm, ecdhe-psk-aes-256-gcm, ecdhe-psk-chacha20-poly1305, dhe-psk-aes-128-gcm, dhe-psk-aes-256-gcm, dhe-psk-chacha20-poly1305 (or its code point as 0x followed by four hex digits)
    "#);
    insta::assert_snapshot!(error(&FAMILY.replace("group = ", "groups = ")), @r#"
    f.toml: TOML parse error at line 8, column 1
      |
    8 | groups = "x25519"
      | ^^^^^^
    unknown field `groups`, expected one of `version`, `signature`, `group`, `suite`, `verification`, `tickets`, `resumption`, `authentication`, `hello_retry`, `early_data`, `server_key_share`, `context`, `start`, `transport`, `concurrent`, `threads`, `sharing`, `chain`, `rate`, `arrivals`, `roots`, `defaults`, `sender`, `connection`, `write`, `request_bytes`, `response_bytes`, `held`, `operation`, `algorithm`, `message`, `header_bytes`
    "#);
    insta::assert_snapshot!(error(&FAMILY.replace("[\"aes-128-gcm\"]", "[]")), @"f.toml: an axis has no values; give it one, or omit it");
    insta::assert_snapshot!(error(&FAMILY.replace("{suite}", "{sweet}")), @r#"f.toml: name: there is no axis "sweet" to fill in"#);
    insta::assert_snapshot!(error(&FAMILY.replace("{suite}", "{suite")), @r#"f.toml: name: "h/{suite" has a { without a }"#);
    insta::assert_snapshot!(error(&FAMILY.replace("h/{suite}", "h {suite}")), @r#"f.toml: name: "h aes-128-gcm" must have 1 to 200 letters, digits or any of - + . _ /"#);
    insta::assert_snapshot!(error(&FAMILY.replace("handshake", "transfer")), @"f.toml: a transfer needs the axes sender, connection and write");
    insta::assert_snapshot!(error(&format!("{FAMILY}sender = \"client\"")), @"f.toml: a handshake has no axes sender, connection or write; remove them");
}

#[test]
fn small_files_that_ask_for_very_much_are_refused_at_once() {
    let nested = format!("{}a{}", "{".repeat(300), "}".repeat(300));
    assert!(curated().select(&[&nested]).is_err());
    assert!(curated().select(&["a".repeat(1_001)]).is_err());
    let many = |axis: &str, value: &str| format!("{axis} = [{}]\n", vec![value; 500].join(", "));
    let text = FAMILY.replace("handshake", "transfer")
        + &many("sender", "\"client\"")
        + &many("connection", "\"warm\"")
        + &many("write", "{ name = \"w\", bytes = 1 }");
    insta::assert_snapshot!(error(&text), @"f.toml: more than 10000 scenarios; split the file");
}

#[test]
fn two_scenarios_of_one_name_are_refused() {
    let file = |path: &str| SourceFile { path: path.to_owned(), text: FAMILY.to_owned(), is_own: false };
    let error = Catalogue::parse(&[file("a.toml"), file("b.toml")]).unwrap_err();
    insta::assert_snapshot!(error, @r#"b.toml: two scenarios are called "h/aes-128-gcm"; let the name contain every axis that has more than one value"#);
}

#[test]
fn a_hole_has_the_stacks_reason_or_names_the_requirement() {
    let scenario = &one(FAMILY).scenarios[0];
    let mut able = Capabilities {
        versions: vec![ProtocolVersion::TLS13],
        signatures: vec![KeyType::EcdsaP256],
        groups: vec![Group::X25519],
        suites: vec![CipherSuite::AES_128_GCM],
        verification: vec![Verification::None],
        works: vec!["handshake".to_owned()],
        ..Capabilities::default()
    };
    assert_eq!(hole(scenario, &able), None);
    able.groups = vec![Group::SECP256R1];
    assert_eq!(hole(scenario, &able).as_deref(), Some("the stack does not offer group x25519"));
    able.limits = vec![Limit {
        axis: "group".to_owned(),
        value: "x25519".to_owned(),
        reason: "not in FIPS mode".to_owned(),
    }];
    assert_eq!(hole(scenario, &able).as_deref(), Some("not in FIPS mode"));
}

/// A family with other lines in place of its version and after its axes.
fn write_document(version: &str, more: &str) -> String {
    FAMILY.replace("version = \"1.3\"", &format!("version = {version}")) + more
}

#[test]
fn a_suite_follows_the_version_and_the_certificate() {
    let text =
        write_document("[\"1.2\", \"1.3\"]", "").replace("\"ecdsa-p256\"", "[\"ecdsa-p256\", \"rsa-2048\"]");
    let family = one(&text.replace("h/{suite}", "h/{version}/{signature}/{suite}"));
    let suites: Vec<String> =
        family.scenarios.iter().map(|scenario| format!("{} {}", scenario.name, scenario.suite)).collect();
    insta::assert_snapshot!(suites.join("\n"), @r"
    h/1.2/ecdsa-p256/aes-128-gcm TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
    h/1.2/rsa-2048/aes-128-gcm TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
    h/1.3/ecdsa-p256/aes-128-gcm TLS_AES_128_GCM_SHA256
    h/1.3/rsa-2048/aes-128-gcm TLS_AES_128_GCM_SHA256
    ");
}

#[test]
fn a_key_from_outside_has_suites_of_its_own_in_tls_1_2() {
    let text =
        write_document("[\"1.2\", \"1.3\"]", "resumption = [\"external-psk\", \"external-psk-only\"]\n")
            .replace("\"x25519\"", "[\"x25519\", \"ffdhe2048\"]")
            .replace("\"aes-128-gcm\"", "\"chacha20-poly1305\"")
            .replace("h/{suite}", "h/{version}/{resumption}/{group}");
    let family = one(&text);
    let suites: Vec<String> =
        family.scenarios.iter().map(|scenario| format!("{} {}", scenario.name, scenario.suite)).collect();
    insta::assert_snapshot!(suites.join("\n"), @r"
    h/1.2/external-psk/x25519 TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256
    h/1.2/external-psk-only/x25519 TLS_PSK_WITH_CHACHA20_POLY1305_SHA256
    h/1.2/external-psk/ffdhe2048 TLS_DHE_PSK_WITH_CHACHA20_POLY1305_SHA256
    h/1.2/external-psk-only/ffdhe2048 TLS_PSK_WITH_CHACHA20_POLY1305_SHA256
    h/1.3/external-psk/x25519 TLS_CHACHA20_POLY1305_SHA256
    h/1.3/external-psk-only/x25519 TLS_CHACHA20_POLY1305_SHA256
    h/1.3/external-psk/ffdhe2048 TLS_CHACHA20_POLY1305_SHA256
    h/1.3/external-psk-only/ffdhe2048 TLS_CHACHA20_POLY1305_SHA256
    ");
    // A stack without such keys reports that, not that it lacks their suites.
    let scenario = &family.scenarios[0];
    let mut able = Capabilities {
        versions: vec![ProtocolVersion::TLS12],
        works: vec!["handshake".to_owned()],
        signatures: vec![KeyType::EcdsaP256],
        groups: vec![Group::X25519],
        verification: vec![Verification::None],
        ..Capabilities::default()
    };
    assert_eq!(
        hole(scenario, &able).as_deref(),
        Some("the stack does not offer resumption 1.2/external-psk")
    );
    able.resumption = vec![ResumptionKind::ExternalPsk12];
    let suite = "the stack does not offer suite ecdhe-psk-chacha20-poly1305";
    assert_eq!(hole(scenario, &able).as_deref(), Some(suite));
}

#[test]
fn sessions_that_cannot_be_are_reported() {
    let ticket = write_document("\"1.3\"", "resumption = \"ticket\"\n");
    insta::assert_snapshot!(error(&ticket), @"f.toml: resumption ticket: the server has to send tickets; set the axis tickets to 1");
    assert_eq!(one(&format!("{ticket}tickets = 1\n")).scenarios.len(), 1);
    let by_name = write_document("\"1.3\"", "resumption = \"session-id\"\n");
    insta::assert_snapshot!(error(&by_name), @"f.toml: resumption session-id: the server has to send tickets; set the axis tickets to 1");
    assert_eq!(one(&format!("{by_name}tickets = 1\n")).scenarios.len(), 1);
    insta::assert_snapshot!(error(&format!("{ticket}tickets = 1\nauthentication = \"mutual\"\n")), @"f.toml: resumption ticket: a resumed handshake has no certificates; omit authentication");
    assert_eq!(
        error(&write_document("\"1.2\"", "tickets = 2\n")),
        "f.toml: tickets 2: in TLS 1.2 it must be 1 if resumption is ticket, and 0 otherwise"
    );
    assert_eq!(
        error(&write_document("\"1.2\"", "").replace("\"x25519\"", "\"x25519mlkem768\"")),
        "f.toml: group X25519MLKEM768: TLS 1.2 has no group with ML-KEM"
    );
    insta::assert_snapshot!(error(&write_document("\"1.3\"", "resumption = \"cookie\"\n")), @r#"
    f.toml: TOML parse error at line 11, column 14
       |
    11 | resumption = "cookie"
       |              ^^^^^^^^
    unknown variant `cookie`, expected one of `none`, `session-id`, `ticket`, `ticket-reused`, `external-psk`, `external-psk-only`
    "#);
}

#[test]
fn handshakes_that_cannot_be_are_reported() {
    let refused = |version: &str, more: &str| error(&write_document(version, more));
    assert_eq!(
        refused("\"1.2\"", "resumption = \"ticket-reused\"\n"),
        "f.toml: resumption ticket-reused: TLSv1.2 does not support it; use TLS 1.3"
    );
    assert_eq!(
        refused("\"1.3\"", "resumption = \"ticket-reused\"\n"),
        "f.toml: resumption ticket-reused: the server has to send tickets; set the axis tickets to 1"
    );
    assert_eq!(
        refused("\"1.3\"", "resumption = \"external-psk\"\ntickets = 1\n"),
        "f.toml: resumption external-psk: there is no session to send a ticket for; omit tickets"
    );
    assert_eq!(
        refused("\"1.2\"", "hello_retry = true\n"),
        "f.toml: hello_retry: only TLS 1.3 handshakes support it"
    );
    assert_eq!(
        refused("\"1.3\"", "early_data = 100\n"),
        "f.toml: early_data: it is protected by a ticket's key; set the axis resumption to ticket"
    );
    let ticket = "tickets = 1\nresumption = \"ticket\"\n";
    assert_eq!(
        refused("\"1.3\"", &format!("{ticket}early_data = 20000\n")),
        "f.toml: early_data 20000: at most 16384 bytes are carried"
    );
    assert_eq!(
        refused("\"1.3\"", &format!("{ticket}hello_retry = true\n")),
        "f.toml: hello_retry: it cannot be combined with resumption ticket; use one of them"
    );
    assert_eq!(
        refused("\"1.3\"", &format!("{ticket}early_data = 100\nconcurrent = true\n")),
        "f.toml: concurrent: it cannot be combined with early_data; omit one of them"
    );
    let hybrid = write_document("\"1.3\"", "server_key_share = \"pregenerated\"\n")
        .replace("\"x25519\"", "\"x25519mlkem768\"");
    assert_eq!(
        error(&hybrid),
        "f.toml: server_key_share: a server's share of X25519MLKEM768 is an answer to the client's"
    );
}

/// A value that a stack lacks has its own reason, one for the whole axis, or none.
#[test]
fn handshakes_that_a_stack_lacks_are_unsupported_with_a_reason() {
    let scenario = |more: &str| one(&write_document("\"1.3\"", more)).scenarios.remove(0);
    let lacks = |more: &str, limits: &[(&str, &str)]| {
        let limits = limits
            .iter()
            .map(|(axis, value)| Limit {
                axis: (*axis).to_owned(),
                value: (*value).to_owned(),
                reason: "so".to_owned(),
            })
            .collect();
        let able = Capabilities { limits, max_early_data: 50, ..Capabilities::default() };
        let missing = claims(&scenario(more), &able).into_iter().filter(|claim| !claim.met);
        let known = ["resumption", "hello_retry", "early_data", "server_key_share"];
        let missing = missing.filter(|claim| known.contains(&claim.axis));
        missing.map(|claim| format!("{} {} {:?}", claim.axis, claim.value, claim.reason)).collect::<Vec<_>>()
    };
    assert_eq!(lacks("hello_retry = true\n", &[]), ["hello_retry true None"]);
    assert_eq!(lacks("hello_retry = true\n", &[("hello_retry", "any")]), ["hello_retry true Some(\"so\")"]);
    let early = "tickets = 1\nresumption = \"ticket\"\nearly_data = 51\n";
    assert_eq!(
        lacks(early, &[("resumption", "1.3/ticket")]),
        ["resumption 1.3/ticket Some(\"so\")", "early_data 51 None"]
    );
    assert_eq!(
        lacks("server_key_share = \"pregenerated\"\n", &[("server_key_share", "fresh")]),
        ["server_key_share pregenerated None"]
    );
}

#[test]
fn a_missing_version_is_the_reason_for_what_belongs_to_it() {
    let text = write_document("\"1.2\"", "resumption = \"session-id\"\n");
    let scenario = &one(&text).scenarios[0];
    let reason = "built without TLS 1.2".to_owned();
    let able = Capabilities {
        limits: vec![Limit { axis: "version".to_owned(), value: "1.2".to_owned(), reason }],
        ..Capabilities::default()
    };
    let reasons: Vec<String> = claims(scenario, &able)
        .into_iter()
        .filter_map(|claim| Some(format!("{} {}: {}", claim.axis, claim.value, claim.reason?)))
        .collect();
    insta::assert_snapshot!(reasons.join("\n"), @r"
    version 1.2: built without TLS 1.2
    suite ecdhe-ecdsa-aes-128-gcm: built without TLS 1.2
    resumption 1.2/session-id: built without TLS 1.2
    ");
    let asked = claims(scenario, &able);
    let met: Vec<&str> = asked.iter().filter(|claim| claim.met).map(|claim| claim.axis).collect();
    assert_eq!(met, ["authentication"]);
}

proptest! {
    #[test]
    fn no_text_breaks_the_parsers(text: String) {
        let _ = Family::parse("f.toml", &text);
        let _ = Suite::parse("s.toml", "s", &text);
    }

    #[test]
    fn no_change_of_a_good_file_breaks_the_parser(at in 0..FAMILY.len(), with: char) {
        let mut text = FAMILY.to_owned();
        if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
            text.replace_range(at..=at, &with.to_string());
        }
        let _ = Family::parse("f.toml", &text);
    }
}

#[test]
fn certificates_and_groups_go_with_the_version() {
    let with = |axes: &[(&str, &str)]| {
        axes.iter().fold(FAMILY.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        })
    };
    let (tls12, field) = (("\"1.3\"", "\"1.2\""), ("\"x25519\"", "\"ffdhe2048\""));
    let (rsa, ml_dsa) = (("\"ecdsa-p256\"", "\"rsa-3072\""), ("\"ecdsa-p256\"", "\"ml-dsa-44\""));
    let suite = |axes: &[(&str, &str)]| {
        let family = one(&with(axes));
        family.scenarios[0].suite.to_string()
    };
    assert_eq!(suite(&[field]), "TLS_AES_128_GCM_SHA256");
    assert_eq!(suite(&[tls12]), "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
    assert_eq!(suite(&[tls12, field, rsa]), "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256");
    insta::assert_snapshot!(error(&with(&[tls12, field])), @"f.toml: group ffdhe2048: in TLS 1.2 its suites have RSA certificates; none has ecdsa-p256");
    insta::assert_snapshot!(error(&with(&[tls12, ml_dsa])), @"f.toml: signature ml-dsa-44: TLS 1.2 has no ML-DSA");
    insta::assert_snapshot!(error(&format!("{FAMILY}chain = 5")), @"f.toml: chain 5: a side sends 1 to 4 certificates, including its own");
    insta::assert_snapshot!(error(&format!("{FAMILY}chain = [0, 1]")), @"f.toml: chain 0: a side sends 1 to 4 certificates, including its own");
    let chains = one(&(FAMILY.replace("{suite}", "{chain}") + "chain = [1, 4]"));
    let seen: Vec<_> = chains.scenarios.iter().map(|one| (one.name.as_str(), one.chain)).collect();
    assert_eq!(seen, [("h/1", 1), ("h/4", 4)]);
}

#[test]
fn a_stack_that_sends_its_own_certificate_alone_has_no_long_chains() {
    let text = FAMILY.replace("{suite}", "{chain}") + "chain = [1, 2, 3]";
    let alone = Capabilities { sends_leaf_alone: true, ..Capabilities::default() };
    let met: Vec<bool> = one(&text)
        .scenarios
        .iter()
        .map(|scenario| claims(scenario, &alone).iter().find(|claim| claim.axis == "chain").unwrap().met)
        .collect();
    assert_eq!(met, [true, true, false]);
}

#[test]
fn held_connections_that_cannot_be_are_reported() {
    let idle = FAMILY.replace("handshake", "idle");
    insta::assert_snapshot!(error(&idle), @"f.toml: idle connections need the axis held, and have no sender, connection or write");
    insta::assert_snapshot!(error(&format!("{idle}held = 10\n")), @"f.toml: held 10: from 100 to 100000 connections can be held open");
    insta::assert_snapshot!(error(&format!("{FAMILY}held = 1000\n")), @"f.toml: only idle connections have the axis held; remove it");
    assert_eq!(one(&format!("{idle}held = 1000\n")).scenarios.len(), 1);
    let suite = "title = 't'\nbudget_s = 1\nrounds = 1\nscenarios = ['**']\nmetrics = []\n";
    insta::assert_snapshot!(Suite::parse("s.toml", "s", suite).unwrap_err(), @r#"s.toml: metrics is empty; name "time" or "heap", or omit it"#);
}
