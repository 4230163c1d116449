//! The keys and certificates of a scenario, read into memory before anything is measured.

use std::path::Path;

use tlslab_protocol::Credentials;

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
}

impl Material {
    /// Reads the files.
    pub fn read(credentials: &Credentials) -> Result<Self, Unready> {
        Ok(Self {
            root: read(&credentials.root)?,
            chain: credentials.chain.iter().map(|path| read(path)).collect::<Result<_, _>>()?,
            key: read(&credentials.key)?,
            server_name: credentials.server_name.clone(),
        })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Unready> {
    std::fs::read(path).map_err(|cause| Unready::Failed(format!("cannot read {}: {cause}", path.display())))
}
