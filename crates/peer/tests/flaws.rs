//! The peer against ordinary rustls: without a flaw both sides complete, with one the other side refuses for
//! that reason.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, ClientConnection, Connection, RootCertStore, ServerConfig, ServerConnection};
use tlslab_peer::{Flaw, Peer};
use tlslab_pki::{Defect, Pki};
use tlslab_protocol::{
    Authentication, CipherSuite, ClientCredentials, Credentials, Group, KeyType, ProtocolVersion, Scenario,
    Side, Work,
};

struct Lab {
    scenario: Scenario,
    credentials: Credentials,
}

impl Lab {
    fn new(place: &std::path::Path, version: ProtocolVersion, signature: KeyType, mutual: bool) -> Self {
        let pki = Pki::ensure(place, &[signature]).unwrap();
        let suite = match (version, signature) {
            (ProtocolVersion::TLS13, _) => CipherSuite::AES_128_GCM,
            (_, KeyType::Rsa2048) => CipherSuite::ECDHE_RSA_AES_128_GCM,
            _ => CipherSuite::ECDHE_ECDSA_AES_128_GCM,
        };
        let authentication = if mutual { Authentication::Mutual } else { Authentication::Server };
        let scenario =
            Scenario { version, signature, suite, authentication, ..Scenario::plain(Work::Handshake) };
        let client: Option<ClientCredentials> = mutual.then(|| pki.client_credentials(signature, 2));
        Self { scenario, credentials: Credentials { client, ..pki.credentials(signature, 2) } }
    }

    /// The side that checks everything.
    fn strict(&self, side: Side) -> Connection {
        let read = |path| CertificateDer::from(std::fs::read(path).unwrap());
        let key = |path| PrivatePkcs8KeyDer::from(std::fs::read(path).unwrap()).into();
        let roots = |path| {
            let mut roots = RootCertStore::empty();
            roots.add(read(path)).unwrap();
            Arc::new(roots)
        };
        let credentials = &self.credentials;
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        match side {
            Side::Client => {
                let verifier =
                    WebPkiServerVerifier::builder_with_provider(roots(&credentials.root), provider.clone());
                let builder = ClientConfig::builder_with_provider(provider)
                    .with_safe_default_protocol_versions()
                    .unwrap()
                    .with_webpki_verifier(verifier.build().unwrap());
                let config = match &credentials.client {
                    Some(own) => builder
                        .with_client_auth_cert(own.chain.iter().map(read).collect(), key(&own.key))
                        .unwrap(),
                    None => builder.with_no_client_auth(),
                };
                let name = ServerName::try_from(credentials.server_name.clone()).unwrap();
                ClientConnection::new(Arc::new(config), name).unwrap().into()
            }
            Side::Server => {
                let builder = ServerConfig::builder_with_provider(provider.clone())
                    .with_safe_default_protocol_versions()
                    .unwrap();
                let builder = match &credentials.client {
                    Some(own) => builder.with_client_cert_verifier(
                        WebPkiClientVerifier::builder_with_provider(roots(&own.root), provider)
                            .build()
                            .unwrap(),
                    ),
                    None => builder.with_no_client_auth(),
                };
                let chain = credentials.chain.iter().map(read).collect();
                let config = builder.with_single_cert(chain, key(&credentials.key)).unwrap();
                ServerConnection::new(Arc::new(config)).unwrap().into()
            }
        }
    }

    fn peer(&self, side: Side, flaw: Option<Flaw>) -> Peer {
        Peer::new(side, &self.scenario, &self.credentials, flaw).unwrap()
    }

    /// How the strict side ends when it meets a peer with this flaw or none.
    fn meet(&self, strict: Side, flaw: Option<Flaw>) -> Result<(), rustls::Error> {
        self.meet_peer(strict, self.peer(strict.peer(), flaw), flaw)
    }

    /// A refusal by the peer is a general error.
    fn meet_peer(&self, strict: Side, mut peer: Peer, flaw: Option<Flaw>) -> Result<(), rustls::Error> {
        let mut strict = self.strict(strict);
        let mut to_strict = match strict {
            Connection::Client(_) => vec![],
            Connection::Server(_) => peer.step(&[]).output,
        };
        for _ in 0..4 {
            let mut input = to_strict.as_slice();
            while !input.is_empty() {
                strict.read_tls(&mut input).unwrap();
                strict.process_new_packets()?;
            }
            let mut output = Vec::new();
            while strict.wants_write() {
                strict.write_tls(&mut output).unwrap();
            }
            let answer = peer.step(&output);
            if !strict.is_handshaking() {
                assert_eq!(answer.is_done, flaw.is_none(), "{answer:?}");
                return Ok(());
            }
            if let Some(refused) = answer.refused {
                return Err(rustls::Error::General(refused));
            }
            to_strict = answer.output;
        }
        panic!("the handshake does not end");
    }
}

