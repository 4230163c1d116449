//! The settings of a program: how a server or client sets up a library's contexts beyond the defaults, and
//! where in its source each is set. A variant has them; the driver that it names knows their names.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::{Table, Value};

/// What is wrong with settings: the key, the cause and the next step.
pub(crate) type Fault = (&'static str, String, &'static str);

/// How a program sets up a library.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The driver's folder that knows the settings; the variant applies to its stacks alone.
    pub driver: String,
    /// The program with its version, such as `nginx 1.31.4`.
    pub program: String,
    /// The repository of its source.
    pub source: String,
    /// The tag or commit at which its source was read.
    pub revision: String,
    /// What it sets, by place.
    pub places: Vec<SettingsPlace>,
}

/// What one function of a program sets.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsPlace {
    /// The file in the repository.
    pub file: String,
    /// The function.
    pub function: String,
    /// The side that it sets up.
    #[serde(default)]
    pub side: SettingsSide,
    /// The revision, if it is not that of the other places.
    pub revision: Option<String>,
    /// By the library's own name: the number that is set; 1 and 0 for a flag.
    pub set: BTreeMap<String, u32>,
}

/// The side that a setting is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SettingsSide {
    /// Both sides.
    #[default]
    Both,
    /// The client.
    Client,
    /// The server.
    Server,
}

impl SettingsSide {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

impl Settings {
    /// The settings of a variant's tables, if it has any that are valid.
    pub(crate) fn of_variant(variant: &Table) -> Option<Self> {
        variant.get(KEY)?.clone().try_into().ok()
    }

    /// The program's name without its version.
    #[must_use]
    pub fn name(&self) -> &str {
        self.program.split(' ').next().unwrap_or_default()
    }

    /// The address of a place's file.
    #[must_use]
    pub fn address(&self, place: &SettingsPlace) -> String {
        let revision = place.revision.as_ref().unwrap_or(&self.revision);
        format!("{}/blob/{revision}/{}", self.source, place.file)
    }

    /// The variables of the running driver.
    pub(crate) fn variables(&self) -> [(String, String); 2] {
        let entry = |place: &SettingsPlace| {
            let side = place.side.as_str();
            place.set.iter().map(move |(name, number)| format!("{side} {name} {number}")).collect::<Vec<_>>()
        };
        let entries: Vec<String> = self.places.iter().flat_map(entry).collect();
        [
            ("TLSLAB_SETTINGS".to_owned(), entries.join(",")),
            ("TLSLAB_SETTINGS_OF".to_owned(), self.program.clone()),
        ]
    }

    /// The first of them that is no setting, or names no place. The driver rejects settings that it does not
    /// know.
    pub(crate) fn fault(&self) -> Option<Fault> {
        let is_line = |text: &str| {
            !text.is_empty()
                && text.len() <= LONGEST
                && text.chars().all(|c| c.is_ascii_graphic() || c == ' ')
        };
        if !is_identifier(&self.driver, b"-_.") {
            let cause = format!("\"{}\" is not a name", self.driver);
            return Some(("settings.driver", cause, "name a folder below drivers/"));
        }
        if !is_line(&self.program) {
            return Some((
                "settings.program",
                "it is empty or too long".to_owned(),
                "name the program and its version",
            ));
        }
        if !is_line(&self.source) || !self.source.starts_with("https://") {
            let next_step = "write the repository's address, https://…";
            return Some(("settings.source", "it is no address".to_owned(), next_step));
        }
        let mut revisions =
            self.places.iter().filter_map(|place| place.revision.as_ref()).chain([&self.revision]);
        if let Some(revision) = revisions.find(|revision| !is_identifier(revision, b"-_.")) {
            let cause = format!("\"{revision}\" is no revision");
            return Some(("settings.revision", cause, "name a tag or a commit"));
        }
        let count: usize = self.places.iter().map(|place| place.set.len()).sum();
        if !(1..=MOST).contains(&count) {
            let cause = format!("there are {count} settings, and a program has 1 to {MOST}");
            return Some(("settings.places", cause, "list what it sets beyond the defaults"));
        }
        self.places.iter().find_map(SettingsPlace::fault)
    }
}

impl SettingsPlace {
    fn fault(&self) -> Option<Fault> {
        let is_path =
            self.file.len() <= LONGEST && self.file.split('/').all(|part| is_identifier(part, b"-_."));
        if !is_path {
            let cause = format!("\"{}\" is no file of a repository", self.file);
            return Some(("settings.places.file", cause, "write its path from the top"));
        }
        if !is_identifier(&self.function, b"_:") {
            let cause = format!("\"{}\" is no function", self.function);
            return Some(("settings.places.function", cause, "write its name alone"));
        }
        let name = self.set.keys().find(|name| !is_identifier(name, b"_"))?;
        Some(("settings.places.set", format!("\"{name}\" is no setting"), "write it as the library does"))
    }
}

fn is_identifier(text: &str, also: &[u8]) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_')
        && text.len() < LONGEST
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || also.contains(&byte))
}

