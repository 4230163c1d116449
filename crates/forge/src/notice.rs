//! Notices to an operator's address: signed JSON, with a deadline, without following redirects.

use std::time::Duration;

use aws_lc_rs::hmac;
use ureq::Agent;
use ureq::http::Request;

/// How long one try may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// An address that takes notices.
pub struct NoticeHook {
    agent: Agent,
    url: String,
    key: Option<hmac::Key>,
}

impl NoticeHook {
    /// With the secret that signs notices, if there is one.
    pub fn new(url: &str, secret: Option<&str>) -> Self {
        let agent = crate::web::agent(DEADLINE, &[]);
        let key = secret.map(|secret| hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()));
        Self { agent, url: url.to_owned(), key }
    }

    /// Sends a body; `id` is the same at each try.
    ///
    /// # Errors
    /// Fails if there is no connection, the deadline passes, or the status is not 2xx.
    pub fn post(&self, event: &str, id: &str, body: &str) -> Result<(), String> {
        let mut request = Request::builder()
            .method("POST")
            .uri(&self.url)
            .header("Content-Type", "application/json")
            .header("X-Tlslab-Event", event)
            .header("X-Tlslab-Delivery", id);
        if let Some(key) = &self.key {
            request = request.header("X-Tlslab-Signature-256", signature(key, body));
        }
        let request = request.body(body.to_owned()).map_err(|cause| cause.to_string())?;
        let answer = self.agent.run(request).map_err(|cause| cause.to_string())?;
        match answer.status().as_u16() {
            200..=299 => Ok(()),
            status @ 300..=399 => {
                Err(format!("status {status}: redirects are not followed; configure the new address"))
            }
            status => Err(format!("status {status}")),
        }
    }
}

/// The value of the header of a body's signature.
fn signature(key: &hmac::Key, body: &str) -> String {
    format!("sha256={}", hex::encode(hmac::sign(key, body.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_signed_as_code_hosts_sign_theirs() {
        // The example of GitHub's documentation.
        let key = hmac::Key::new(hmac::HMAC_SHA256, b"It's a Secret to Everybody");
        let expected = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        assert_eq!(signature(&key, "Hello, World!"), expected);
    }
}
