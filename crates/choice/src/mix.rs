//! Mixes of work.

use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;
use tlslab_text::number::percent;

use crate::work::{RECORD_BYTES, Work};

/// A mix of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mix {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its assumptions, and their reasons.
    pub assumes: String,
    /// The side that counts.
    pub side: Side,
    /// The work of a full handshake: key and group, `mutual` before them if both sides show certificates.
    pub key: String,
    /// The share of connections that resume a session.
    pub resumed: f64,
    /// How many bytes a connection carries.
    pub bytes: f64,
    /// Whether the side sends them; otherwise it receives them.
    pub sends: bool,
    /// `time` or `count.instructions`.
    pub metric: String,
}

/// A mix as in a file. Missing fields are those of the first profile.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    title: String,
    side: Side,
    key: String,
    group: String,
    mutual: bool,
    resumed_percent: f64,
    kib_per_connection: f64,
    direction: Direction,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Direction {
    Sends,
    Receives,
}

impl Default for File {
    fn default() -> Self {
        Self {
            title: "A mix of one's own".to_owned(),
            side: Side::Server,
            key: "ecdsa-p256".to_owned(),
            group: "x25519".to_owned(),
            mutual: false,
            resumed_percent: 50.0,
            kib_per_connection: 100.0,
            direction: Direction::Sends,
        }
    }
}

impl Mix {
    /// Reads a mix from the text of a file.
    ///
    /// # Errors
    /// Fails on the first wrong field, with its allowed values.
    pub fn read(name: &str, text: &str) -> Result<Self, String> {
        let text = text.lines().map(with_quotes).collect::<Vec<_>>().join("\n");
        let table = toml::Deserializer::parse(&text).map_err(|cause| cause.to_string())?;
        let file: File = serde_path_to_error::deserialize(table)
            .map_err(|cause| format!("{}: {}", cause.path(), cause.inner().message().trim_end()))?;
        if !(0.0..=100.0).contains(&file.resumed_percent) {
            return Err("resumed_percent: write 0 to 100".to_owned());
        }
        if !(0.0..=1e9).contains(&file.kib_per_connection) {
            return Err("kib_per_connection: write 0 to 1000000000".to_owned());
        }
        let sends = matches!(file.direction, Direction::Sends);
        let who = if file.mutual { "mutual " } else { "" };
        let mix = Self {
            name: name.to_owned(),
            title: file.title,
            assumes: String::new(),
            side: file.side,
            key: format!("{who}{} {}", file.key, file.group),
            resumed: file.resumed_percent / 100.0,
            bytes: file.kib_per_connection * 1024.0,
            sends,
            metric: "time".to_owned(),
        };
        Ok(Self { assumes: mix.numbers(), ..mix })
    }

    /// With fields of a file changed, as `FIELD=VALUE,FIELD=VALUE`.
    ///
    /// # Errors
    /// Fails on the first wrong field, with its allowed values.
    pub fn changed(&self, fields: &str) -> Result<Self, String> {
        let mut table = self.fields();
        for field in fields.split(',').filter(|field| !field.trim().is_empty()) {
            let (name, value) = field.split_once('=').ok_or_else(|| format!("{field}: write FIELD=VALUE"))?;
            let (name, value) = (name.trim(), value.trim());
            let number = || value.parse().ok().map(toml::Value::Float);
            let value = value.parse().ok().map(toml::Value::Boolean).or_else(number);
            let text =
                || toml::Value::String(field.split_once('=').map_or("", |(_, text)| text.trim()).to_owned());
            table.insert(name.to_owned(), value.unwrap_or_else(text));
        }
        Self::read(&self.name, &table.to_string())
    }

