//! Receivers of notices, and the notice itself.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tlslab_forge::NoticeHook;
use toml::Spanned;

use crate::secret::SecretPlace;

/// A receiver and its events.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotifyConfig {
    /// Its name.
    pub name: Spanned<String>,
    /// The address that takes notices as JSON.
    pub url: Option<String>,
    /// The secret that signs them.
    pub secret: Option<SecretPlace>,
    /// Whether the address may be without TLS on another machine.
    #[serde(default)]
    pub allow_plain_http: bool,
    /// The project whose repository gets an issue, instead of an address.
    pub issue: Option<String>,
    /// Of which events.
    pub on: Vec<EventKind>,
}

/// A kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EventKind {
    /// A commit of the branch is slower.
    Regression,
    /// A runner is in quarantine.
    Quarantine,
    /// A message or an event of a code host was given up.
    GivenUp,
    /// A disk is full: the service's or a runner's.
    Disk,
}

impl EventKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Quarantine => "quarantine",
            Self::GivenUp => "given-up",
            Self::Disk => "disk",
        }
    }
}

/// A notice, as the outbox keeps it and as its receiver reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Notice {
    /// The name of the receiver.
    pub target: String,
    /// The version of this form.
    pub format: u32,
    /// The event, by which a receiver knows a second copy.
    pub id: String,
    /// The kind of event.
    pub event: EventKind,
    /// The project, if it is about one.
    pub project: Option<String>,
    /// The event, in a line.
    pub title: String,
    /// Details, and the next step.
    pub text: String,
    /// Where more is.
    pub link: String,
    /// When the service saw it, milliseconds since 1970.
    pub at_unix_ms: u64,
}

impl NotifyConfig {
    /// Fails if a setting is invalid.
    pub(crate) fn check(&self, known: impl Fn(&str) -> bool) -> Result<(), String> {
        match (&self.url, &self.issue) {
            (Some(_), Some(_)) | (None, None) => return Err("write either `url` or `issue`".to_owned()),
            (None, Some(project)) if !known(project) => {
                return Err(format!(
                    "`issue` names project \"{project}\", which the configuration does not have"
                ));
            }
            (None, Some(_)) if self.on.contains(&EventKind::Regression) => {
                return Err(
                    "a regression already opens an issue in its own repository, and this one would show those of other projects; \
                     take `regression` out of `on`, or write `url`"
                        .to_owned(),
                );
            }
            (None, Some(_)) if self.secret.is_some() => return Err("`secret` is for `url`".to_owned()),
            (Some(url), None) if !self.may_be_sent_to(url) => {
                return Err(format!(
                    "`url` is \"{url}\"; write an https:// address, or set `allow_plain_http = true` if others may read notices on the way"
                ));
            }
            _ => {}
        }
        match self.on.is_empty() {
            true => Err("`on` is empty; write some of regression, quarantine, given-up, disk".to_owned()),
            false => Ok(()),
        }
    }

    fn may_be_sent_to(&self, url: &str) -> bool {
        let is_here = ["http://127.0.0.1", "http://localhost", "http://[::1]"]
            .iter()
            .filter_map(|host| url.strip_prefix(host))
            .any(|rest| rest.is_empty() || rest.starts_with([':', '/']));
        url.starts_with("https://") || is_here || self.allow_plain_http && url.starts_with("http://")
    }
}

/// The addresses of a configuration, with their secrets read.
///
/// # Errors
/// Fails if a secret cannot be read.
pub(crate) fn hooks(
    notifies: &[NotifyConfig],
    beside: &Path,
    credentials: Option<&Path>,
) -> anyhow::Result<BTreeMap<String, NoticeHook>> {
    let mut hooks = BTreeMap::new();
    for notify in notifies {
        let Some(url) = &notify.url else { continue };
        let name = notify.name.get_ref();
        let secret = notify.secret.as_ref().map(|place| place.read(beside, credentials)).transpose();
        let secret = secret.map_err(|cause| cause.context(format!("notify \"{name}\"")))?;
        hooks.insert(name.clone(), NoticeHook::new(url, secret.as_ref().map(|secret| secret.reveal())));
    }
    Ok(hooks)
}
