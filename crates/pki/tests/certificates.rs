//! Every certificate of the whole PKI says what it should and is signed by whom it should.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tlslab_pki::{Pki, SERVER_NAME, WRONG_NAME};
use tlslab_protocol::KeyType;
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::prelude::*;
use x509_parser::public_key::PublicKey;

#[test]
fn certificates_are_as_documented() {
    let place = tempfile::tempdir().unwrap();
    let mut told = Vec::new();
    let pki =
        Pki::ensure_with_progress(&place.path().join("pki"), &mut |line| told.push(line.to_owned())).unwrap();
    insta::assert_snapshot!(told.join("\n"), @r"
    making the ecdsa-p256 keys and certificates
    making the rsa-2048 keys and certificates
    making the rsa-4096 keys and certificates
    ");

    for key_type in KeyType::ALL {
        let credentials = pki.credentials(key_type);
        let other = pki.credentials_with_other_root(key_type);
        assert!(credentials.root.is_absolute());
        assert_eq!(fs::metadata(&credentials.key).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(credentials.server_name, SERVER_NAME);
        assert_eq!(pki.credentials_with_wrong_name(key_type).server_name, WRONG_NAME);
        assert_eq!(other.chain, credentials.chain);

        let [root, other_root] = [&credentials.root, &other.root].map(|path| fs::read(path).unwrap());
        let [leaf, intermediate] = [0, 1].map(|at: usize| fs::read(&credentials.chain[at]).unwrap());
        let [root, other_root, leaf, intermediate] =
            [&root, &other_root, &leaf, &intermediate].map(|der| parse(der));

        root.verify_signature(None).unwrap();
        other_root.verify_signature(None).unwrap();
        intermediate.verify_signature(Some(root.public_key())).unwrap();
        leaf.verify_signature(Some(intermediate.public_key())).unwrap();
        assert!(intermediate.verify_signature(Some(other_root.public_key())).is_err());

        assert_eq!(root.subject().as_raw(), other_root.subject().as_raw());
        assert_eq!(subject_key_id(&root), subject_key_id(&other_root));
        assert_ne!(root.public_key().raw, other_root.public_key().raw);
        assert_eq!(intermediate.issuer().as_raw(), root.subject().as_raw());
        assert_eq!(authority_key_id(&intermediate), subject_key_id(&root));
        assert_eq!(leaf.issuer().as_raw(), intermediate.subject().as_raw());
        assert_eq!(authority_key_id(&leaf), subject_key_id(&intermediate));

        for (certificate, path_len) in [(&root, 1), (&other_root, 1), (&intermediate, 0)] {
            let constraints = certificate.basic_constraints().unwrap().unwrap();
            assert!(constraints.critical && constraints.value.ca);
            assert_eq!(constraints.value.path_len_constraint, Some(path_len));
            assert!(certificate.key_usage().unwrap().unwrap().value.key_cert_sign());
        }
        assert!(!leaf.basic_constraints().unwrap().unwrap().value.ca);
        let usage = leaf.key_usage().unwrap().unwrap().value;
        assert!(usage.digital_signature() && !usage.key_cert_sign());
        assert_eq!(usage.key_encipherment(), key_type != KeyType::EcdsaP256);
        assert!(leaf.extended_key_usage().unwrap().unwrap().value.server_auth);
        assert_eq!(
            leaf.subject_alternative_name().unwrap().unwrap().value.general_names,
            [GeneralName::DNSName(SERVER_NAME)]
        );

        let clients = pki.client_credentials(key_type);
        assert_eq!((&clients.root, &clients.chain[1]), (&credentials.root, &credentials.chain[1]));
        assert_eq!(fs::metadata(&clients.key).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(pki.client_credentials_with_other_root(key_type).root, other.root);
        assert!(pki.client_credentials_without_chain(key_type).chain.is_empty());
        let client = fs::read(&clients.chain[0]).unwrap();
        let client = parse(&client);
        client.verify_signature(Some(intermediate.public_key())).unwrap();
        let purpose = client.extended_key_usage().unwrap().unwrap().value;
        assert!(purpose.client_auth && !purpose.server_auth);
        assert_ne!(client.public_key().raw, leaf.public_key().raw);

        for certificate in [&root, &other_root, &intermediate, &leaf, &client] {
            assert_eq!(key_bits(certificate), (key_type, key_type.bits()));
            assert_eq!(certificate.signature_algorithm.algorithm.to_id_string(), signature_oid(key_type));
            assert_eq!(certificate.validity().not_before.to_string(), "Jan  1 00:00:00 2020 +00:00");
            assert_eq!(certificate.validity().not_after.to_string(), "Dec 31 00:00:00 2049 +00:00");
        }
    }
    assert_eq!(file_count(pki.dir()), 7 * KeyType::ALL.len() + 1);
}

fn parse(der: &[u8]) -> X509Certificate<'_> {
    let (rest, certificate) = X509Certificate::from_der(der).unwrap();
    assert!(rest.is_empty());
    certificate
}

fn key_bits(certificate: &X509Certificate<'_>) -> (KeyType, u32) {
    match certificate.public_key().parsed().unwrap() {
        PublicKey::EC(point) => (KeyType::EcdsaP256, point.key_size() as u32),
        PublicKey::RSA(key) if key.key_size() == 2048 => (KeyType::Rsa2048, 2048),
        PublicKey::RSA(key) => (KeyType::Rsa4096, key.key_size() as u32),
        other => panic!("{other:?}"),
    }
}

fn signature_oid(key_type: KeyType) -> &'static str {
    match key_type {
        KeyType::EcdsaP256 => "1.2.840.10045.4.3.2",
        KeyType::Rsa2048 | KeyType::Rsa4096 => "1.2.840.113549.1.1.11",
    }
}

fn subject_key_id<'a>(certificate: &'a X509Certificate<'_>) -> &'a [u8] {
    certificate
        .iter_extensions()
        .find_map(|extension| match extension.parsed_extension() {
            ParsedExtension::SubjectKeyIdentifier(id) => Some(id.0),
            _ => None,
        })
        .unwrap()
}

fn authority_key_id<'a>(certificate: &'a X509Certificate<'_>) -> &'a [u8] {
    certificate
        .iter_extensions()
        .find_map(|extension| match extension.parsed_extension() {
            ParsedExtension::AuthorityKeyIdentifier(id) => id.key_identifier.as_ref().map(|id| id.0),
            _ => None,
        })
        .unwrap()
}

fn file_count(dir: &Path) -> usize {
    fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| if path.is_dir() { file_count(&path) } else { 1 })
        .sum()
}
