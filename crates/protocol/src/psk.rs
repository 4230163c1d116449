//! An external PSK.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pre-shared key. Its hash is that of the scenario's cipher suite, and the key is as long as that hash.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PskCredentials {
    /// The identity that the client names it by.
    pub identity: String,
    /// The client's key, in hex.
    #[serde(with = "hex")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub client_key: Vec<u8>,
    /// The server's key, in hex: the same, unless a fault is tried.
    #[serde(with = "hex")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub server_key: Vec<u8>,
}

impl PskCredentials {
    /// The identity in every scenario, by which the wire shows that this key was offered and no ticket.
    pub const IDENTITY: &'static str = "tlslab";
}
