//! Tokens of the configuration with which git reads private repositories.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, ensure};
use tlslab_forge::Kind;

use crate::config::{Config, forge_of};
use crate::secret::Secret;

/// A token of the configuration that may only read.
pub(crate) struct FetchToken {
    /// The name that the code host expects with it.
    pub user: String,
    /// The token.
    pub secret: Secret,
}

/// The tokens of private projects, by project.
///
/// # Errors
/// Fails if a token cannot be read, or is the service's own.
pub(crate) fn read_tokens(
    config: &Config,
    is_own: impl Fn(&str, &Secret) -> bool,
    beside: &Path,
    credentials: Option<&Path>,
) -> anyhow::Result<BTreeMap<String, FetchToken>> {
    let mut tokens = BTreeMap::new();
    for project in config.projects.iter().filter(|project| project.private) {
        let name = project.name.get_ref();
        let Some(forge) = forge_of(config, project) else { continue };
        let Some(place) = project.fetch_token.as_ref().or(forge.fetch_token.as_ref()) else { continue };
        let secret =
            place.read(beside, credentials).with_context(|| format!("project \"{name}\": fetch_token"))?;
        let is_own = is_own(forge.name.get_ref(), &secret);
        ensure!(
            !is_own,
            "project \"{name}\": `fetch_token` is the service's own token, which may write; make one that may only read"
        );
        let user = project.fetch_user.as_ref().or(forge.fetch_user.as_ref());
        let user = user.map_or_else(|| usual_user(forge.kind).to_owned(), Clone::clone);
        tokens.insert(name.clone(), FetchToken { user, secret });
    }
    Ok(tokens)
}

/// The user that a code host expects with a token. A deploy token of GitLab has its own.
pub(crate) fn usual_user(kind: Kind) -> &'static str {
    match kind {
        Kind::Github => "x-access-token",
        Kind::Gitlab => "oauth2",
        Kind::Gitea => "tlslab",
    }
}
