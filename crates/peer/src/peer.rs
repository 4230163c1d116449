//! One side of a handshake.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::aws_lc_rs::{
    ALL_CIPHER_SUITES, ALL_KX_GROUPS, default_provider, sign::any_supported_type,
};
use rustls::crypto::{CryptoProvider, SupportedKxGroup};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoClientAuth, NoServerSessionStorage, VerifierBuilderError, WebPkiClientVerifier};
use rustls::sign::{CertifiedKey, SigningKey, SingleCertAndKey};
use rustls::version::{TLS12, TLS13};
use rustls::{
    ClientConfig, ClientConnection, Connection, RootCertStore, ServerConfig, ServerConnection,
    SupportedCipherSuite, SupportedProtocolVersion,
};
use tlslab_protocol::{Credentials, Group, ProtocolVersion, Scenario, Side};

use crate::finished;
use crate::signature::OtherData;

/// The rule that a peer violates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// It signs other data than the handshake: in CertificateVerify in TLS 1.3 and as a client, in
    /// ServerKeyExchange as a server of TLS 1.2.
    Signature,
    /// Its Finished has a wrong verify_data.
    Finished,
}

/// Why there is no peer for a scenario.
#[derive(Debug, thiserror::Error)]
pub enum Unable {
    /// The peer does not support an algorithm of the scenario.
    #[error("the lab's own peer has no {0}")]
    Lacks(String),
    /// A file of keys or certificates cannot be read.
    #[error("cannot read `{}`: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
    /// rustls rejects its contents.
    #[error("the lab's own peer cannot be made: {0}")]
    Rustls(#[from] rustls::Error),
    /// No verifier can be made from this root.
    #[error("the lab's own peer cannot verify: {0}")]
    Root(#[from] VerifierBuilderError),
}

/// The outcome of one call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answer {
    /// The bytes for the other side; an alert if it refused.
    pub output: Vec<u8>,
    /// Whether its handshake is done.
    pub is_done: bool,
    /// Whether the other side has closed the connection with an alert.
    pub is_closed: bool,
    /// Why it ended the connection, if it did.
    pub refused: Option<String>,
}

/// One side of a handshake.
pub struct Peer {
    connection: Connection,
    /// The Finished values that it has computed.
    finished: u32,
}

impl Peer {
    /// Makes one side of a full handshake with the scenario's version, cipher suite, group, keys and
    /// authentication. It verifies the other side's chain, name and signatures.
    ///
    /// # Errors
    /// Fails with [`Unable`] if the peer does not support the scenario, or its keys cannot be read.
    pub fn new(
        side: Side,
        scenario: &Scenario,
        credentials: &Credentials,
        flaw: Option<Flaw>,
    ) -> Result<Self, Unable> {
        let provider = Arc::new(provider(side, scenario, flaw)?);
        let version = version(scenario.version)?;
        let connection = match side {
            Side::Client => Connection::from(client(version, provider, credentials, flaw)?),
            Side::Server => Connection::from(server(version, provider, credentials, flaw)?),
        };
        Ok(Self { connection, finished: 0 })
    }

    /// Processes the other side's bytes; empty at a client's first call. A whole flight is passed at once.
    pub fn step(&mut self, mut input: &[u8]) -> Answer {
        let connection = &mut self.connection;
        let (mut refused, mut is_closed) = (None, false);
        finished::counted(&mut self.finished, || {
            while refused.is_none() && !input.is_empty() {
                refused = match connection.read_tls(&mut input) {
                    // The slice still has bytes, so rustls takes no more.
                    Ok(0) => Some("bytes after close_notify".to_owned()),
                    Ok(_) => match connection.process_new_packets() {
                        Ok(state) => {
                            is_closed |= state.peer_has_closed();
                            None
                        }
                        Err(error) => Some(error.to_string()),
                    },
                    Err(error) => Some(error.to_string()),
                };
            }
        });
        let is_done = refused.is_none() && !connection.is_handshaking();
        Answer { output: self.output(), is_done, is_closed, refused }
    }

    /// Its closing alert.
    pub fn close(&mut self) -> Vec<u8> {
        self.connection.send_close_notify();
        self.output()
    }

