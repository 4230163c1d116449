//! The connection, encrypted if the address requires it.

use std::sync::Arc;

use postgres::config::SslMode;
use postgres::{Client, Config, NoTls};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::cause::describe;

/// Connects by the URL. Its options beyond those of the crate: `sslmode=verify-full`, to which `require` is
/// equivalent here, and `sslrootcert=FILE`, a root besides the system's.
pub(super) fn connect(url: &str) -> Result<Client, String> {
    let (url, options) = Options::taken_from(url)?;
    let mut config: Config = url.parse().map_err(|cause| describe(&cause))?;
    config.application_name("tlslab");
    if !options.encrypted {
        config.ssl_mode(SslMode::Disable);
        return config.connect(NoTls).map_err(|cause| describe(&cause));
    }
    config.ssl_mode(SslMode::Require);
    let tls = MakeRustlsConnect::new(client_config(options.root.as_deref())?);
    config.connect(tls).map_err(|cause| describe(&cause))
}

#[derive(Debug, Default, PartialEq)]
struct Options {
    encrypted: bool,
    root: Option<String>,
}

impl Options {
    /// The URL without the options that are read here.
    fn taken_from(url: &str) -> Result<(String, Self), String> {
        let mut options = Self::default();
        let Some((address, queries)) = url.split_once('?') else { return Ok((url.to_owned(), options)) };
        let mut others = Vec::new();
        for query in queries.split('&') {
            match query.split_once('=') {
                Some(("sslmode", "disable")) => options.encrypted = false,
                Some(("sslmode", "require" | "verify-full")) => options.encrypted = true,
                Some(("sslmode", mode)) => {
                    return Err(format!(
                        "sslmode={mode} is not known here; write disable, or verify-full, which checks the \
                         server's certificate and name (require does, too)"
                    ));
                }
                Some(("sslrootcert", file)) => options.root = Some(file.to_owned()),
                _ => others.push(query),
            }
        }
        if options.root.is_some() && !options.encrypted {
            return Err("sslrootcert is given without sslmode=verify-full".to_owned());
        }
        let rest = if others.is_empty() { String::new() } else { format!("?{}", others.join("&")) };
        Ok((format!("{address}{rest}"), options))
    }
}

fn client_config(root: Option<&str>) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(file) = root {
        let described =
            |cause: rustls::pki_types::pem::Error| format!("cannot read the root in {file}: {cause}");
        for certificate in CertificateDer::pem_file_iter(file).map_err(described)? {
            let certificate = certificate.map_err(described)?;
            roots.add(certificate).map_err(|cause| format!("the root in {file}: {cause}"))?;
        }
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|cause| cause.to_string())?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_is_taken_out_of_the_url() {
        let taken =
            Options::taken_from("postgres://h/d?connect_timeout=3&sslmode=verify-full&sslrootcert=/r.pem");
        let options = Options { encrypted: true, root: Some("/r.pem".to_owned()) };
        assert_eq!(taken, Ok(("postgres://h/d?connect_timeout=3".to_owned(), options)));
        assert_eq!(
            Options::taken_from("postgres://h/d"),
            Ok(("postgres://h/d".to_owned(), Options::default()))
        );
        assert!(Options::taken_from("postgres://h/d?sslmode=prefer").unwrap_err().contains("verify-full"));
        assert!(
            Options::taken_from("postgres://h/d?sslrootcert=/r").unwrap_err().contains("without sslmode")
        );
    }
}
