//! Names of extensions, as IANA's registry has them (TLS ExtensionType Values).

use std::borrow::Cow;

use super::is_grease;

const NAMES: &[(u16, &str)] = &[
    (0, "server_name"),
    (1, "max_fragment_length"),
    (5, "status_request"),
    (10, "supported_groups"),
    (11, "ec_point_formats"),
    (13, "signature_algorithms"),
    (14, "use_srtp"),
    (15, "heartbeat"),
    (16, "application_layer_protocol_negotiation"),
    (17, "status_request_v2"),
    (18, "signed_certificate_timestamp"),
    (19, "client_certificate_type"),
    (20, "server_certificate_type"),
    (21, "padding"),
    (22, "encrypt_then_mac"),
    (23, "extended_master_secret"),
    (27, "compress_certificate"),
    (28, "record_size_limit"),
    (34, "delegated_credential"),
    (35, "session_ticket"),
    (41, "pre_shared_key"),
    (42, "early_data"),
    (43, "supported_versions"),
    (44, "cookie"),
    (45, "psk_key_exchange_modes"),
    (47, "certificate_authorities"),
    (48, "oid_filters"),
    (49, "post_handshake_auth"),
    (50, "signature_algorithms_cert"),
    (51, "key_share"),
    (57, "quic_transport_parameters"),
    (65_037, "encrypted_client_hello"),
    (65_281, "renegotiation_info"),
];

/// An extension's name; `grease` for a value that RFC 8701 reserves, and the number where there is no name.
pub fn extension_name(kind: u16) -> Cow<'static, str> {
    match NAMES.iter().find(|(known, _)| *known == kind) {
        Some((_, name)) => Cow::Borrowed(name),
        None if is_grease(kind) => Cow::Borrowed("grease"),
        None => Cow::Owned(kind.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_order_of_their_code_points() {
        assert!(NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(
            [51, 0x2a2a, 17_513].map(|kind| extension_name(kind).into_owned()),
            ["key_share", "grease", "17513"]
        );
    }
}
