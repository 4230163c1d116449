//! How many certificates a side shows: counted in TLS 1.2, reported by the flight's length in TLS 1.3.

mod capture;

use capture::capture;
use tlslab_proof::{Chains, Source, check_declared};
use tlslab_protocol::{Capabilities, Side};

/// The lengths of the certificates in the captures of TLS 1.3, the side's own first.
const ON_P256: [u64; 2] = [481, 437];
const WITH_RSA: [u64; 2] = [876, 830];

/// What is wrong with a capture, or how many certificates each side shows by which source.
fn judged(name: &str, chain: u32, given: &Chains, able: &Capabilities) -> String {
    let capture = capture(name).with(|scenario, _| scenario.chain = chain);
    match check_declared(&capture.scenario, &capture.facts, able, given) {
        Ok(facts) => [(Side::Client, facts.client_certificates), (Side::Server, facts.certificates)]
            .into_iter()
            .filter_map(|(side, count)| Some((side, count?)))
            .map(|(side, count)| match count.value() {
                Some(value) => format!("{side}: {value} by {:?}", count.sources()),
                None => format!("{side}: not shown"),
            })
            .collect::<Vec<_>>()
            .join("; "),
        Err(wrong) => wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    }
}

fn by_server(lengths: &[u64]) -> Chains {
    Chains { client: vec![], server: lengths.to_vec() }
}

fn plain(name: &str, chain: u32, given: &Chains) -> String {
    judged(name, chain, given, &Capabilities::default())
}

#[test]
fn the_flight_has_room_for_the_chain_and_no_more() {
    let [leaf, above] = ON_P256;
    let seen = |chain, lengths: &[u64]| plain("rustls-handshake", chain, &by_server(lengths));
    assert_eq!(seen(2, &ON_P256), format!("server: 2 by {:?}", [Source::Wire]));
    insta::assert_snapshot!(seen(1, &[leaf]), @"certificates: expected at most 860 bytes with 1 of them, the wire shows 1061 bytes in the server's flight");
    insta::assert_snapshot!(seen(3, &[leaf, above, above]), @"certificates: expected at least 1494 bytes for 3 of them, the wire shows 1061 bytes in the server's flight");
    insta::assert_snapshot!(seen(2, &[]), @"server: not shown");
    // More is asked for than was given.
    insta::assert_snapshot!(seen(3, &ON_P256), @"server: not shown");
}

#[test]
fn a_client_is_held_to_its_chain_too() {
    let given = |client: &[u64]| Chains { client: client.to_vec(), server: WITH_RSA.to_vec() };
    insta::assert_snapshot!(plain("rustls-mutual", 2, &given(&WITH_RSA)), @"client: 2 by [Wire]; server: 2 by [Wire]");
    let [leaf, above] = WITH_RSA;
    let of_three = Chains { client: vec![leaf, above, above], server: vec![leaf, above, above] };
    insta::assert_snapshot!(plain("rustls-mutual", 3, &of_three), @"client's certificates: expected at least 2859 bytes for 3 of them, the wire shows 2024 bytes in the client's flight; certificates: expected at least 2859 bytes for 3 of them, the wire shows 2090 bytes in the server's flight");
    let alone = Chains { client: vec![leaf], server: vec![leaf] };
    insta::assert_snapshot!(plain("rustls-mutual", 1, &alone), @"client's certificates: expected at most 1439 bytes with 1 of them, the wire shows 2024 bytes in the client's flight; certificates: expected at most 1439 bytes with 1 of them, the wire shows 2090 bytes in the server's flight");
}

#[test]
fn tls12_is_counted() {
    insta::assert_snapshot!(plain("openssl-tls12-mutual", 2, &Chains::default()), @"client: 2 by [Wire]; server: 2 by [Wire]");
    insta::assert_snapshot!(plain("openssl-tls12-mutual", 3, &Chains::default()), @"client's certificates: expected 3, the wire shows 2; certificates: expected 3, the wire shows 2");
    insta::assert_snapshot!(plain("openssl-tls12-resumed-ticket", 2, &Chains::default()), @"");
}

#[test]
fn a_library_that_sends_its_own_certificate_alone_is_held_to_that() {
    let alone = Capabilities { sends_leaf_alone: true, ..Capabilities::default() };
    insta::assert_snapshot!(judged("rustls-tls12-handshake", 2, &Chains::default(), &alone), @"certificates: expected 1, the wire shows 2");
    insta::assert_snapshot!(judged("rustls-handshake", 2, &by_server(&ON_P256), &alone), @"certificates: expected at most 860 bytes with 1 of them, the wire shows 1061 bytes in the server's flight");
}
