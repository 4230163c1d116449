//! The address of a database.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The address of a database. As plain data it is its text without a password, which is never shown or sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A file.
    Sqlite(PathBuf),
    /// A server, as in PostgreSQL's own programs.
    Postgres(String),
}

impl Address {
    /// The text without a password.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Sqlite(path) => format!("sqlite:{}", path.display()),
            Self::Postgres(_) => self.to_string(),
        }
    }

    /// Whether it contains a password.
    #[must_use]
    pub fn has_password(&self) -> bool {
        matches!(self, Self::Postgres(url) if without_secrets(url) != *url)
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return match path {
                "" => Err("sqlite: names no file; write sqlite:PATH".to_owned()),
                path => Ok(Self::Sqlite(path.into())),
            };
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        Err("it is neither sqlite:PATH nor postgres://USER@HOST/DATABASE".to_owned())
    }
}

impl fmt::Display for Address {
    /// Without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "{}", path.display()),
            Self::Postgres(url) => write!(f, "{}", without_secrets(url)),
        }
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A password may stand before the host and among the options.
fn without_secrets(url: &str) -> String {
    let (address, options) = url.split_once('?').unwrap_or((url, ""));
    let (scheme, rest) = address.split_once("://").unwrap_or(("postgres", address));
    let rest = match rest.rsplit_once('@') {
        Some((who, host)) => {
            let user = who.split_once(':').map_or(who, |(user, _)| user);
            format!("{user}@{host}")
        }
        None => rest.to_owned(),
    };
    let shown: Vec<&str> =
        options.split('&').filter(|option| !option.is_empty() && !option.starts_with("password")).collect();
    let options = if shown.is_empty() { String::new() } else { format!("?{}", shown.join("&")) };
    format!("{scheme}://{rest}{options}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_files_or_servers() {
        assert_eq!("sqlite:a/b".parse(), Ok(Address::Sqlite("a/b".into())));
        assert_eq!("sqlite:///a/b".parse(), Ok(Address::Sqlite("/a/b".into())));
        assert_eq!("postgres://h/d".parse(), Ok(Address::Postgres("postgres://h/d".to_owned())));
        assert!("mysql://h/d".parse::<Address>().unwrap_err().contains("neither"));
        assert!("sqlite:".parse::<Address>().unwrap_err().contains("no file"));
    }

    #[test]
    fn passwords_are_never_shown() {
        let shown = |url: &str| Address::Postgres(url.to_owned()).to_string();
        assert_eq!(shown("postgres://u:se@cret@h:1/d?sslmode=require"), "postgres://u@h:1/d?sslmode=require");
        assert_eq!(shown("postgresql://h/d?password=secret&user=u"), "postgresql://h/d?user=u");
        assert_eq!(shown("postgresql:///d?host=/tmp"), "postgresql:///d?host=/tmp");
    }

    #[test]
    fn the_text_of_an_address_is_parsed_again() {
        for (text, has_password) in
            [("sqlite:a b", false), ("postgres://u@h/d", false), ("postgres://u:p@h/d", true)]
        {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.has_password(), has_password);
            assert_eq!(address.text().parse::<Address>().unwrap() == address, !has_password);
        }
    }
}
