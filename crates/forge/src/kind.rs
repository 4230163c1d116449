//! The forges that the lab knows.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ForgeError;

/// Which forge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// GitHub, or a compatible forge.
    Github,
    /// GitLab.
    Gitlab,
    /// Gitea, or Forgejo, which has the same API.
    Gitea,
}

impl Kind {
    /// Its name in files and addresses: `github`, `gitlab` or `gitea`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Gitea => "gitea",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = ForgeError;

    fn from_str(text: &str) -> Result<Self, ForgeError> {
        let known = [Self::Github, Self::Gitlab, Self::Gitea].into_iter().find(|kind| kind.name() == text);
        let why = "write github, gitlab or gitea";
        known.ok_or_else(|| ForgeError::Name {
            what: "forge",
            text: text.chars().filter(|letter| !letter.is_control()).take(64).collect(),
            why,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_one_name_everywhere() {
        for kind in [Kind::Github, Kind::Gitlab, Kind::Gitea] {
            assert_eq!(kind.name().parse::<Kind>().unwrap(), kind);
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.to_string());
        }
        assert!("GitHub".parse::<Kind>().is_err());
    }
}
