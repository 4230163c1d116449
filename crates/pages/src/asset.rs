//! Style sheets and scripts. They are compiled in; a page embeds them or refers to them by a name with their
//! digest.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// A style sheet or a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its name, such as `base.css`; its extension is its type.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Assets of every page: tokens and style, the theme and the state in the address.
pub const COMMON: [Asset; 3] = [
    Asset { name: "tokens.css", text: include_str!("../assets/tokens.css") },
    Asset { name: "base.css", text: include_str!("../assets/base.css") },
    Asset { name: "frame.js", text: include_str!("../assets/frame.js") },
];

impl Asset {
    /// Whether it is a script; otherwise it is a style sheet.
    #[must_use]
    pub fn is_script(&self) -> bool {
        self.name.ends_with(".js")
    }

    /// Its name with a part of its digest, under which it never changes: `base.0123456789abcdef.css`.
    #[must_use]
    pub fn file_name(&self) -> String {
        let (stem, ending) = self.name.rsplit_once('.').unwrap_or((self.name, "txt"));
        format!("{stem}.{}.{ending}", &digest(self.text.as_bytes())[..16])
    }

    /// Its digest as a content security policy names it.
    #[must_use]
    pub fn policy_hash(&self) -> String {
        policy_hash(self.text)
    }
}

/// The digest of an inline text as a content security policy names it.
pub(crate) fn policy_hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// The hexadecimal SHA-256 of bytes.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_digest_and_the_policy_the_hash() {
        let asset = Asset { name: "empty.js", text: "" };
        assert_eq!(asset.file_name(), "empty.e3b0c44298fc1c14.js");
        assert_eq!(asset.policy_hash(), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
        assert!(asset.is_script());
    }
}
