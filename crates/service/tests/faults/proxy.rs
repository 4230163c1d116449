//! What stands before a service that speaks HTTP: it ends TLS, with a certificate of an authority that only the test trusts.

use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};

/// An idle connection is closed after this time, as other proxies do; longer than a runner waits for a job.
const SILENCE: Duration = Duration::from_secs(60);

/// A proxy.
pub(crate) struct Proxy {
    port: u16,
    authority: PathBuf,
    connections: Arc<AtomicUsize>,
}

impl Proxy {
    /// One that listens at all addresses, which its certificate names, and asks the service at a port.
    pub(crate) fn start(folder: &Path, addresses: &[IpAddr], service: u16) -> Self {
        let names: Vec<String> = addresses.iter().map(IpAddr::to_string).collect();
        let made = rcgen::generate_simple_self_signed(names).unwrap();
        let authority = folder.join("authority.pem");
        std::fs::write(&authority, made.cert.pem()).unwrap();
        let certificate = CertificateDer::from_pem_slice(made.cert.pem().as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_slice(made.signing_key.serialize_pem().as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key);
        let config = Arc::new(config.unwrap());
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = connections.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let config = config.clone();
                counted.fetch_add(1, Ordering::Relaxed);
                // A broken connection is no error.
                std::thread::spawn(move || carry(client, config, service).ok());
            }
        });
        Self { port, authority, connections }
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The certificate that runners have to trust.
    pub(crate) fn authority(&self) -> &Path {
        &self.authority
    }

    /// How many connections there were.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

fn carry(client: TcpStream, config: Arc<ServerConfig>, service: u16) -> std::io::Result<()> {
    client.set_read_timeout(Some(SILENCE))?;
    client.set_write_timeout(Some(SILENCE))?;
    let tls = ServerConnection::new(config).map_err(std::io::Error::other)?;
    let tls = Mutex::new(tls);
    let upstream = TcpStream::connect(("127.0.0.1", service))?;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _ = answers(&client, &tls, &upstream);
            let _ = client.shutdown(Shutdown::Both);
        });
        let asked = requests(&client, &tls, &upstream);
        let _ = upstream.shutdown(Shutdown::Both);
        asked
    })
}

/// From the runner to the service.
fn requests(
    mut client: &TcpStream,
    tls: &Mutex<ServerConnection>,
    mut upstream: &TcpStream,
) -> std::io::Result<()> {
    let (mut sealed, mut plain) = (vec![0; 32 << 10], Vec::new());
    loop {
        let read = client.read(&mut sealed)?;
        if read == 0 {
            return Ok(());
        }
        let mut rest = &sealed[..read];
        while !rest.is_empty() {
            let mut tls = tls.lock().unwrap_or_else(PoisonError::into_inner);
            tls.read_tls(&mut rest)?;
            let state = tls.process_new_packets().map_err(std::io::Error::other)?;
            plain.resize(state.plaintext_bytes_to_read(), 0);
            tls.reader().read_exact(&mut plain)?;
            while tls.wants_write() {
                tls.write_tls(&mut client)?;
            }
            drop(tls);
            upstream.write_all(&plain)?;
        }
    }
}

/// From the service to the runner.
fn answers(
    mut client: &TcpStream,
    tls: &Mutex<ServerConnection>,
    mut upstream: &TcpStream,
) -> std::io::Result<()> {
    let mut plain = vec![0; 16 << 10];
    loop {
        let read = upstream.read(&mut plain)?;
        let mut tls = tls.lock().unwrap_or_else(PoisonError::into_inner);
        match read {
            0 => tls.send_close_notify(),
            _ => tls.writer().write_all(&plain[..read])?,
        }
        while tls.wants_write() {
            tls.write_tls(&mut client)?;
        }
        if read == 0 {
            return Ok(());
        }
    }
}
