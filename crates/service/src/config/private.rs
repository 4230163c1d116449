//! Checks of private projects.

use super::{Config, ForgeConfig, ProjectConfig};

/// Checks the private projects of a configuration; an error has its byte.
pub(crate) fn check(config: &Config) -> Result<(), (Option<usize>, String)> {
    for project in &config.projects {
        let at = Some(project.name.span().start);
        let name = project.name.get_ref();
        let wrong = |cause: &str| Err((at, format!("project \"{name}\": {cause}")));
        if !project.private {
            let is_of_private = project.fetch_token.is_some() || project.fetch_user.is_some();
            if is_of_private || !project.submodules.is_empty() {
                return wrong(
                    "`fetch_token`, `fetch_user` and `submodules` are for a private repository; add `private = true`",
                );
            }
            continue;
        }
        if config.public_reading {
            return wrong(
                "its repository is private, and `public_reading` lets everybody read its results and logs; write `public_reading = false`",
            );
        }
        let Some(forge) = forge_of(config, project) else { continue };
        let place = project.fetch_token.as_ref().or(forge.fetch_token.as_ref());
        if place.is_none() && forge.app.is_none() {
            return wrong(
                "git needs a token that may only read its repository; write `fetch_token = { file = \"PATH\" }`, here or in [[forge]]",
            );
        }
        if place.is_some() && place == forge.token.as_ref() {
            return wrong(
                "`fetch_token` is the service's own token, which may write; make one that may only read",
            );
        }
        let owner = |path: &str| path.split('/').next().unwrap_or_default().to_ascii_lowercase();
        let own = owner(project.repository.get_ref());
        for path in &project.submodules {
            let is_path = path.split('/').count() > 1
                && path.split('/').all(|part| {
                    !part.is_empty()
                        && !part.chars().all(|letter| letter == '.')
                        && part.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter))
                });
            if !is_path {
                return wrong(&format!("submodule \"{path}\": write OWNER/NAME"));
            }
            if place.is_none() && owner(path) != own {
                return wrong(&format!(
                    "submodule \"{path}\": the App's token opens repositories of one owner; write a `fetch_token` that may read both"
                ));
            }
        }
    }
    Ok(())
}

pub(crate) fn forge_of<'c>(config: &'c Config, project: &ProjectConfig) -> Option<&'c ForgeConfig> {
    config.forges.iter().find(|forge| forge.name.get_ref() == project.forge.get_ref())
}
