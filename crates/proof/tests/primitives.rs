//! Primitives with published results are found right, and whatever is not those is found wrong.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{RSA_PSS_SHA256, RsaKeyPair};
use rcgen::{
    CertificateParams, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ED25519, PKCS_ML_DSA_44,
    PKCS_ML_DSA_65, PKCS_RSA_SHA256, SigningKey,
};
use tlslab_proof::{check_primitive, peer_share};
use tlslab_protocol::{
    Algorithm, CipherSuite, Group, HashFunction, KeyType, Operation, Primitive, PrimitiveFacts,
    message_to_sign,
};
use x25519_dalek::{PublicKey, StaticSecret};

fn primitive(operation: Operation, algorithm: Algorithm, bytes: u32) -> Primitive {
    Primitive { operation, algorithm, bytes, burst: 1, header_bytes: 5 }
}

fn hex(text: &str) -> Vec<u8> {
    hex::decode(text.replace(' ', "")).unwrap()
}

/// Right if unchanged, and wrong with one bit of the output flipped.
fn right_alone(wanted: &Primitive, facts: &PrimitiveFacts) {
    check_primitive(wanted, facts, &[]).unwrap();
    let mut wrong = facts.clone();
    wrong.output[0] ^= 1;
    check_primitive(wanted, &wrong, &[]).unwrap_err();
    let longer = Primitive { bytes: wanted.bytes + 1, ..*wanted };
    if wanted.bytes > 0 {
        let said = check_primitive(&longer, facts, &[]).unwrap_err();
        assert_eq!(said, format!("a message of {} bytes, not {}", wanted.bytes, longer.bytes));
    }
}

/// FIPS 180-2, appendix B.1.
#[test]
fn a_digest() {
    let facts = PrimitiveFacts {
        input: b"abc".to_vec(),
        output: hex("ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad"),
        ..PrimitiveFacts::default()
    };
    right_alone(&primitive(Operation::Hash, Algorithm::Hash(HashFunction::Sha256), 3), &facts);
}

