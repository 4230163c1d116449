//! The files that hold a scenario's keys and certificates.

use std::path::PathBuf;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::PskCredentials;

/// The paths of a scenario's keys and certificates. All files hold DER, except `roots`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Credentials {
    /// The root that the client trusts.
    pub root: PathBuf,
    /// All roots that the client trusts, including `root`, as PEM; only if the scenario has a number of
    /// roots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<PathBuf>,
    /// The server's chain, leaf first, without the root.
    pub chain: Vec<PathBuf>,
    /// The leaf's private key, PKCS#8.
    pub key: PathBuf,
    /// The name that the client requests and, if the scenario says so, verifies.
    pub server_name: String,
    /// The client's certificates and the root that the server trusts, if the scenario's authentication is
    /// mutual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientCredentials>,
    /// The external PSK, if the scenario has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub psk: Option<Box<PskCredentials>>,
    /// The peer's key share, in hex, if a key exchange is measured alone.
    #[serde(default, with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub peer_share: Vec<u8>,
}

impl Credentials {
    /// Every path, in no particular order.
    pub fn files_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let client = self.client.iter_mut();
        let client = client
            .flat_map(|client| [&mut client.root, &mut client.key].into_iter().chain(&mut client.chain));
        [&mut self.root, &mut self.key]
            .into_iter()
            .chain(&mut self.roots)
            .chain(&mut self.chain)
            .chain(client)
    }
}

/// The client's part of mutual authentication. All files hold DER.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ClientCredentials {
    /// The root that the server trusts.
    pub root: PathBuf,
    /// The client's chain, leaf first, without the root. Empty for a client without a certificate.
    pub chain: Vec<PathBuf>,
    /// The leaf's private key, PKCS#8.
    pub key: PathBuf,
}