/// Whether a variant's settings are for a recipe's driver.
pub(crate) fn apply_to(settings: &Value, recipe: &Table) -> bool {
    settings.get("driver").is_some_and(|driver| recipe.get("driver") == Some(driver))
}

/// The variant's key.
pub(crate) const KEY: &str = "settings";
/// The most settings of a program.
const MOST: usize = 64;
/// The longest text, bytes.
const LONGEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    const NGINX: &str = r#"
        driver = "c"
        program = "nginx 1.2"
        source = "https://host/nginx"
        revision = "release-1.2"
        [[places]]
        file = "src/ssl.c"
        function = "create"
        set = { READ_AHEAD = 1, RETRY = 0 }
        [[places]]
        file = "src/accept.c"
        function = "accept"
        side = "server"
        revision = "main"
        set = { SIZE = 16384 }
    "#;

    fn checked(text: &str) -> Result<Settings, String> {
        let settings: Settings = toml::from_str(text).map_err(|error| error.to_string())?;
        match settings.fault() {
            Some((key, cause, _)) => Err(format!("{key}: {cause}")),
            None => Ok(settings),
        }
    }

    #[test]
    fn a_driver_is_told_the_side_the_name_and_the_number_of_each() {
        let settings = checked(NGINX).unwrap();
        let [(_, entries), (_, program)] = settings.variables();
        assert_eq!(entries, "both READ_AHEAD 1,both RETRY 0,server SIZE 16384");
        assert_eq!((program.as_str(), settings.name()), ("nginx 1.2", "nginx"));
        let addresses: Vec<String> = settings.places.iter().map(|place| settings.address(place)).collect();
        assert_eq!(
            addresses,
            ["https://host/nginx/blob/release-1.2/src/ssl.c", "https://host/nginx/blob/main/src/accept.c"]
        );
    }

    #[test]
    fn what_is_no_setting_or_no_place_is_rejected_by_name() {
        for (from, to, said) in [
            ("READ_AHEAD", "\"READ AHEAD\"", "\"READ AHEAD\" is no setting"),
            ("src/ssl.c", "../ssl.c", "\"../ssl.c\" is no file of a repository"),
            ("src/ssl.c", "/etc/passwd", "\"/etc/passwd\" is no file"),
            ("\"create\"", "\"create()\"", "\"create()\" is no function"),
            ("https://host", "file://host", "settings.source"),
            ("\"nginx 1.2\"", "\"nginx\\n1\"", "settings.program"),
            ("\"release-1.2\"", "\"--option\"", "settings.revision"),
            ("16384", "-1", "invalid value"),
            ("\"server\"", "\"proxy\"", "unknown variant"),
        ] {
            let error = checked(&NGINX.replace(from, to)).unwrap_err();
            assert!(error.contains(said), "{to}: {error}");
        }
    }

    #[test]
    fn settings_apply_to_stacks_of_their_driver_alone() {
        let value: Value = Value::Table(toml::from_str(NGINX).unwrap());
        let recipe = |text: &str| toml::from_str::<Table>(text).unwrap();
        assert!(apply_to(&value, &recipe("driver = 'c'")));
        assert!(!apply_to(&value, &recipe("driver = 'rust'")) && !apply_to(&value, &recipe("title = 'x'")));
    }
}
