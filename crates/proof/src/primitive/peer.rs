//! The lab's side of a key exchange, with public keys that are the same in every run.

use ml_kem::{Decapsulate, DecapsulationKey, KeyExport, MlKem768};
use p256::elliptic_curve::sec1::ToSec1Point;
use tlslab_protocol::Group;

use crate::field::{secret_of, share_of};

/// The length of ML-KEM-768's public key, bytes; its ciphertext and secret follow.
pub(super) const KEM_PUBLIC: usize = 1184;
pub(super) const KEM_CIPHERTEXT: usize = 1088;
const KEM_SECRET: usize = 32;

/// The client's share that the lab gives to a primitive. Empty for a group that the lab does not support.
pub fn peer_share(group: Group) -> Vec<u8> {
    match group {
        Group::X25519MLKEM768 => [kem_public(), curve_share(Group::X25519)].concat(),
        Group::SECP256R1MLKEM768 => [curve_share(Group::SECP256R1), kem_public()].concat(),
        curve => curve_share(curve),
    }
}

/// The shared secret of the lab's key and a share.
pub(super) fn agree(group: Group, share: &[u8]) -> Result<Vec<u8>, String> {
    let wrong = |cause: String| format!("a share outside {group} ({cause})");
    match group {
        Group::X25519 => {
            let share: [u8; 32] = share.try_into().map_err(|_| wrong(format!("{} bytes", share.len())))?;
            Ok(x25519().diffie_hellman(&share.into()).to_bytes().to_vec())
        }
        Group::SECP256R1 => {
            let share = p256::PublicKey::from_sec1_bytes(share).map_err(|cause| wrong(cause.to_string()))?;
            let secret = p256::ecdh::diffie_hellman(p256_key().to_nonzero_scalar(), share.as_affine());
            Ok(secret.raw_secret_bytes().to_vec())
        }
        Group::SECP384R1 => {
            let share = p384::PublicKey::from_sec1_bytes(share).map_err(|cause| wrong(cause.to_string()))?;
            let secret = p384::ecdh::diffie_hellman(p384_key().to_nonzero_scalar(), share.as_affine());
            Ok(secret.raw_secret_bytes().to_vec())
        }
        Group::FFDHE2048 => secret_of(&secret::<32>(), share).map_err(wrong),
        Group::X25519MLKEM768 => {
            let (ciphertext, curve) = share
                .split_at_checked(KEM_CIPHERTEXT)
                .ok_or_else(|| wrong(format!("{} bytes", share.len())))?;
            Ok([decapsulate(ciphertext).map_err(wrong)?, agree(Group::X25519, curve)?].concat())
        }
        Group::SECP256R1MLKEM768 => {
            let (curve, ciphertext) = share
                .split_at_checked(share.len().saturating_sub(KEM_CIPHERTEXT))
                .ok_or_else(|| wrong(format!("{} bytes", share.len())))?;
            Ok([agree(Group::SECP256R1, curve)?, decapsulate(ciphertext).map_err(wrong)?].concat())
        }
        other => Err(format!("the lab has no key exchange of {other}")),
    }
}

/// Fails unless a share has the form of a client's in this group.
pub(super) fn well_formed(group: Group, share: &[u8]) -> Result<(), String> {
    let split = |at: Option<usize>| {
        at.and_then(|at| share.split_at_checked(at))
            .ok_or_else(|| format!("a share of {} bytes, too short for {group}", share.len()))
    };
    match group {
        Group::X25519MLKEM768 => {
            let (kem, curve) = split(Some(KEM_PUBLIC))?;
            kem_key(kem)?;
            agree(Group::X25519, curve).map(|_| ())
        }
        Group::SECP256R1MLKEM768 => {
            let (curve, kem) = split(share.len().checked_sub(KEM_PUBLIC))?;
            kem_key(kem)?;
            agree(Group::SECP256R1, curve).map(|_| ())
        }
        curve => agree(curve, share).map(|_| ()),
    }
}

fn kem_key(public: &[u8]) -> Result<(), String> {
    let wrong = || "a share whose part of ML-KEM is no public key".to_owned();
    let public = public.try_into().map_err(|_| wrong())?;
    ml_kem::EncapsulationKey::<MlKem768>::new(&public).map(|_| ()).map_err(|_| wrong())
}

fn decapsulate(ciphertext: &[u8]) -> Result<Vec<u8>, String> {
    let ciphertext = ciphertext.try_into().map_err(|_| format!("{} bytes", ciphertext.len()))?;
    let secret = kem().decapsulate(&ciphertext).to_vec();
    debug_assert_eq!(secret.len(), KEM_SECRET);
    Ok(secret)
}

fn curve_share(group: Group) -> Vec<u8> {
    match group {
        Group::X25519 => x25519_dalek::PublicKey::from(&x25519()).as_bytes().to_vec(),
        Group::SECP256R1 => p256_key().public_key().to_sec1_point(false).as_bytes().to_vec(),
        Group::SECP384R1 => p384_key().public_key().to_sec1_point(false).as_bytes().to_vec(),
        Group::FFDHE2048 => share_of(&secret::<32>()),
        _ => vec![],
    }
}

fn kem_public() -> Vec<u8> {
    kem().encapsulation_key().to_bytes().to_vec()
}

fn kem() -> DecapsulationKey<MlKem768> {
    DecapsulationKey::from_seed(ml_kem::Seed::from(secret::<64>()))
}

fn x25519() -> x25519_dalek::StaticSecret {
    x25519_dalek::StaticSecret::from(secret::<32>())
}

fn p256_key() -> p256::SecretKey {
    // The bytes begin with a small one, so that they are less than the order of every curve.
    p256::SecretKey::from_slice(&secret::<32>()).expect("a number below the order")
}

fn p384_key() -> p384::SecretKey {
    p384::SecretKey::from_slice(&secret::<48>()).expect("a number below the order")
}

fn secret<const N: usize>() -> [u8; N] {
    std::array::from_fn(|at| (at as u8).wrapping_mul(73).wrapping_add(41))
}
