//! A GitHub App, which authenticates by its private key.

use std::fmt;
use std::sync::Arc;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use serde_json::json;

use crate::{ForgeError, Token};

/// How far GitHub's clock may be behind, s.
const BACK_S: u64 = 60;
/// For how long a token of the app is valid, s. GitHub allows ten minutes, which begin 60 s ago.
const VALID_S: u64 = 540;

/// A GitHub App.
#[derive(Clone)]
pub struct App {
    id: u64,
    key: Arc<RsaKeyPair>,
}

impl App {
    /// The app of this id, with its private key as GitHub gives it: PEM, PKCS#1 or PKCS#8.
    pub fn new(id: u64, key_pem: &str) -> Result<Self, ForgeError> {
        let unusable = |cause: &str| ForgeError::Key { cause: cause.to_owned() };
        // The cause of the parser may quote the file.
        let key = PrivateKeyDer::from_pem_slice(key_pem.as_bytes())
            .map_err(|_| unusable("it is not a private key in PEM"))?;
        let key = match &key {
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
            PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()),
            _ => return Err(unusable("it is not an RSA key")),
        };
        let key = key.map_err(|error| unusable(&format!("it is not a valid RSA key ({error})")))?;
        Ok(Self { id, key: Arc::new(key) })
    }

    /// Its id.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// A token with which the app authenticates as itself; it is valid for nine minutes.
    pub fn jwt(&self, now_unix_s: u64) -> Result<Token, ForgeError> {
        let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
        let head = json!({ "alg": "RS256", "typ": "JWT" }).to_string();
        let (begin, end) = (now_unix_s.saturating_sub(BACK_S), now_unix_s.saturating_add(VALID_S));
        let claims = json!({ "iat": begin, "exp": end, "iss": self.id.to_string() }).to_string();
        let signed = format!("{}.{}", encode(&head), encode(&claims));
        let mut signature = vec![0; self.key.public_modulus_len()];
        self.key
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature)
            .map_err(|_| ForgeError::Key { cause: "it cannot sign".to_owned() })?;
        Token::new(&format!("{signed}.{}", URL_SAFE_NO_PAD.encode(&signature)))
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("id", &self.id).finish_non_exhaustive()
    }
}
