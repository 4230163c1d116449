//! The keys and certificates of a scenario, read into memory before anything is measured.

use std::path::{Path, PathBuf};

use tlslab_protocol::{ClientCredentials, Credentials, PskCredentials, Side};

use crate::Unready;

/// What [`Credentials`] point to. All of it is DER but the pre-shared key and the file of roots.
pub struct Material {
    /// The root that the client trusts.
    pub root: Vec<u8>,
    /// A PEM file with it and others, which a client's context reads in its place.
    pub roots: Option<PathBuf>,
    /// The server's chain, leaf first, without the root.
    pub chain: Vec<Vec<u8>>,
    /// The leaf's private key, PKCS#8.
    pub key: Vec<u8>,
    /// The name that the client asks for.
    pub server_name: String,
    /// What a client shows and a server trusts; where both sides show certificates.
    pub client: Option<ClientMaterial>,
    /// The key that both sides were given; with it there is no chain and no key of a certificate, so that
    /// nothing but the pre-shared key can bring a connection about.
    pub psk: Option<Box<PskCredentials>>,
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

    /// One side's pre-shared key; nothing where there is none.
    pub fn psk_of(&self, side: Side) -> &[u8] {
        match (&self.psk, side) {
            (Some(psk), Side::Client) => &psk.client_key,
            (Some(psk), Side::Server) => &psk.server_key,
            (None, _) => &[],
        }
    }

    /// Nothing, for endpoints that need nothing.
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
