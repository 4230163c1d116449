//! Verification of a delivery's sender.

use aws_lc_rs::hmac;
use thiserror::Error;

use crate::Kind;

/// Characters of an id and of the name of an event.
const LONGEST_NAME: usize = 200;

/// A delivery from a sender who knows the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its identifier; a repeated delivery has the same.
    pub id: String,
    /// The event, for [`read`](super::read).
    pub event: String,
}

/// Why a delivery was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// The secret is empty, so that anybody could sign.
    #[error("the secret of this webhook is empty; configure one here and on the forge")]
    NoSecret,
    /// There is no signature.
    #[error("the delivery has no {header} header; configure the secret of the webhook on the forge")]
    NoSignature {
        /// The header.
        header: &'static str,
    },
    /// The signature has the wrong form.
    #[error("the header {header} is not a signature by HMAC-SHA256 in hexadecimal digits")]
    MalformedSignature {
        /// The header.
        header: &'static str,
    },
    /// The signature or token is not made with this secret.
    #[error(
        "the header {header} does not match the secret; compare the secrets of the webhook here and on the forge"
    )]
    WrongSignature {
        /// The header.
        header: &'static str,
    },
    /// Its id or its event is missing, too long or not printable ASCII.
    #[error("the header {header} is missing, or it is not a name of up to 200 printable ASCII characters")]
    BadName {
        /// The header.
        header: &'static str,
    },
}

/// The delivery, if its signature shows that the sender knows the secret. `header` finds a header by its name
/// in lower case; `body` is the received body.
///
/// GitHub and Gitea sign the body. GitLab sends the secret itself, so that it must come over TLS.
pub fn verify(
    kind: Kind,
    secret: &[u8],
    header: &dyn Fn(&str) -> Option<String>,
    body: &[u8],
) -> Result<Delivery, Refused> {
    if secret.is_empty() {
        return Err(Refused::NoSecret);
    }
    let (ids, event): (&[&'static str], _) = match kind {
        Kind::Github => {
            check_hmac(secret, "x-hub-signature-256", "sha256=", header, body)?;
            (&["x-github-delivery"], "x-github-event")
        }
        Kind::Gitlab => {
            check_token(secret, header)?;
            (&["x-gitlab-event-uuid", "idempotency-key"], "x-gitlab-event")
        }
        Kind::Gitea => {
            match check_hmac(secret, "x-gitea-signature", "", header, body) {
                // A proxy may pass only the headers that GitHub has, too.
                Err(Refused::NoSignature { .. }) => {
                    check_hmac(secret, "x-hub-signature-256", "sha256=", header, body)?;
                }
                checked => checked?,
            }
            (&["x-gitea-delivery"], "x-gitea-event")
        }
    };
    let id = ids.iter().find_map(|name| Some((*name, header(name)?)));
    let (id_header, id) = id.ok_or(Refused::BadName { header: ids[0] })?;
    let event_name = header(event).ok_or(Refused::BadName { header: event })?;
    Ok(Delivery { id: read_header(id, id_header)?, event: read_header(event_name, event)? })
}

fn read_header(text: String, header: &'static str) -> Result<String, Refused> {
    let is_printable = text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    let is_name = is_printable && !text.trim().is_empty() && text.len() <= LONGEST_NAME;
    if is_name { Ok(text) } else { Err(Refused::BadName { header }) }
}

fn check_hmac(
    secret: &[u8],
    name: &'static str,
    prefix: &str,
    header: &dyn Fn(&str) -> Option<String>,
    body: &[u8],
) -> Result<(), Refused> {
    // Gitea sends an empty header without a secret.
    let signature =
        header(name).filter(|text| !text.is_empty()).ok_or(Refused::NoSignature { header: name })?;
    let digits = signature.strip_prefix(prefix).filter(|digits| digits.len() == 64);
    let tag = digits.and_then(|digits| hex::decode(digits).ok());
    let tag = tag.ok_or(Refused::MalformedSignature { header: name })?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    hmac::verify(&key, body, &tag).map_err(|_| Refused::WrongSignature { header: name })
}

/// Compares codes of both, which takes the same time for every token of one length.
fn check_token(secret: &[u8], header: &dyn Fn(&str) -> Option<String>) -> Result<(), Refused> {
    let name = "x-gitlab-token";
    let token = header(name).filter(|text| !text.is_empty()).ok_or(Refused::NoSignature { header: name })?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    let code = hmac::sign(&key, token.as_bytes());
    hmac::verify(&key, secret, code.as_ref()).map_err(|_| Refused::WrongSignature { header: name })
}
