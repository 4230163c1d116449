//! Root, intermediate and leaf of one key type.

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyIdMethod, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, PKCS_RSA_SHA256, RsaKeySize,
    date_time_ymd,
};
use tlslab_protocol::KeyType;

use crate::PkiError;

/// Everything that is kept of one key type, DER.
pub struct Hierarchy {
    pub root: Vec<u8>,
    pub intermediate: Vec<u8>,
    pub leaf: Vec<u8>,
    /// The leaf's key, PKCS#8.
    pub key: Vec<u8>,
    /// A client's certificate by the same intermediate.
    pub client: Vec<u8>,
    /// The client's key, PKCS#8.
    pub client_key: Vec<u8>,
    /// Has the root's subject and key identifier but another key, so that nothing short of checking the
    /// intermediate's signature tells the two apart.
    pub other_root: Vec<u8>,
}

impl Hierarchy {
    /// Makes the keys and the certificates. Five RSA keys of 4,096 bits take seconds.
    pub fn issue(key_type: KeyType, server_name: &str) -> Result<Self, PkiError> {
        let key = |role: &str| generate(key_type).map_err(issue_error(key_type, role, "key"));
        let (root_key, intermediate_key, other_key) =
            (key("root")?, key("intermediate")?, key("other root")?);
        let (leaf_key, client_key) = (key("leaf")?, key("client")?);

        let root = authority(&format!("tlslab {key_type} root"), 1);
        let intermediate = authority(&format!("tlslab {key_type} intermediate"), 0);
        let mut other_root = root.clone();
        other_root.key_identifier_method = KeyIdMethod::PreSpecified(root.key_identifier(&root_key));

        let certificate = |role: &'static str, made: Result<Certificate, rcgen::Error>| {
            made.map(|certificate| certificate.der().to_vec()).map_err(issue_error(
                key_type,
                role,
                "certificate",
            ))
        };
        Ok(Self {
            root: certificate("root", root.self_signed(&root_key))?,
            intermediate: certificate(
                "intermediate",
                intermediate.signed_by(&intermediate_key, &Issuer::from_params(&root, &root_key)),
            )?,
            leaf: certificate(
                "leaf",
                end_entity(server_name, ExtendedKeyUsagePurpose::ServerAuth, key_type).and_then(|leaf| {
                    leaf.signed_by(&leaf_key, &Issuer::from_params(&intermediate, &intermediate_key))
                }),
            )?,
            key: leaf_key.serialize_der(),
            client: certificate(
                "client",
                end_entity(CLIENT_NAME, ExtendedKeyUsagePurpose::ClientAuth, key_type).and_then(|client| {
                    client.signed_by(&client_key, &Issuer::from_params(&intermediate, &intermediate_key))
                }),
            )?,
            client_key: client_key.serialize_der(),
            other_root: certificate("other root", other_root.self_signed(&other_key))?,
        })
    }
}

fn generate(key_type: KeyType) -> Result<KeyPair, rcgen::Error> {
    match key_type {
        KeyType::EcdsaP256 => KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256),
        KeyType::Rsa2048 => KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048),
        KeyType::Rsa4096 => KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_4096),
    }
}

/// A certificate that may sign others, with at most `path_len` further authorities below it.
fn authority(common_name: &str, path_len: u8) -> CertificateParams {
    let mut params = named(common_name);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(path_len));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    params.use_authority_key_identifier_extension = true;
    params
}

/// The name in a client's certificate.
const CLIENT_NAME: &str = "client.tlslab.test";

/// A server's or a client's certificate. Its key may also encrypt if it is an RSA key, as authorities issue them: some
/// libraries ask for that of a server, though nothing here encrypts with it.
fn end_entity(
    name: &str,
    purpose: ExtendedKeyUsagePurpose,
    key_type: KeyType,
) -> Result<CertificateParams, rcgen::Error> {
    let mut params = named(name);
    params.subject_alt_names = CertificateParams::new([name.to_owned()])?.subject_alt_names;
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    if key_type != KeyType::EcdsaP256 {
        params.key_usages.push(KeyUsagePurpose::KeyEncipherment);
    }
    params.extended_key_usages = vec![purpose];
    params.use_authority_key_identifier_extension = true;
    Ok(params)
}

fn named(common_name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    // Dates past 2049 are encoded in another way, which old libraries parse in another way.
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