#[test]
fn without_a_flaw_it_completes_and_with_one_the_other_side_knows() {
    let place = tempfile::tempdir().unwrap();
    for version in [ProtocolVersion::TLS12, ProtocolVersion::TLS13] {
        for signature in [KeyType::EcdsaP256, KeyType::Ed25519, KeyType::Rsa2048] {
            for mutual in [false, true] {
                let lab = Lab::new(place.path(), version, signature, mutual);
                for side in Side::BOTH {
                    let what = format!("{version} {signature} mutual {mutual}, the {side} is strict");
                    assert_eq!(lab.meet(side, None), Ok(()), "{what}");
                    let wrong = lab.meet(side, Some(Flaw::Finished)).unwrap_err();
                    assert_eq!(wrong, rustls::Error::DecryptError, "{what}");
                    // Without a certificate a client signs nothing.
                    if side == Side::Client || mutual {
                        let wrong = lab.meet(side, Some(Flaw::Signature)).unwrap_err();
                        let expected = rustls::CertificateError::BadSignature;
                        assert_eq!(wrong, rustls::Error::InvalidCertificate(expected), "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn it_verifies_the_other_side() {
    let place = tempfile::tempdir().unwrap();
    let lab = Lab::new(place.path(), ProtocolVersion::TLS13, KeyType::EcdsaP256, true);
    let pki = Pki::ensure(place.path(), &[KeyType::EcdsaP256]).unwrap();
    let shows = |strict: Side, chain: Vec<std::path::PathBuf>| {
        let mut other = Lab { scenario: lab.scenario.clone(), credentials: lab.credentials.clone() };
        match strict {
            Side::Client => other.credentials.client.as_mut().unwrap().chain = chain,
            Side::Server => other.credentials.chain = chain,
        }
        other.meet_peer(strict, lab.peer(strict.peer(), None), None)
    };
    // The authorities above a certificate may be omitted.
    let (of_server, of_client) = (&lab.credentials.chain, &lab.credentials.client.as_ref().unwrap().chain);
    assert_eq!(shows(Side::Server, vec![of_server[0].clone()]), Ok(()));
    assert_eq!(shows(Side::Client, vec![of_client[0].clone()]), Ok(()));
    for defect in Defect::ALL {
        let chain = pki.defective_chain(KeyType::EcdsaP256, 2, defect);
        let refused = shows(Side::Server, chain).unwrap_err().to_string();
        assert!(refused.contains("invalid peer certificate"), "{defect}: {refused}");
    }
}

/// After close_notify rustls reads no more, however much there is.
#[test]
fn bytes_after_the_end_of_a_connection_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let lab = Lab::new(place.path(), ProtocolVersion::TLS13, KeyType::EcdsaP256, false);
    let mut peer = Peer::new(Side::Client, &lab.scenario, &lab.credentials, None).unwrap();
    let mut strict = lab.strict(Side::Server);
    let mut hello = &peer.step(&[]).output[..];
    strict.read_tls(&mut hello).unwrap();
    strict.process_new_packets().unwrap();
    strict.send_close_notify();
    let mut flight = Vec::new();
    while strict.wants_write() {
        strict.write_tls(&mut flight).unwrap();
    }
    flight.extend([0; 20_000]);
    let answer = peer.step(&flight);
    assert!(answer.refused.is_some() && !answer.is_done, "{answer:?}");
}

#[test]
fn what_it_lacks_is_named() {
    let place = tempfile::tempdir().unwrap();
    let lab = Lab::new(place.path(), ProtocolVersion::TLS13, KeyType::EcdsaP256, false);
    let lacks = |scenario: &Scenario| {
        Peer::new(Side::Client, scenario, &lab.credentials, None).map(drop).unwrap_err().to_string()
    };
    let group = Scenario { group: Group(0xfe30), ..lab.scenario.clone() };
    assert_eq!(lacks(&group), "the lab's own peer has no 0xfe30");
    let suite = Scenario { suite: CipherSuite(0x1304), ..lab.scenario.clone() };
    assert_eq!(lacks(&suite), format!("the lab's own peer has no {}", CipherSuite(0x1304)));
    let version = Scenario { version: ProtocolVersion(0x0302), ..lab.scenario.clone() };
    assert_eq!(lacks(&version), format!("the lab's own peer has no {}", ProtocolVersion(0x0302)));
}
