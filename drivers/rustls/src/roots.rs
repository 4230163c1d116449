//! The roots that a side trusts.

use std::path::Path;

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
#[cfg(has_pem_files)]
use rustls::pki_types::pem::{self, PemObject};
use tlslab_driver_kit::{Material, Unready};

/// Those of a client: of a file, if there is one.
pub fn of_client(material: &Material) -> Result<RootCertStore, Unready> {
    match &material.roots {
        Some(file) => of_file(file),
        None => of(&material.root),
    }
}

#[cfg(has_pem_files)]
fn of_file(file: &Path) -> Result<RootCertStore, Unready> {
    let mut roots = RootCertStore::empty();
    for root in CertificateDer::pem_file_iter(file).map_err(unreadable)? {
        roots.add(root.map_err(unreadable)?)?;
    }
    Ok(roots)
}

/// Types without a reader of files; the kit does not ask then.
#[cfg(not(has_pem_files))]
fn of_file(_: &Path) -> Result<RootCertStore, Unready> {
    Err(Unready::Failed("these dependencies of rustls read no file of roots".to_owned()))
}

/// One root.
pub fn of(root: &[u8]) -> Result<RootCertStore, Unready> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(root.to_vec()))?;
    Ok(roots)
}

#[cfg(has_pem_files)]
fn unreadable(cause: pem::Error) -> Unready {
    Unready::Failed(format!("cannot read the roots: {cause}"))
}
