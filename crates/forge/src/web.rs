//! Requests over the network.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use serde_json::Value;
use ureq::Agent;
use ureq::http::{HeaderMap, Request};
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

use crate::{Answer, Ask, ForgeError, Kind, Transport};

/// Longer answers are rejected.
const LONGEST_ANSWER: u64 = 64 << 20;

/// How long an answer may take.
const DEADLINE: Duration = Duration::from_secs(60);

/// The network, with a token that is only sent in requests.
pub struct Web {
    kind: Kind,
    agent: Agent,
    headers: Vec<(&'static str, String)>,
    /// The header of the token, if the transport has one.
    own: Option<(&'static str, String)>,
}

impl Web {
    /// A transport with the certificates that this machine trusts. Redirects are not followed: a token goes
    /// only to its forge.
    pub fn new(kind: Kind, token: &str) -> Self {
        Self { own: Some(authority(kind, token)), ..Self::without_token(kind) }
    }

    /// The same without a token, for a [`Client`](crate::Client) of a GitHub App, which gives one to each
    /// request.
    pub fn without_token(kind: Kind) -> Self {
        let headers = match kind {
            Kind::Github => vec![
                ("Accept", "application/vnd.github+json, application/json".to_owned()),
                ("X-GitHub-Api-Version", "2022-11-28".to_owned()),
            ],
            Kind::Gitlab | Kind::Gitea => vec![("Accept", "application/json".to_owned())],
        };
        Self { kind, agent: agent(DEADLINE, &[]), headers, own: None }
    }

    /// The same with further authorities, besides those that this machine trusts.
    #[must_use]
    pub fn trusting(self, authorities: &Authorities) -> Self {
        Self { agent: agent(DEADLINE, &authorities.0), ..self }
    }
}

/// Certificates of authorities.
#[derive(Clone, Debug)]
pub struct Authorities(Vec<CertificateDer<'static>>);

impl Authorities {
    /// From PEM: one certificate or several.
    ///
    /// # Errors
    /// Fails if the text has no certificate, or a damaged one.
    pub fn from_pem(text: &str) -> Result<Self, ForgeError> {
        let refused = || ForgeError::Name {
            what: "certificate of an authority",
            text: text.lines().next().unwrap_or_default().chars().take(80).collect(),
            why: "write certificates in PEM, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----",
        };
        let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
        let certificates = read.map_err(|_| refused())?;
        let mut store = rustls::RootCertStore::empty();
        let are_good = certificates.iter().all(|certificate| store.add(certificate.clone()).is_ok());
        if certificates.is_empty() || !are_good { Err(refused()) } else { Ok(Self(certificates)) }
    }
}

/// The HTTP client: with the certificates that this machine trusts and further ones, by a proxy if variables
/// such as `HTTPS_PROXY` name one, with a deadline, and without redirects.
pub(crate) fn agent(deadline: Duration, further: &[CertificateDer<'static>]) -> Agent {
    let known = rustls_native_certs::load_native_certs().certs;
    let roots: Vec<Certificate<'static>> =
        known.iter().chain(further).map(|root| Certificate::from_der(root).to_owned()).collect();
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(aws_lc_rs::default_provider()))
        .root_certs(RootCerts::new_with_certs(&roots))
        .build();
    Agent::config_builder()
        .timeout_global(Some(deadline))
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(concat!("tlslab/", env!("CARGO_PKG_VERSION")))
        .tls_config(tls)
        .build()
        .into()
}

/// The header of a token.
fn authority(kind: Kind, token: &str) -> (&'static str, String) {
    match kind {
        Kind::Github => ("Authorization", format!("Bearer {token}")),
        Kind::Gitlab => ("PRIVATE-TOKEN", token.to_owned()),
        Kind::Gitea => ("Authorization", format!("token {token}")),
    }
}

impl Transport for Web {
    fn send(&mut self, ask: &Ask) -> Result<Answer, ForgeError> {
        let failed = |mut cause: String| {
            if cause.contains("UnknownIssuer") {
                cause += ": its certificate is of an authority that this machine does not know; name it with `ca` in [[forge]], or add it to \
                          this machine's";
            }
            ForgeError::Unreachable { method: ask.method, url: ask.url.clone(), cause }
        };
        let mut request = Request::builder().method(ask.method).uri(&ask.url);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let given = ask.token.as_ref().map(|token| authority(self.kind, token.reveal()));
        if let Some((name, value)) = given.as_ref().or(self.own.as_ref()) {
            request = request.header(*name, value);
        }
        let sent = match &ask.body {
            Some(body) => {
                let request = request.header("Content-Type", "application/json").body(body.to_string());
                self.agent.run(request.map_err(|error| failed(error.to_string()))?)
            }
            None => self.agent.run(request.body(()).map_err(|error| failed(error.to_string()))?),
        };
        let mut response = sent.map_err(|error| failed(error.to_string()))?;
        let body = response.body_mut().with_config().limit(LONGEST_ANSWER).read_to_string();
        let body = body.map_err(|error| failed(error.to_string()))?;
        let headers = response.headers();
        Ok(Answer {
            status: response.status().as_u16(),
            retry_after_s: number(headers, &["retry-after"]),
            remaining: number(headers, &["x-ratelimit-remaining", "ratelimit-remaining"]),
            reset_unix_s: number(headers, &["x-ratelimit-reset", "ratelimit-reset"]),
            body: serde_json::from_str(&body).unwrap_or(Value::Null),
        })
    }

    fn wait(&mut self, time: Duration) {
        std::thread::sleep(time);
    }

    fn now_unix_s(&self) -> u64 {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }
}

fn number(headers: &HeaderMap, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| headers.get(*name)?.to_str().ok()?.trim().parse().ok())
}
