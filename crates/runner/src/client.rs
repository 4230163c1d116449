//! Requests to a service.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::aws_lc_rs;
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::Request;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Proxy};

use crate::error::RunnerError;

/// The time limit of a request; a service without a job waits for less.
const PATIENCE: Duration = Duration::from_secs(120);
/// Longer answers are rejected.
const LONGEST_ANSWER: u64 = 64 << 20;

/// A service, and the key by which it identifies the runner.
#[derive(Clone)]
pub struct Client {
    agent: Agent,
    base: String,
    key: String,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({})", self.base)
    }
}

impl Client {
    /// A service at an address: over TLS, or on the same machine.
    ///
    /// # Errors
    /// Fails if the address is invalid.
    pub fn new(address: &str, key: &str) -> Result<Self, RunnerError> {
        let base = address.trim_end_matches('/').to_owned();
        let is_local = ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"];
        let is_plain =
            base.chars().all(|letter| letter.is_ascii_graphic()) && !base.contains(['?', '#', '@']);
        if !is_plain
            || !(base.starts_with("https://") || is_local.iter().any(|start| base.starts_with(start)))
        {
            return Err(RunnerError::Address { address: address.to_owned() });
        }
        let is_local = base.starts_with("http://");
        Ok(Self { agent: agent(is_local), base, key: key.to_owned() })
    }

    /// Sends a value and reads the answer; `None` for status 204.
    ///
    /// # Errors
    /// Fails without an answer, or if it is a refusal.
    pub fn post<A: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<Option<A>, RunnerError> {
        self.post_within(PATIENCE, path, body)
    }

    /// The same within a time limit: a broken network sends nothing.
    ///
    /// # Errors
    /// Fails without an answer, or if it is a refusal.
    pub fn post_within<A: DeserializeOwned>(
        &self,
        within: Duration,
        path: &str,
        body: &impl Serialize,
    ) -> Result<Option<A>, RunnerError> {
        let url = format!("{}{path}", self.base);
        let request = Request::post(&url)
            .header("Authorization", format!("Bearer {}", self.key))
            .header("Content-Type", "application/json")
            .body(serde_json::to_string(body).unwrap_or_default());
        let request = request.map_err(|cause| unreachable(&url, &cause))?;
        self.answer(&url, |agent| {
            agent.run(agent.configure_request(request).timeout_global(Some(within)).build())
        })
    }

    /// Reads a value.
    ///
    /// # Errors
    /// Fails without an answer, or if it is a refusal.
    pub fn get<A: DeserializeOwned>(&self, path: &str) -> Result<Option<A>, RunnerError> {
        let url = format!("{}{path}", self.base);
        let request = Request::get(&url).header("Authorization", format!("Bearer {}", self.key)).body(());
        let request = request.map_err(|cause| unreachable(&url, &cause))?;
        self.answer(&url, |agent| agent.run(request))
    }

    /// Sends bytes and reads the answer.
    ///
    /// # Errors
    /// Fails without an answer, or if it is a refusal.
    pub fn put<A: DeserializeOwned>(&self, path: &str, bytes: &[u8]) -> Result<Option<A>, RunnerError> {
        let url = format!("{}{path}", self.base);
        let request = Request::put(&url).header("Authorization", format!("Bearer {}", self.key)).body(bytes);
        let request = request.map_err(|cause| unreachable(&url, &cause))?;
        self.answer(&url, |agent| agent.run(request))
    }

    fn answer<A: DeserializeOwned>(
        &self,
        url: &str,
        send: impl FnOnce(&Agent) -> Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<Option<A>, RunnerError> {
        let mut response = send(&self.agent).map_err(|cause| unreachable(url, &cause))?;
        let text = response.body_mut().with_config().limit(LONGEST_ANSWER).read_to_string();
        let text = text.map_err(|cause| unreachable(url, &cause))?;
        match response.status().as_u16() {
            204 => Ok(None),
            status if (200..300).contains(&status) => {
                serde_json::from_str(&text).map(Some).map_err(|cause| unreachable(url, &cause))
            }
            401 => Err(RunnerError::Unknown { url: url.to_owned() }),
            status => {
                let message = serde_json::from_str::<serde_json::Value>(&text).ok();
                let message = message.and_then(|m| Some(m.get("message")?.as_str()?.to_owned()));
                let message = message.unwrap_or(text).chars().take(400).collect();
                Err(RunnerError::Refused { url: url.to_owned(), status, message })
            }
        }
    }
}

fn unreachable(url: &str, cause: &impl fmt::Display) -> RunnerError {
    RunnerError::Unreachable { url: url.to_owned(), cause: cause.to_string() }
}

/// With the certificates that this machine trusts, by a proxy if variables such as `HTTPS_PROXY` name one and
/// the service is on another machine. Redirects are not followed: the key is only for the configured address.
fn agent(is_local: bool) -> Agent {
    let loaded = rustls_native_certs::load_native_certs().certs;
    let roots: Vec<Certificate<'static>> =
        loaded.iter().map(|root| Certificate::from_der(root).to_owned()).collect();
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(aws_lc_rs::default_provider()))
        .root_certs(RootCerts::new_with_certs(&roots))
        .build();
    let proxy = if is_local { None } else { Proxy::try_from_env() };
    Agent::config_builder()
        .proxy(proxy)
        .timeout_global(Some(PATIENCE))
        .timeout_connect(Some(Duration::from_secs(10)))
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(concat!("tlslab/", env!("CARGO_PKG_VERSION")))
        .tls_config(tls)
        .build()
        .into()
}