    /// Everything that it has to send.
    fn output(&mut self) -> Vec<u8> {
        let mut output = Vec::new();
        while self.connection.wants_write() {
            if self.connection.write_tls(&mut output).is_err() {
                break;
            }
        }
        output
    }
}

fn provider(side: Side, scenario: &Scenario, flaw: Option<Flaw>) -> Result<CryptoProvider, Unable> {
    let suites: &[SupportedCipherSuite] =
        if flaw == Some(Flaw::Finished) { finished::suites(side) } else { ALL_CIPHER_SUITES };
    let suite = suites.iter().find(|suite| u16::from(suite.suite()) == scenario.suite.0);
    let suite = suite.ok_or_else(|| Unable::Lacks(scenario.suite.to_string()))?;
    let mut kx_groups = vec![group(scenario.group)?];
    // A client of TLS 1.2 lists the curve of the server's key among its groups (RFC 8422, section 5.1.1),
    // after the wanted one.
    let curve = scenario.signature.curve().filter(|curve| *curve != scenario.group);
    if let (ProtocolVersion::TLS12, Side::Client, Some(curve)) = (scenario.version, side, curve) {
        kx_groups.push(group(curve)?);
    }
    Ok(CryptoProvider { cipher_suites: vec![*suite], kx_groups, ..default_provider() })
}

fn group(wanted: Group) -> Result<&'static dyn SupportedKxGroup, Unable> {
    let found = ALL_KX_GROUPS.iter().find(|group| u16::from(group.name()) == wanted.0);
    found.copied().ok_or_else(|| Unable::Lacks(wanted.to_string()))
}

fn version(version: ProtocolVersion) -> Result<&'static SupportedProtocolVersion, Unable> {
    match version {
        ProtocolVersion::TLS12 => Ok(&TLS12),
        ProtocolVersion::TLS13 => Ok(&TLS13),
        other => Err(Unable::Lacks(other.to_string())),
    }
}

fn client(
    version: &'static SupportedProtocolVersion,
    provider: Arc<CryptoProvider>,
    credentials: &Credentials,
    flaw: Option<Flaw>,
) -> Result<ClientConnection, Unable> {
    let verifier = WebPkiServerVerifier::builder_with_provider(
        roots(&credentials.root, &credentials.chain)?,
        provider.clone(),
    );
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])?
        .with_webpki_verifier(verifier.build()?);
    let mut config = match &credentials.client {
        Some(own) => {
            let certified = certified(&own.chain, &own.key, flaw)?;
            builder.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(certified)))
        }
        None => builder.with_no_client_auth(),
    };
    config.resumption = Resumption::disabled();
    let name = ServerName::try_from(credentials.server_name.clone());
    let name = name.map_err(|cause| Unable::Lacks(format!("server name like that: {cause}")))?;
    Ok(ClientConnection::new(Arc::new(config), name)?)
}

fn server(
    version: &'static SupportedProtocolVersion,
    provider: Arc<CryptoProvider>,
    credentials: &Credentials,
    flaw: Option<Flaw>,
) -> Result<ServerConnection, Unable> {
    let clients: Arc<dyn ClientCertVerifier> = match &credentials.client {
        Some(client) => {
            let roots = roots(&client.root, &client.chain)?;
            WebPkiClientVerifier::builder_with_provider(roots, provider.clone()).build()?
        }
        None => Arc::new(NoClientAuth),
    };
    let certified = certified(&credentials.chain, &credentials.key, flaw)?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])?
        .with_client_cert_verifier(clients)
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(ServerConnection::new(Arc::new(config))?)
}

/// The root and the authorities between it and the other side's certificate: a side may send only its
/// certificate.
fn roots(root: &Path, chain: &[PathBuf]) -> Result<Arc<RootCertStore>, Unable> {
    let mut roots = RootCertStore::empty();
    for authority in chain.iter().skip(1).map(PathBuf::as_path).chain([root]) {
        roots.add(CertificateDer::from(read(authority)?))?;
    }
    Ok(Arc::new(roots))
}

fn certified(chain: &[PathBuf], key: &Path, flaw: Option<Flaw>) -> Result<CertifiedKey, Unable> {
    let chain =
        chain.iter().map(|path| Ok(CertificateDer::from(read(path)?))).collect::<Result<_, Unable>>()?;
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(read(key)?));
    // Unknown keys count as a missing algorithm.
    let key = any_supported_type(&key).map_err(|_| Unable::Lacks("keys of this type".to_owned()))?;
    let key: Arc<dyn SigningKey> = if flaw == Some(Flaw::Signature) { Arc::new(OtherData(key)) } else { key };
    Ok(CertifiedKey::new(chain, key))
}

fn read(path: &Path) -> Result<Vec<u8>, Unable> {
    std::fs::read(path).map_err(|cause| Unable::File { path: path.to_owned(), cause })
}
