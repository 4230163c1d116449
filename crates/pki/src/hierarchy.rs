//! Roots, intermediates and leaves of one key type.

use aws_lc_rs::signature::Ed25519KeyPair;
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyIdMethod, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ML_DSA_44,
    PKCS_ML_DSA_65, PKCS_RSA_SHA256, RsaKeySize, SerialNumber, date_time_ymd,
};
use tlslab_protocol::{KeyType, Scenario, SignatureAlgorithm};

use crate::{Defect, PkiError, roles};

/// Makes the keys and the certificates: every role with its content, DER, keys as PKCS#8. Seven RSA keys of
/// 4,096 bits take seconds.
pub(crate) fn issue(key_type: KeyType, server_name: &str) -> Result<Vec<(String, Vec<u8>)>, PkiError> {
    let key = |role: &str| generate(key_type).map_err(issue_error(key_type, role, "key"));
    let (leaf_key, client_key) = (key("leaf")?, key("client")?);

    // The root first, then each intermediate below the one before it.
    let mut authorities = Vec::new();
    for depth in 0..Scenario::LONGEST_CHAIN {
        let role = if depth == 0 { roles::ROOT.to_owned() } else { roles::intermediate(depth) };
        let below = Scenario::LONGEST_CHAIN - 1 - depth;
        let params = authority(&format!("tlslab {key_type} {}", role.replace('-', " ")), below);
        authorities.push((key(&role)?, params, role));
    }
    let issuer = |depth: usize| Issuer::from_params(&authorities[depth].1, &authorities[depth].0);
    let mut made = Vec::new();
    let mut keep = |role: &str, certificate: Result<Certificate, rcgen::Error>| {
        let certificate = certificate.map_err(issue_error(key_type, role, "certificate"))?;
        made.push((role.to_owned(), certificate.der().to_vec()));
        Ok::<_, PkiError>(())
    };
    for (depth, (key, params, role)) in authorities.iter().enumerate() {
        let certificate =
            if depth == 0 { params.self_signed(key) } else { params.signed_by(key, &issuer(depth - 1)) };
        keep(role, certificate)?;
    }
    for chain in 1..=Scenario::LONGEST_CHAIN {
        for (role, name, purpose, key) in [
            (roles::leaf(chain), server_name, ExtendedKeyUsagePurpose::ServerAuth, &leaf_key),
            (roles::client(chain), CLIENT_NAME, ExtendedKeyUsagePurpose::ClientAuth, &client_key),
        ] {
            let certificate = end_entity(name, purpose, key_type)
                .and_then(|params| params.signed_by(key, &issuer(chain as usize - 1)));
            keep(&role, certificate)?;
        }
    }
    // It has the root's subject and key identifier but another key, so that only a check of the signature
    // distinguishes the two.
    let (root_key, root, _) = &authorities[0];
    let mut other_root = root.clone();
    other_root.key_identifier_method = KeyIdMethod::PreSpecified(root.key_identifier(root_key));
    let other_key = key(roles::OTHER_ROOT)?;
    keep(roles::OTHER_ROOT, other_root.self_signed(&other_key))?;
    for chain in 1..=Scenario::LONGEST_CHAIN {
        for (number, defect) in Defect::ALL.into_iter().enumerate() {
            let role = roles::defective(defect, chain);
            let certificate = defective(defect, server_name, key_type, number as u8)
                .and_then(|params| params.signed_by(&leaf_key, &issuer(chain as usize - 1)));
            let certificate = certificate.map_err(issue_error(key_type, &role, "certificate"))?;
            let mut der = certificate.der().to_vec();
            if defect == Defect::BadSignature {
                // A certificate ends with its signature.
                *der.last_mut().expect("a certificate is not empty") ^= 1;
            }
            made.push((role, der));
        }
    }
    let of = |role: &str| made.iter().find(|(known, _)| known == role).map(|(_, der)| der.clone());
    let bystanders = bystanders(key_type, &other_key)?;
    let files = Scenario::ROOTS.into_iter().flat_map(|count| {
        [roles::ROOT, roles::OTHER_ROOT].map(|root| {
            let role = roles::roots(count, root);
            (role, pem(of(root).unwrap_or_default(), &bystanders[..count as usize - 1]))
        })
    });
    let files: Vec<_> = files.collect();
    made.extend(files);
    made.push((roles::LEAF_KEY.to_owned(), leaf_key.serialize_der()));
    made.push((roles::CLIENT_KEY.to_owned(), client_key.serialize_der()));
    Ok(made)
}

/// Roots without certificates in the lab, with one key and names of their own.
fn bystanders(key_type: KeyType, key: &KeyPair) -> Result<Vec<Vec<u8>>, PkiError> {
    let most = Scenario::ROOTS.into_iter().max().unwrap_or_default();
    let made = (1..most).map(|number| {
        let mut params = authority(&format!("{key_type} bystander {number}"), Scenario::LONGEST_CHAIN - 1);
        params.serial_number = Some(SerialNumber::from(u64::from(number)));
        let certificate = params.self_signed(key);
        certificate.map(|certificate| certificate.der().to_vec()).map_err(issue_error(
            key_type,
            "bystander",
            "certificate",
        ))
    });
    made.collect()
}

