//! Roots from a file that a client's context reads.

use tlslab_protocol::Capabilities;

use crate::{Family, claims};

fn file(verification: &str, more: &str) -> String {
    format!("name = \"h/{{roots}}\"\n[axes]\nverification = \"{verification}\"\n{more}\n")
}

#[test]
fn roots_are_read_by_fresh_contexts_that_verify() {
    let refused = |more: &str| Family::parse("f.toml", &file("none", more)).unwrap_err().to_string();
    insta::assert_snapshot!(refused("roots = 1"), @"f.toml: roots 1: a context reads them when it is made; set the axis context to fresh");
    let fresh = |more: &str| refused(&format!("context = \"fresh\"\n{more}"));
    insta::assert_snapshot!(fresh("roots = 1"), @"f.toml: roots 1: nothing is verified with them; set the axis verification to chain");
    insta::assert_snapshot!(fresh("roots = 2"), @"f.toml: roots 2: there are files of 1 and of 140 roots");
    let verifies = file("chain", "context = \"fresh\"\nroots = [0, 1, 140]");
    let scenarios = Family::parse("f.toml", &verifies).unwrap().remove(0).scenarios;
    let asked = |able: &Capabilities| -> Vec<(String, bool, Option<String>)> {
        let claims = scenarios.iter().flat_map(|scenario| claims(scenario, able));
        let of_roots = claims.filter(|claim| claim.axis == "roots");
        of_roots.map(|claim| (claim.value, claim.met, claim.reason)).collect()
    };
    let able = Capabilities { reads_roots: true, ..Capabilities::default() };
    assert_eq!(asked(&able), ["1", "140"].map(|roots| (roots.to_owned(), true, None)));
    let reason = "its driver has no call that reads roots from a file";
    let unmet = ["1", "140"].map(|roots| (roots.to_owned(), false, Some(reason.to_owned())));
    assert_eq!(asked(&Capabilities::default()), unmet);
}
