//! Every certificate of the whole PKI has the right content and signature.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use aws_lc_rs::signature::{ML_DSA_44, ML_DSA_65, UnparsedPublicKey};
use tlslab_pki::{Defect, Pki, SERVER_NAME, WRONG_NAME};
use tlslab_protocol::{KeyType, Scenario, SignatureAlgorithm};
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::prelude::*;
use x509_parser::public_key::PublicKey;

#[test]
fn certificates_are_as_documented() {
    let place = tempfile::tempdir().unwrap();
    let mut described = Vec::new();
    let pki = Pki::ensure_with_progress(&place.path().join("pki"), &KeyType::ALL, &mut |line| {
        described.push(line.to_owned());
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    insta::assert_snapshot!(described.join("\n"), @r"
    making the ecdsa-p256 keys and certificates
    making the ecdsa-p384 keys and certificates
    making the ed25519 keys and certificates
    making the rsa-2048 keys and certificates
    making the rsa-3072 keys and certificates
    making the rsa-4096 keys and certificates
    making the ml-dsa-44 keys and certificates
    making the ml-dsa-65 keys and certificates
    ");
    for key_type in KeyType::ALL {
        roots_differ_in_their_key_alone(&pki, key_type);
        for count in Scenario::ROOTS {
            files_of_roots_differ_in_one_root(&pki, key_type, count);
        }
        for chain in 1..=Scenario::LONGEST_CHAIN {
            a_chain_is_as_documented(&pki, key_type, chain);
            defects_are_one_each(&pki, key_type, chain);
        }
    }
    assert_eq!(file_count(pki.dir()), 36 * KeyType::ALL.len());
}

fn roots_differ_in_their_key_alone(pki: &Pki, key_type: KeyType) {
    let [root, other_root] =
        [pki.credentials(key_type, 1).root, pki.other_root(key_type)].map(|path| fs::read(path).unwrap());
    let [root, other_root] = [&root, &other_root].map(|der| parse(der));
    for root in [&root, &other_root] {
        verify(root, root).unwrap();
        is_of_type(root, key_type);
        is_authority(root, Scenario::LONGEST_CHAIN - 1);
    }
    assert!(verify(&root, &other_root).is_err());
    assert_eq!(root.subject().as_raw(), other_root.subject().as_raw());
    assert_eq!(subject_key_id(&root), subject_key_id(&other_root));
    assert_ne!(root.public_key().raw, other_root.public_key().raw);
}

fn files_of_roots_differ_in_one_root(pki: &Pki, key_type: KeyType, count: u32) {
    let read = |path: &Path| -> Vec<Vec<u8>> {
        let blocks = ::pem::parse_many(fs::read(path).unwrap()).unwrap();
        blocks.into_iter().map(::pem::Pem::into_contents).collect()
    };
    let [roots, others] =
        [pki.roots(key_type, count), pki.other_roots(key_type, count)].map(|path| read(&path));
    assert_eq!((roots.len(), others.len()), (count as usize, count as usize));
    let differ: Vec<_> = roots.iter().zip(&others).filter(|(root, other)| root != other).collect();
    let expected =
        [pki.credentials(key_type, 1).root, pki.other_root(key_type)].map(|path| fs::read(path).unwrap());
    assert_eq!(differ, [(&expected[0], &expected[1])]);
    let mut subjects = BTreeSet::new();
    for der in &roots {
        let root = parse(der);
        verify(&root, &root).unwrap();
        is_of_type(&root, key_type);
        is_authority(&root, Scenario::LONGEST_CHAIN - 1);
        subjects.insert(root.subject().as_raw().to_vec());
    }
    assert_eq!(subjects.len(), roots.len());
}

fn a_chain_is_as_documented(pki: &Pki, key_type: KeyType, chain: u32) {
    let server = pki.credentials(key_type, chain);
    let client = pki.client_credentials(key_type, chain);
    assert!(server.root.is_absolute());
    assert_eq!(server.server_name, SERVER_NAME);
    assert_eq!((&server.root, &server.chain[1..]), (&client.root, &client.chain[1..]));
    assert_ne!(fs::read(&server.key).unwrap(), fs::read(&client.key).unwrap());
    for key in [&server.key, &client.key] {
        assert_eq!(fs::metadata(key).unwrap().permissions().mode() & 0o777, 0o600);
    }
    for shown in [&server.chain, &client.chain] {
        assert_eq!(shown.len(), chain as usize);
        // Each is signed by the next, the last by the root.
        let files: Vec<Vec<u8>> =
            shown.iter().chain([&server.root]).map(|path| fs::read(path).unwrap()).collect();
        let certificates: Vec<_> = files.iter().map(|der| parse(der)).collect();
        for (depth, pair) in certificates.windows(2).enumerate() {
            let [below, above] = pair else { unreachable!("windows of two") };
            verify(below, above).unwrap();
            assert_eq!(below.issuer().as_raw(), above.subject().as_raw());
            assert_eq!(authority_key_id(below), subject_key_id(above));
            is_of_type(below, key_type);
            if depth > 0 {
                is_authority(below, Scenario::LONGEST_CHAIN - 1 - (chain - depth as u32));
            }
        }
        let leaf = &certificates[0];
        assert!(!leaf.basic_constraints().unwrap().unwrap().value.ca);
        let usage = leaf.key_usage().unwrap().unwrap().value;
        assert!(usage.digital_signature() && !usage.key_cert_sign());
        assert_eq!(usage.key_encipherment(), key_type.algorithm() == SignatureAlgorithm::Rsa);
        let purpose = leaf.extended_key_usage().unwrap().unwrap().value;
        let is_server = shown == &server.chain;
        assert_eq!((purpose.server_auth, purpose.client_auth), (is_server, !is_server));
        let names = &leaf.subject_alternative_name().unwrap().unwrap().value.general_names;
        assert_eq!(names[..] == [GeneralName::DNSName(SERVER_NAME)], is_server);
        assert!(!names.contains(&GeneralName::DNSName(WRONG_NAME)));
    }
}

/// A leaf with a defect has the right one's key, name and issuer, and differs only in that defect.
fn defects_are_one_each(pki: &Pki, key_type: KeyType, chain: u32) {
    let right = pki.credentials(key_type, chain);
    let files: Vec<Vec<u8>> =
        right.chain.iter().chain([&right.root]).map(|path| fs::read(path).unwrap()).collect();
    let (leaf, issuer) = (parse(&files[0]), parse(&files[1]));
    let mut serials = vec![leaf.raw_serial().to_vec()];
    for defect in Defect::ALL {
        let shown = pki.defective_chain(key_type, chain, defect);
        assert_eq!(shown[1..], right.chain[1..]);
        let der = fs::read(&shown[0]).unwrap();
        let wrong = parse(&der);
        assert_eq!(wrong.public_key().raw, leaf.public_key().raw);
        assert_eq!(wrong.subject().as_raw(), leaf.subject().as_raw());
        assert_eq!(wrong.issuer().as_raw(), leaf.issuer().as_raw());
        serials.push(wrong.raw_serial().to_vec());
        assert_eq!(verify(&wrong, &issuer).is_err(), defect == Defect::BadSignature, "{defect}");
        let (from, to) = (wrong.validity().not_before.timestamp(), wrong.validity().not_after.timestamp());
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs() as i64;
        assert_eq!(to < now, defect == Defect::Expired, "{defect}");
        assert_eq!(from > now, defect == Defect::NotYetValid, "{defect}");
        let purpose = wrong.extended_key_usage().unwrap().unwrap().value;
        let is_for_clients = defect == Defect::WrongUsage;
        assert_eq!((purpose.server_auth, purpose.client_auth), (!is_for_clients, is_for_clients), "{defect}");
        let names = |of: &X509Certificate<'_>| {
            format!("{:?}", of.subject_alternative_name().unwrap().unwrap().value.general_names)
        };
        assert_eq!(names(&wrong), names(&leaf), "{defect}");
    }
    serials.sort();
    serials.dedup();
    assert_eq!(serials.len(), 1 + Defect::ALL.len(), "two certificates of an issuer have one serial number");
}

fn is_authority(certificate: &X509Certificate<'_>, below: u32) {
    let constraints = certificate.basic_constraints().unwrap().unwrap();
    assert!(constraints.critical && constraints.value.ca);
    assert_eq!(constraints.value.path_len_constraint, Some(below));
    assert!(certificate.key_usage().unwrap().unwrap().value.key_cert_sign());
}

fn is_of_type(certificate: &X509Certificate<'_>, key_type: KeyType) {
    let (key, signature, bits) = oids_and_bits(key_type);
    assert_eq!(certificate.public_key().algorithm.algorithm.to_id_string(), key);
    assert_eq!(certificate.signature_algorithm.algorithm.to_id_string(), signature);
    let seen = match certificate.public_key().parsed().unwrap() {
        PublicKey::EC(point) => point.key_size(),
        PublicKey::RSA(key) => key.key_size(),
        _ => certificate.public_key().subject_public_key.data.len() * 8,
    };
    assert_eq!((seen as u32, bits), (bits, key_type.bits()));
    assert_eq!(certificate.validity().not_before.to_string(), "Jan  1 00:00:00 2020 +00:00");
    assert_eq!(certificate.validity().not_after.to_string(), "Dec 31 00:00:00 2049 +00:00");
}

/// The key's object identifier, the signature's, and the key's size.
fn oids_and_bits(key_type: KeyType) -> (&'static str, &'static str, u32) {
    let rsa = |bits| ("1.2.840.113549.1.1.1", "1.2.840.113549.1.1.11", bits);
    match key_type {
        KeyType::EcdsaP256 => ("1.2.840.10045.2.1", "1.2.840.10045.4.3.2", 256),
        KeyType::EcdsaP384 => ("1.2.840.10045.2.1", "1.2.840.10045.4.3.3", 384),
        KeyType::Ed25519 => ("1.3.101.112", "1.3.101.112", 256),
        KeyType::Rsa2048 => rsa(2048),
        KeyType::Rsa3072 => rsa(3072),
        KeyType::Rsa4096 => rsa(4096),
        KeyType::MlDsa44 => ("2.16.840.1.101.3.4.3.17", "2.16.840.1.101.3.4.3.17", 10_496),
        KeyType::MlDsa65 => ("2.16.840.1.101.3.4.3.18", "2.16.840.1.101.3.4.3.18", 15_616),
    }
}

/// Whether one certificate is signed with another's key. The parser knows all algorithms but ML-DSA.
fn verify(below: &X509Certificate<'_>, above: &X509Certificate<'_>) -> Result<(), String> {
    let algorithm = match below.signature_algorithm.algorithm.to_id_string().as_str() {
        "2.16.840.1.101.3.4.3.17" => &ML_DSA_44,
        "2.16.840.1.101.3.4.3.18" => &ML_DSA_65,
        _ => return below.verify_signature(Some(above.public_key())).map_err(|cause| cause.to_string()),
    };
    UnparsedPublicKey::new(algorithm, &above.public_key().subject_public_key.data)
        .verify(below.tbs_certificate.as_ref(), &below.signature_value.data)
        .map_err(|cause| cause.to_string())
}

fn parse(der: &[u8]) -> X509Certificate<'_> {
    let (rest, certificate) = X509Certificate::from_der(der).unwrap();
    assert!(rest.is_empty());
    certificate
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
