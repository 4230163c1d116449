//! The keys and certificates of a scenario, read into memory before anything is measured.

use std::path::{Path, PathBuf};

use tlslab_protocol::{ClientCredentials, Credentials, PskCredentials, Side};

use crate::Unready;

/// The contents of [`Credentials`]. All of it is DER, except the pre-shared key and the file of roots.
pub struct Material {
    /// The root that the client trusts.
    pub root: Vec<u8>,
    /// A PEM file that contains `root` and others, which a client's context reads instead of `root`.
    pub roots: Option<PathBuf>,
    /// The server's chain, leaf first, without the root.
    pub chain: Vec<Vec<u8>>,
    /// The leaf's private key, PKCS#8.
    pub key: Vec<u8>,
    /// The name that the client requests.
    pub server_name: String,
    /// The client's certificates and the root that the server trusts, for mutual authentication.
    pub client: Option<ClientMaterial>,
    /// The external PSK. With it, the chain and the key are empty, so that the connection can only succeed
    /// with the pre-shared key.
    pub psk: Option<Box<PskCredentials>>,
    /// The peer's key share, if a key exchange is measured alone.
    pub peer_share: Vec<u8>,
}

/// The client's part of mutual authentication.
pub struct ClientMaterial {
    /// The root that the server trusts.
    pub root: Vec<u8>,
    /// The client's chain, leaf first, without the root; empty for a client without a certificate.
    pub chain: Vec<Vec<u8>>,
    /// The leaf's private key, PKCS#8.
    pub key: Vec<u8>,
}

impl Material {
    /// Reads the files.
    ///
    /// # Errors
    /// Fails with [`Unready::Failed`] if a file cannot be read.
    pub fn read(credentials: &Credentials) -> Result<Self, Unready> {
        let chain = |paths: &[PathBuf]| paths.iter().map(|path| read(path)).collect::<Result<_, _>>();
        let client = |client: &ClientCredentials| -> Result<_, Unready> {
            Ok(ClientMaterial {
                root: read(&client.root)?,
                chain: chain(&client.chain)?,
                key: read(&client.key)?,
            })
        };
        let shows_certificate = credentials.psk.is_none();
        Ok(Self {
            root: read(&credentials.root)?,
            roots: credentials.roots.clone(),
            chain: if shows_certificate { chain(&credentials.chain)? } else { vec![] },
            key: if shows_certificate { read(&credentials.key)? } else { vec![] },
            server_name: credentials.server_name.clone(),
            client: credentials.client.as_ref().map(client).transpose()?,
            psk: credentials.psk.clone(),
            peer_share: credentials.peer_share.clone(),
        })
    }

    /// One side's pre-shared key; empty without one.
    pub fn psk_of(&self, side: Side) -> &[u8] {
        match (&self.psk, side) {
            (Some(psk), Side::Client) => &psk.client_key,
            (Some(psk), Side::Server) => &psk.server_key,
            (None, _) => &[],
        }
    }

    /// Empty material, for endpoints that need none.
    pub(crate) fn none() -> Self {
        Self {
            root: vec![],
            roots: None,
            chain: vec![],
            key: vec![],
            server_name: String::new(),
            client: None,
            psk: None,
            peer_share: vec![],
        }
    }

    /// The length of the server's own certificate, bytes.
    pub fn leaf_bytes(&self) -> u64 {
        self.chain.first().map_or(0, |leaf| leaf.len() as u64)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Unready> {
    std::fs::read(path).map_err(|cause| Unready::Failed(format!("cannot read {}: {cause}", path.display())))
}
