//! The roots that a side trusts.

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject};
use tlslab_driver_kit::{Material, Unready};

/// Those of a client: of a file, if there is one.
pub fn of_client(material: &Material) -> Result<RootCertStore, Unready> {
    let Some(file) = &material.roots else { return of(&material.root) };
    let mut roots = RootCertStore::empty();
    for root in CertificateDer::pem_file_iter(file).map_err(unreadable)? {
        roots.add(root.map_err(unreadable)?)?;
    }
    Ok(roots)
}

/// One root.
pub fn of(root: &[u8]) -> Result<RootCertStore, Unready> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(root.to_vec()))?;
    Ok(roots)
}

fn unreadable(cause: pem::Error) -> Unready {
    Unready::Failed(format!("cannot read the roots: {cause}"))
}
