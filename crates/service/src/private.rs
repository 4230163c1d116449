//! Private repositories: checks of the configuration, and the credential that git uses.
//!
//! It reads the project's repository and the submodules that the configuration names, and is never the
//! service's own. A commit cannot extend that, although its author writes the addresses of its submodules.

use std::sync::PoisonError;

use anyhow::{Context, ensure};
use tlslab_forge::Kind;
use tlslab_runner::wire::Credential;

use crate::config::ProjectConfig;
use crate::fetch_token::{FetchToken, usual_user};
use crate::service::Service;

/// The addresses that git fetches with a credential: the repository's and its submodules', below the same
/// folder of the code host. None if the project is not private.
pub(crate) fn addresses(project: &ProjectConfig, clone_url: &str) -> Result<Vec<String>, String> {
    if !project.private {
        return Ok(Vec::new());
    }
    let mut all = vec![clone_url.to_owned()];
    if project.submodules.is_empty() {
        return Ok(all);
    }
    let repository = project.repository.get_ref();
    let plain = clone_url.strip_suffix(".git").unwrap_or(clone_url);
    let base = plain.len().checked_sub(repository.len()).and_then(|end| plain.split_at_checked(end));
    let base = base.filter(|(base, path)| base.ends_with('/') && path.eq_ignore_ascii_case(repository));
    let (base, _) = base.ok_or_else(|| {
        format!("the clone address {clone_url} does not end with \"{repository}\", so those of `submodules` are not known")
    })?;
    all.extend(project.submodules.iter().map(|path| format!("{base}{path}.git")));
    Ok(all)
}

impl Service {
    /// A credential for git to read a private project: a new one of an hour from a GitHub App, else that of
    /// the configuration. git sends it only to `addresses`.
    ///
    /// # Errors
    /// Fails if the project is not private, if the address has no TLS, or if the code host gives no
    /// credential.
    pub(crate) fn fetch_credential(
        &self,
        project: &ProjectConfig,
        addresses: &[String],
    ) -> anyhow::Result<Credential> {
        let (name, forge) = (project.name.get_ref(), project.forge.get_ref());
        ensure!(project.private, "project {name} is not private any more; measure the commit again");
        let access = self.forges.get(forge).with_context(|| format!("there is no forge \"{forge}\""))?;
        if !access.allows_plain_http() {
            let local = ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"];
            let is_safe = |address: &&String| {
                address.starts_with("https://") || local.iter().any(|start| address.starts_with(start))
            };
            if let Some(address) = addresses.iter().find(|address| !is_safe(address)) {
                anyhow::bail!(
                    "the code host's clone address {address} has no TLS, and others could read the token on the way; have it report an https:// \
                     address, or permit it with `allow_plain_http = true` in [[forge]]"
                );
            }
        }
        if let Some(FetchToken { user, secret }) = self.fetch_tokens.get(name) {
            return Ok(Credential { username: user.clone(), password: secret.reveal().to_owned() });
        }
        let client = self.client(project)?;
        let mut client = client.lock().unwrap_or_else(PoisonError::into_inner);
        let token = client.reading_token(&project.submodules)?;
        let username = project.fetch_user.clone().unwrap_or_else(|| usual_user(Kind::Github).to_owned());
        Ok(Credential { username, password: token.reveal().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    const PRIVATE: &str = r#"
        public_reading = false
        [[forge]]
        name = "f"
        kind = "gitlab"
        api = "https://host.example/gitlab/api/v4"
        token = { file = "t" }
        webhook_secret = { file = "w" }
        [[project]]
        name = "p"
        forge = "f"
        repository = "group/sub-group/n"
        stacks = ["s"]
        private = true
        fetch_token = { file = "r" }
        submodules = ["group/dependency"]
    "#;

    #[test]
    fn addresses_lie_below_the_code_hosts_folder() {
        let config = Config::parse(PRIVATE).unwrap();
        let of = |url: &str| addresses(config.project("p").unwrap(), url);
        let found = of("https://host.example/gitlab/group/sub-group/n.git").unwrap();
        let expected = [
            "https://host.example/gitlab/group/sub-group/n.git",
            "https://host.example/gitlab/group/dependency.git",
        ];
        assert_eq!(found, expected);
        assert!(
            of("https://host.example/Group/sub-group/N").unwrap()[1]
                .ends_with(".example/group/dependency.git")
        );
        for elsewhere in
            ["https://host.example/evil-group/sub-group/n.git", "https://host.example/other/n.git", "n"]
        {
            assert!(of(elsewhere).unwrap_err().contains("submodules"), "{elsewhere}");
        }
    }

    #[test]
    fn a_private_project_needs_a_token_of_its_own_and_readers_with_tokens() {
        for (from, to, named) in [
            ("public_reading = false", "", "write `public_reading = false`"),
            ("fetch_token = { file = \"r\" }", "", "write `fetch_token"),
            ("{ file = \"r\" }", "{ file = \"t\" }", "may only read"),
            ("private = true", "", "add `private = true`"),
            ("group/dependency", "group/../other", "write OWNER/NAME"),
            ("group/dependency", "dependency", "write OWNER/NAME"),
        ] {
            assert!(PRIVATE.contains(from), "{from}");
            let error = Config::parse(&PRIVATE.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(named) && error.contains("project \"p\""), "{to}: {error}");
        }
        let app = PRIVATE
            .replace("gitlab\"", "github\"")
            .replace("        token = { file = \"t\" }", "app = 1\napp_key = { file = \"k\" }");
        let app = app.replace("group/sub-group/n", "group/n").replace("fetch_token = { file = \"r\" }", "");
        Config::parse(&app).unwrap();
        let error = Config::parse(&app.replace("group/dependency", "other/dependency")).unwrap_err();
        assert!(error.contains("one owner"), "{error}");
    }

    #[test]
    fn the_services_own_token_is_never_given_out() {
        use crate::configuration::write_secret;
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("t", "powerful"), ("w", "hook"), ("r", "reads")] {
            write_secret(&folder.path().join(name), text);
        }
        let service = Service::new(Config::parse(PRIVATE).unwrap(), folder.path(), None).unwrap();
        let project = service.config.project("p").unwrap();
        let given = service.fetch_credential(project, &["https://host.example/a".to_owned()]).unwrap();
        assert_eq!((&*given.username, &*given.password), ("oauth2", "reads"));
        assert!(!format!("{given:?}").contains("reads"));
        let plain = service.fetch_credential(project, &["http://host.example/a".to_owned()]).unwrap_err();
        assert!(plain.to_string().contains("has no TLS"), "{plain}");
        write_secret(&folder.path().join("r"), "powerful");
        let refused = Service::new(Config::parse(PRIVATE).unwrap(), folder.path(), None).err().unwrap();
        assert!(refused.to_string().contains("may only read"), "{refused}");
    }
}