/// Certificates in the format of RFC 7468, `root` in the middle.
fn pem(root: Vec<u8>, others: &[Vec<u8>]) -> Vec<u8> {
    let (before, after) = others.split_at(others.len() / 2);
    let all = before.iter().chain([&root]).chain(after);
    let blocks = all.map(|der| pem::encode(&pem::Pem::new("CERTIFICATE", der.as_slice())));
    blocks.collect::<String>().into_bytes()
}

fn generate(key_type: KeyType) -> Result<KeyPair, rcgen::Error> {
    match key_type {
        KeyType::EcdsaP256 => drawn(may_stand_bare, || KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)),
        KeyType::EcdsaP384 => KeyPair::generate_for(&PKCS_ECDSA_P384_SHA384),
        KeyType::Ed25519 => ed25519(),
        KeyType::Rsa2048 => KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048),
        KeyType::Rsa3072 => KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_3072),
        KeyType::Rsa4096 => KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_4096),
        // In PKCS#8 these keys are only the seed, one of the forms of RFC 9881.
        KeyType::MlDsa44 => KeyPair::generate_for(&PKCS_ML_DSA_44),
        KeyType::MlDsa65 => KeyPair::generate_for(&PKCS_ML_DSA_65),
    }
}

/// The first key that `fits`.
fn drawn(
    fits: impl Fn(&KeyPair) -> bool,
    mut draw: impl FnMut() -> Result<KeyPair, rcgen::Error>,
) -> Result<KeyPair, rcgen::Error> {
    loop {
        let key = draw()?;
        if fits(&key) {
            return Ok(key);
        }
    }
}

/// Whether a library that stores a point as two bare coordinates cannot mistake it for a compressed one,
/// which begins with 02 or 03 (SEC 1, section 2.3.3). One library does, so that with one key in 256 it uses a
/// point that never signed.
fn may_stand_bare(key: &KeyPair) -> bool {
    !matches!(key.public_key_raw(), [0x04, 0x02 | 0x03, ..])
}

/// A key without its public half, the form that libraries have supported longest.
fn ed25519() -> Result<KeyPair, rcgen::Error> {
    let der = Ed25519KeyPair::generate().and_then(|key| key.to_pkcs8v1());
    let der = der.map_err(|_| rcgen::Error::KeyGenerationUnavailable)?;
    KeyPair::try_from(der.as_ref())
}

/// A certificate that may sign others, with at most `below` further authorities below it.
fn authority(common_name: &str, below: u32) -> CertificateParams {
    let mut params = name_params(common_name);
    // A chain is far shorter than 256 certificates.
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(below as u8));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    params.use_authority_key_identifier_extension = true;
    params
}

/// The name in a client's certificate.
const CLIENT_NAME: &str = "client.tlslab.test";

/// A server's or a client's certificate. An RSA key may also encrypt, as in certificates of public
/// authorities: some libraries require that of a server, though nothing here encrypts with it.
fn end_entity(
    name: &str,
    purpose: ExtendedKeyUsagePurpose,
    key_type: KeyType,
) -> Result<CertificateParams, rcgen::Error> {
    let mut params = name_params(name);
    params.subject_alt_names = CertificateParams::new([name.to_owned()])?.subject_alt_names;
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    if key_type.algorithm() == SignatureAlgorithm::Rsa {
        params.key_usages.push(KeyUsagePurpose::KeyEncipherment);
    }
    params.extended_key_usages = vec![purpose];
    params.use_authority_key_identifier_extension = true;
    Ok(params)
}

/// A server's certificate with a defect. Some libraries reject two certificates of one issuer with the same
/// serial number, which by default depends only on the key.
fn defective(
    defect: Defect,
    name: &str,
    key_type: KeyType,
    number: u8,
) -> Result<CertificateParams, rcgen::Error> {
    let purpose = match defect {
        Defect::WrongUsage => ExtendedKeyUsagePurpose::ClientAuth,
        Defect::Expired | Defect::NotYetValid | Defect::BadSignature => ExtendedKeyUsagePurpose::ServerAuth,
    };
    let mut params = end_entity(name, purpose, key_type)?;
    params.serial_number = Some(SerialNumber::from(vec![1 + number]));
    match defect {
        Defect::Expired => params.not_after = date_time_ymd(2020, 12, 31),
        Defect::NotYetValid => params.not_before = date_time_ymd(2048, 1, 1),
        Defect::WrongUsage | Defect::BadSignature => {}
    }
    Ok(params)
}

fn name_params(common_name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    // Dates after 2049 have another encoding, which old libraries parse differently.
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2049, 12, 31);
    params
}

fn issue_error<'a>(
    key_type: KeyType,
    role: &'a str,
    what: &'a str,
) -> impl FnOnce(rcgen::Error) -> PkiError + 'a {
    move |cause| PkiError::Issue { what: format!("{key_type} {role}'s {what}"), cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_on_p256_looks_compressed_without_its_first_byte() {
        // One in 128 happens to.
        for _ in 0..1500 {
            let key = generate(KeyType::EcdsaP256).expect("a key");
            let point = key.public_key_raw();
            assert_eq!((point.len(), point[0]), (65, 4));
            assert!(!matches!(point[1], 2 | 3), "{point:02x?}");
        }
    }
}
