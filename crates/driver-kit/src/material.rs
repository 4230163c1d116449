//! The keys and certificates of a scenario, read into memory before anything is measured.

use std::path::{Path, PathBuf};

use tlslab_protocol::{ClientCredentials, Credentials};

use crate::Unready;

/// What [`Credentials`] point to. All of it is DER.
pub struct Material {
    /// The root that the client trusts.
    pub root: Vec<u8>,
    /// The server's chain, leaf first, without the root.
    pub chain: Vec<Vec<u8>>,
    /// The leaf's private key, PKCS#8.
    pub key: Vec<u8>,
    /// The name that the client asks for.
    pub server_name: String,
    /// What a client shows and a server trusts; where both sides show certificates.
    pub client: Option<ClientMaterial>,
    /// The peer's key share, where a key exchange is done by itself.
    pub peer_share: Vec<u8>,
}

/// The client's part of mutual authentication.
pub struct ClientMaterial {
    /// The root that the server trusts.
    pub root: Vec<u8>,
    /// The client's chain, leaf first, without the root; empty for a client that has none to show.
    pub chain: Vec<Vec<u8>>,
    /// The leaf's private key, PKCS#8.
    pub key: Vec<u8>,
}

impl Material {
    /// Reads the files.
    pub fn read(credentials: &Credentials) -> Result<Self, Unready> {
        let chain = |paths: &[PathBuf]| paths.iter().map(|path| read(path)).collect::<Result<_, _>>();
        let client = |client: &ClientCredentials| -> Result<_, Unready> {
            Ok(ClientMaterial {
                root: read(&client.root)?,
                chain: chain(&client.chain)?,
                key: read(&client.key)?,
            })
        };
        Ok(Self {
            root: read(&credentials.root)?,
            chain: chain(&credentials.chain)?,
            key: read(&credentials.key)?,
            server_name: credentials.server_name.clone(),
            client: credentials.client.as_ref().map(client).transpose()?,
            peer_share: credentials.peer_share.clone(),
        })
    }

    /// Nothing, for endpoints that need nothing.
    pub(crate) fn none() -> Self {
        Self {
            root: vec![],
            chain: vec![],
            key: vec![],
            server_name: String::new(),
            client: None,
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