    /// The fields of a file that has this mix.
    fn fields(&self) -> toml::Table {
        let (who, key) = match self.key.strip_prefix("mutual ") {
            Some(key) => (true, key),
            None => (false, &*self.key),
        };
        let (key, group) = key.split_once(' ').unwrap_or((key, ""));
        let mut table = toml::Table::new();
        let direction = if self.sends { "sends" } else { "receives" };
        for (name, value) in [
            ("title", toml::Value::from(format!("{}, changed", self.title))),
            ("side", self.side.name().into()),
            ("key", key.into()),
            ("group", group.into()),
            ("mutual", who.into()),
            ("resumed_percent", (100.0 * self.resumed).into()),
            ("kib_per_connection", (self.bytes / 1024.0).into()),
            ("direction", direction.into()),
        ] {
            table.insert(name.to_owned(), value);
        }
        table
    }

    /// Whether counts decide, which compare versions and builds of one library alone.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.metric.starts_with("count.")
    }

    /// Its numbers in words.
    #[must_use]
    pub fn numbers(&self) -> String {
        let verb = if self.sends { "sends" } else { "receives" };
        let kib = self.bytes / 1024.0;
        format!(
            "{} of connections resume; the {} {verb} {kib:.0} KiB on each; full handshakes with {}",
            percent(self.resumed),
            self.side.name(),
            self.key
        )
    }

    /// The parts of a connection, and how often they occur; parts without a share are omitted.
    #[must_use]
    pub fn parts(&self) -> Vec<(Work, f64)> {
        let transfer = if self.sends { Work::Send } else { Work::Receive };
        let all = [
            (Work::Full(self.key.clone()), 1.0 - self.resumed),
            (Work::Resumed, self.resumed),
            (transfer, self.bytes / f64::from(RECORD_BYTES)),
        ];
        all.into_iter().filter(|(_, times)| *times > 0.0).collect()
    }

    /// Everything that is measured for it: its parts, and the memory of an idle connection.
    #[must_use]
    pub fn works(&self) -> Vec<Work> {
        let parts = self.parts().into_iter().map(|(work, _)| work);
        parts.chain([Work::Idle]).collect()
    }
}

/// A line `FIELD = WORD` with the word in quotes, as TOML requires; other lines unchanged.
fn with_quotes(line: &str) -> String {
    let Some((field, value)) = line.split_once('=') else { return line.to_owned() };
    let word = value.trim();
    let is_word = word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
        && !["true", "false", "nan", "inf"].contains(&word);
    if is_word { format!("{field}= \"{word}\"") } else { line.to_owned() }
}

/// A mix that people often have.
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    title: &'static str,
    /// Its assumptions, and their reasons.
    pub assumes: &'static str,
    side: Side,
    key: &'static str,
    resumed: f64,
    kib: f64,
    sends: bool,
}

/// All profiles.
pub const PROFILES: [Profile; 7] = [
    Profile {
        name: "web-server",
        title: "Web server",
        assumes: "half of the connections resume, as browsers come back; a page of 100 KiB goes out on each",
        side: Side::Server,
        key: "ecdsa-p256 x25519",
        resumed: 0.5,
        kib: 100.0,
        sends: true,
    },
    Profile {
        name: "post-quantum",
        title: "Web server with a post-quantum key exchange",
        assumes: "as web-server, but full handshakes use X25519MLKEM768, as those of current browsers do",
        side: Side::Server,
        key: "ecdsa-p256 x25519mlkem768",
        resumed: 0.5,
        kib: 100.0,
        sends: true,
    },
    Profile {
        name: "api-client",
        title: "API client",
        assumes: "a program keeps few sessions, so one connection in five resumes; each receives 10 KiB; the client verifies chain and name",
        side: Side::Client,
        key: "ecdsa-p256 x25519",
        resumed: 0.2,
        kib: 10.0,
        sends: false,
    },
    Profile {
        name: "reconnecting",
        title: "Client that reconnects often",
        assumes: "a poller or a phone keeps its ticket: 95 connections of 100 resume, and each receives 4 KiB",
        side: Side::Client,
        key: "ecdsa-p256 x25519",
        resumed: 0.95,
        kib: 4.0,
        sends: false,
    },
    Profile {
        name: "iot",
        title: "Devices",
        assumes: "a device resumes nine times in ten and sends 1 KiB each time",
        side: Side::Client,
        key: "ecdsa-p256 x25519",
        resumed: 0.9,
        kib: 1.0,
        sends: true,
    },
    Profile {
        name: "bulk",
        title: "Bulk transfer",
        assumes: "each connection sends 100 MiB, so that handshakes hardly count",
        side: Side::Server,
        key: "ecdsa-p256 x25519",
        resumed: 0.0,
        kib: 102_400.0,
        sends: true,
    },
    Profile {
        name: "mesh",
        title: "Service mesh",
        assumes: "both sides show certificates; connections live long, so one in five resumes and each carries 1 MiB",
        side: Side::Server,
        key: "mutual ecdsa-p256 x25519",
        resumed: 0.2,
        kib: 1024.0,
        sends: true,
    },
];

