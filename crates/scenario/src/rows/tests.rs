//! Rows of a family of four handshakes, and invalid rows.

use tlslab_protocol::Scenario;

use super::*;
use crate::{Family, Suite};

const FAMILY: &str = r#"
title = "t"
name = "s/{version}/{signature}/{suite}"
work = "handshake"
[axes]
version = "1.3"
signature = ["ecdsa-p256", "rsa-2048"]
group = "x25519"
suite = "aes-128-gcm"
verification = "none"
"#;
const SUITE: &str = r#"
title = "t"
budget_s = 1
rounds = 1
metrics = ["count"]
scenarios = ["s/**"]
[rows]
words = { rsa-2048 = "rsa", aes-128-gcm = "aes" }
of = [{ stack = "a/*", scenario = "s/{version}/{key}/{suite}", name = "no_{version}_{key}_{suite}_{side}" }]
files = [{ name = "c.csv", columns = [{ metric = "count.instructions", times = { "s/*/rsa*/**" = 30 } }] }]
"#;

fn suite(from: &str, to: &str) -> Result<Rows, String> {
    let text = SUITE.replace(from, to);
    assert!(from == to || text != SUITE);
    Suite::parse("s.toml", "s", &text).map(|suite| suite.rows.unwrap()).map_err(|error| error.to_string())
}

fn scenarios() -> Vec<Scenario> {
    Family::parse("f.toml", FAMILY).unwrap().remove(0).scenarios
}

#[test]
fn rows_have_the_suites_words() {
    let (rows, scenarios) = (suite("", "").unwrap(), scenarios());
    let resolved = rows.resolve(&scenarios, &["a/b"]).unwrap();
    let names: Vec<&str> = resolved.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "no_1.3_ecdsa-p256_aes_client",
            "no_1.3_ecdsa-p256_aes_server",
            "no_1.3_rsa_aes_client",
            "no_1.3_rsa_aes_server"
        ]
    );
    assert_eq!(scenarios[resolved[2].scenario].name, "s/1.3/rsa-2048/aes-128-gcm");
    let times: Vec<u32> =
        scenarios.iter().map(|scenario| rows.files[0].columns[0].times(scenario).unwrap()).collect();
    assert_eq!(times, [1, 30]);
}

#[test]
fn what_makes_no_rows_is_reported() {
    let resolve = |rows: Result<Rows, String>, stacks: &[&str]| {
        rows.unwrap().resolve(&scenarios(), stacks).unwrap_err().to_string()
    };
    insta::assert_snapshot!(resolve(suite("", ""), &["a/b", "c"]), @"the suite has no rows of the stack c; omit it, or choose its scenarios with --scenario");
    insta::assert_snapshot!(resolve(suite("", ""), &["a/b", "a/c"]), @r#"two rows are called "no_1.3_ecdsa-p256_aes_client": s/1.3/ecdsa-p256/aes-128-gcm on a/b, and s/1.3/ecdsa-p256/aes-128-gcm on a/c; measure them in two runs"#);
    insta::assert_snapshot!(resolve(suite("s/{version}", "t/{version}"), &["a/b"]), @r#"no scenario matches "t/{version}/{key}/{suite}"; `tlslab scenarios` lists them all"#);
    insta::assert_snapshot!(resolve(suite("{key}_{suite}_{side}", "{side}"), &["a/b"]), @r#"two rows are called "no_1.3_client": s/1.3/ecdsa-p256/aes-128-gcm on a/b, and s/1.3/rsa-2048/aes-128-gcm on a/b; measure them in two runs"#);
}

#[test]
fn rows_that_cannot_be_are_reported() {
    let refused = |from: &str, to: &str| suite(from, to).unwrap_err();
    insta::assert_snapshot!(refused("_{side}", ""), @r#"s.toml: rows: name "no_{version}_{key}_{suite}" has no {side}, and file "c.csv" has figures of one side"#);
    insta::assert_snapshot!(refused("no_{version}", "no_{group}"), @r#"s.toml: rows: name "no_{group}_{key}_{suite}_{side}" has {group}, and scenario "s/{version}/{key}/{suite}" has not"#);
    insta::assert_snapshot!(refused("no_{version}", "no_{version"), @r#"s.toml: rows: name "no_{version_{key}_{suite}_{side}" has {version_{key}, and scenario "s/{version}/{key}/{suite}" has not"#);
    insta::assert_snapshot!(refused("c.csv", "../c.csv"), @r#"s.toml: rows: file "../c.csv" must be a plain name that ends with .csv"#);
    insta::assert_snapshot!(refused("= 30", "= 0"), @r#"s.toml: rows: "s/*/rsa*/**" = 0 times; omit it for one"#);
    insta::assert_snapshot!(refused("a/*", "a/{"), @r#"s.toml: "a/{" is not a pattern: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"#);
    insta::assert_snapshot!(refused("count.instructions\"", "time\" }, { metric = \"heap.peak\""), @r#"s.toml: rows: file "c.csv" has a figure of each round, and other columns; make two files"#);
    insta::assert_snapshot!(refused("= 30 }", r#"= 30 }, once = { "s/{a}/b" = "s/{c}/b" }"#), @r#"s.toml: rows: "s/{c}/b" has {c}, and "s/{a}/b" has not"#);
}

#[test]
fn a_row_of_both_sides_has_no_side_in_its_name() {
    let text = SUITE.replace("_{side}", "").replace("count.instructions", "time");
    let rows = Suite::parse("s.toml", "s", &text).unwrap().rows.unwrap();
    let resolved = rows.resolve(&scenarios(), &["a/b"]).unwrap();
    let names: Vec<_> = resolved.iter().map(|row| (row.name.as_str(), row.side)).collect();
    assert_eq!(names, [("no_1.3_ecdsa-p256_aes", None), ("no_1.3_rsa_aes", None)]);
}

#[test]
fn a_file_may_have_rows_of_its_own() {
    let file = r#"{ name = "d.csv", of = [{ stack = "a/b", scenario = "s/{version}/rsa-2048/{suite}", name = "old_{side}" }], columns"#;
    let rows = suite(r#"{ name = "c.csv", columns"#, file).unwrap();
    let own = rows.resolve_own(&rows.files[0], &scenarios(), &["x", "a/b"]).unwrap();
    let names: Vec<_> = own.iter().map(|row| (row.name.as_str(), row.scenario, row.stack)).collect();
    assert_eq!(names, [("old_client", 1, 1), ("old_server", 1, 1)]);
    // The rules of other files are unchanged, and a file of other stacks has no rows.
    assert_eq!(rows.resolve(&scenarios(), &["a/b"]).unwrap().len(), 4);
    assert_eq!(rows.resolve_own(&rows.files[0], &scenarios(), &["a/c"]).unwrap(), []);
}

#[test]
fn a_row_may_have_another_scenario_once_besides() {
    let once = r#"= 30 }, once = { "s/{version}/rsa-2048/{suite}" = "s/{version}/ecdsa-p256/{suite}" }"#;
    let column = &suite("= 30 }", once).unwrap().files[0].columns[0];
    let scenarios = scenarios();
    let besides: Vec<_> =
        scenarios.iter().map(|scenario| column.once(scenario, &scenarios).unwrap()).collect();
    assert_eq!(besides, [None, Some(0)]);
    let without = column.once(&scenarios[1], &scenarios[1..]).unwrap_err().to_string();
    insta::assert_snapshot!(without, @r#"no scenario matches "s/1.3/ecdsa-p256/aes-128-gcm"; `tlslab scenarios` lists them all"#);
}