/// RFC 1321, appendix A.5; FIPS 180-2, appendices A.1, C.1 and D.1; NIST's examples for SHA-3 are of other messages, so its
/// digests of "abc" are from Python's hashlib, which has code of its own for them.
#[test]
fn digests_of_every_hash() {
    let known = [
        (HashFunction::Md5, "900150983cd24fb0d6963f7d28e17f72"),
        (HashFunction::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            HashFunction::Sha384,
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
        ),
        (
            HashFunction::Sha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd\
             454d4423643ce80e2a9ac94fa54ca49f",
        ),
        (HashFunction::Sha3_256, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        (
            HashFunction::Sha3_384,
            "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25",
        ),
        (
            HashFunction::Sha3_512,
            "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e39340\
             57340b4cf408d5a56592f8274eec53f0",
        ),
    ];
    for (hash, digest) in known {
        let facts =
            PrimitiveFacts { input: b"abc".to_vec(), output: hex(digest), ..PrimitiveFacts::default() };
        right_alone(&primitive(Operation::HashObject, Algorithm::Hash(hash), 3), &facts);
    }
}

/// What a server received is what was sent, and something is reported of the connection.
#[test]
fn a_connection() {
    let facts = PrimitiveFacts {
        input: b"abc".to_vec(),
        output: b"abc".to_vec(),
        negotiated: Some("TLSv1.3".to_owned()),
        ..PrimitiveFacts::default()
    };
    let wanted = primitive(Operation::Connection, Algorithm::Signature(KeyType::EcdsaP256), 3);
    right_alone(&wanted, &facts);
    let silent = PrimitiveFacts { negotiated: None, ..facts };
    assert!(check_primitive(&wanted, &silent, &[]).unwrap_err().starts_with("nothing is reported"));
}

/// RFC 4231, test case 2.
#[test]
fn a_code() {
    let facts = PrimitiveFacts {
        key: b"Jefe".to_vec(),
        input: b"what do ya want for nothing?".to_vec(),
        output: hex("5bdcc146 bf60754e 6a042426 089575c7 5a003f08 9d273983 9dec58b9 64ec3843"),
        ..PrimitiveFacts::default()
    };
    right_alone(&primitive(Operation::Hmac, Algorithm::Hash(HashFunction::Sha256), 28), &facts);
}

/// RFC 8448, section 3: the client's application data.
#[test]
fn a_record() {
    let facts = PrimitiveFacts {
        key: hex("17422dda596ed5d9acd890e3c63f5051"),
        nonce: hex("5b78923dee08579033e523d9"),
        input: (0..0x32).collect(),
        output: hex(
            "a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b46b395bd54a9a20441e2b62974e1f5a\
             6292a2977014bd1e3deae63aeebb21694915e4",
        ),
        ..PrimitiveFacts::default()
    };
    let aead = Algorithm::Aead(CipherSuite::AES_128_GCM);
    right_alone(&primitive(Operation::AeadSeal, aead, 0x32), &facts);
    let mut opened = PrimitiveFacts { input: facts.output.clone(), output: facts.input.clone(), ..facts };
    let said = check_primitive(&primitive(Operation::AeadOpen, aead, 0x32), &opened, &[]).unwrap_err();
    assert_eq!(said, "it opened a message with a flipped bit");
    opened.refused = Some("bad tag".to_owned());
    right_alone(&primitive(Operation::AeadOpen, aead, 0x32), &opened);
}

/// With the key of Alice in RFC 7748, section 6.1.
#[test]
fn an_agreement() {
    let alice = hex("77076d0a7318a57d3c16c17251b26645 df4c2f72ebc0992ab177fba51db92c2a");
    let alice: [u8; 32] = alice.try_into().unwrap();
    let alice = StaticSecret::from(alice);
    let peer: [u8; 32] = peer_share(Group::X25519).try_into().unwrap();
    let facts = PrimitiveFacts {
        share: PublicKey::from(&alice).as_bytes().to_vec(),
        input: peer.to_vec(),
        output: alice.diffie_hellman(&peer.into()).as_bytes().to_vec(),
        ..PrimitiveFacts::default()
    };
    let wanted = primitive(Operation::KeyAgreement, Algorithm::Group(Group::X25519), 0);
    right_alone(&wanted, &facts);
    let of_another_peer = PrimitiveFacts { input: vec![9; 32], ..facts };
    check_primitive(&wanted, &of_another_peer, &[]).unwrap_err();
}

#[test]
fn a_key_that_is_not_new() {
    let share = peer_share(Group::X25519);
    let facts = PrimitiveFacts { output: share.clone(), again: share, ..PrimitiveFacts::default() };
    let wanted = primitive(Operation::KeyGeneration, Algorithm::Group(Group::X25519), 0);
    assert_eq!(check_primitive(&wanted, &facts, &[]).unwrap_err(), "two calls gave the same share");
}

#[test]
fn a_signature_of_nothing() {
    let wanted = primitive(Operation::Sign, Algorithm::Signature(KeyType::EcdsaP256), 0);
    let facts =
        PrimitiveFacts { input: message_to_sign(), output: vec![1, 2, 3], ..PrimitiveFacts::default() };
    let said = check_primitive(&wanted, &facts, &[1, 2, 3]).unwrap_err();
    assert!(said.starts_with("the certificate cannot be read"), "{said}");
}

/// Made by the library that makes the lab's certificates, which is not among those that check.
#[test]
fn signatures_of_every_key() {
    for (key, by) in [
        (KeyType::EcdsaP256, &PKCS_ECDSA_P256_SHA256),
        (KeyType::EcdsaP384, &PKCS_ECDSA_P384_SHA384),
        (KeyType::Ed25519, &PKCS_ED25519),
        (KeyType::Rsa2048, &PKCS_RSA_SHA256),
        (KeyType::MlDsa44, &PKCS_ML_DSA_44),
        (KeyType::MlDsa65, &PKCS_ML_DSA_65),
    ] {
        let own = KeyPair::generate_for(by).unwrap();
        let certificate = CertificateParams::new(vec![]).unwrap().self_signed(&own).unwrap();
        let signature = match key {
            KeyType::Rsa2048 => pss(&own.serialize_der(), &message_to_sign()),
            _ => own.sign(&message_to_sign()).unwrap(),
        };
        let wanted = primitive(Operation::Sign, Algorithm::Signature(key), 0);
        let mut facts =
            PrimitiveFacts { input: message_to_sign(), output: signature, ..PrimitiveFacts::default() };
        check_primitive(&wanted, &facts, certificate.der()).unwrap();
        *facts.output.last_mut().unwrap() ^= 1;
        let said = check_primitive(&wanted, &facts, certificate.der()).unwrap_err();
        assert!(said.starts_with("the signature is wrong by the lab's own check"), "{key}: {said}");
    }
}

fn pss(pkcs8: &[u8], message: &[u8]) -> Vec<u8> {
    let key = RsaKeyPair::from_pkcs8(pkcs8).unwrap();
    let mut signature = vec![0; key.public_modulus_len()];
    key.sign(&RSA_PSS_SHA256, &SystemRandom::new(), message, &mut signature).unwrap();
    signature
}

#[test]
fn shares_of_every_group_have_their_lengths() {
    let lengths = [
        (Group::X25519, 32),
        (Group::SECP256R1, 65),
        (Group::SECP384R1, 97),
        (Group::X25519MLKEM768, 1184 + 32),
        (Group::SECP256R1MLKEM768, 65 + 1184),
    ];
    for (group, length) in lengths {
        assert_eq!(peer_share(group).len(), length, "{group}");
    }
}