impl Profile {
    /// Its mix.
    #[must_use]
    pub fn mix(&self) -> Mix {
        Mix {
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            assumes: self.assumes.to_owned(),
            side: self.side,
            key: self.key.to_owned(),
            resumed: self.resumed,
            bytes: self.kib * 1024.0,
            sends: self.sends,
            metric: "time".to_owned(),
        }
    }
}

/// The mixes of all profiles.
#[must_use]
pub fn profiles() -> Vec<Mix> {
    PROFILES.iter().map(Profile::mix).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_with_defaults_and_errors_name_the_field() {
        let mix = Mix::read("mine", "side = \"client\"\nresumed_percent = 25\nmutual = true").unwrap();
        assert_eq!(
            (mix.side, mix.resumed, mix.key.as_str()),
            (Side::Client, 0.25, "mutual ecdsa-p256 x25519")
        );
        assert_eq!(
            mix.assumes,
            "25 % of connections resume; the client sends 100 KiB on each; full handshakes with mutual ecdsa-p256 x25519"
        );
        for (text, field) in [
            ("resumed_percent = 101", "resumed_percent"),
            ("resumed_percent = nan", "resumed_percent"),
            ("kib_per_connection = -1", "kib_per_connection"),
            ("side = \"middle\"", "side"),
            ("direction = \"up\"", "direction"),
            ("colour = \"green\"", "colour"),
            ("side = ", "side"),
        ] {
            assert!(Mix::read("mine", text).unwrap_err().contains(field), "{text}");
        }
    }

    #[test]
    fn fields_of_a_profile_can_be_changed() {
        let mesh = profiles().into_iter().find(|mix| mix.name == "mesh").unwrap();
        let mix = mesh.changed("resumed_percent=80, key=rsa-2048,direction=receives").unwrap();
        assert_eq!((mix.resumed, mix.sends, mix.key.as_str()), (0.8, false, "mutual rsa-2048 x25519"));
        assert_eq!(mix.bytes, mesh.bytes, "the rest is that of the profile");
        let file = Mix::read("f", "key = rsa-2048\nside = \"client\"\nmutual = true").unwrap();
        assert_eq!(
            (file.key.as_str(), file.side),
            ("mutual rsa-2048 x25519", Side::Client),
            "quotes may be omitted"
        );
        assert_eq!(mesh.changed("resumed_percent=20,").unwrap().resumed, 0.2);
        assert_eq!(mesh.changed("mutual=false").unwrap().key, "ecdsa-p256 x25519");
        for (fields, says) in
            [("colour=red", "colour"), ("resumed_percent=x", "resumed_percent"), ("key", "key")]
        {
            assert!(mesh.changed(fields).unwrap_err().contains(says), "{fields}");
        }
    }

    #[test]
    fn what_has_no_share_is_not_asked_for() {
        for mix in profiles() {
            assert_eq!(mix.parts().len(), if mix.resumed > 0.0 { 3 } else { 2 }, "{}", mix.name);
            assert_eq!(mix.works().last(), Some(&Work::Idle));
        }
    }
}
