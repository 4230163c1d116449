//! Mixes of work: what connections do.

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
    /// What it assumes, and why.
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

/// A mix as a file says it. What it leaves out is that of the first profile.
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
    /// The field that is wrong, and what it may be.
    pub fn read(name: &str, text: &str) -> Result<Self, String> {
        let table = toml::Deserializer::parse(text).map_err(|cause| cause.to_string())?;
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

    /// The parts that a connection of it has, and how often: what has no share is not asked for.
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

/// The names of the profiles.
pub const PROFILE_NAMES: [&str; 5] = ["web-server", "api-client", "iot", "bulk", "mesh"];

/// Mixes that people often have.
#[must_use]
pub fn profiles() -> Vec<Mix> {
    let mix = |name: &str, title: &str, assumes: &str, side, key: &str, resumed, kib: f64, sends| Mix {
        name: name.to_owned(),
        title: title.to_owned(),
        assumes: assumes.to_owned(),
        side,
        key: key.to_owned(),
        resumed,
        bytes: kib * 1024.0,
        sends,
        metric: "time".to_owned(),
    };
    vec![
        mix(
            "web-server",
            "Web server",
            "half of the connections resume, as browsers come back; a page of 100 KiB goes out on each",
            Side::Server,
            "ecdsa-p256 x25519",
            0.5,
            100.0,
            true,
        ),
        mix(
            "api-client",
            "API client",
            "a program keeps few sessions, so one connection in five resumes; each receives 10 KiB; the client verifies chain and name",
            Side::Client,
            "ecdsa-p256 x25519",
            0.2,
            10.0,
            false,
        ),
        mix(
            "iot",
            "Devices",
            "a device resumes nine times in ten and sends 1 KiB each time",
            Side::Client,
            "ecdsa-p256 x25519",
            0.9,
            1.0,
            true,
        ),
        mix(
            "bulk",
            "Bulk transfer",
            "handshakes hardly count beside 100 MiB that each connection sends",
            Side::Server,
            "ecdsa-p256 x25519",
            0.0,
            102_400.0,
            true,
        ),
        mix(
            "mesh",
            "Service mesh",
            "both sides show certificates; connections live long, so one in five resumes and each carries 1 MiB",
            Side::Server,
            "mutual ecdsa-p256 x25519",
            0.2,
            1024.0,
            true,
        ),
    ]
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
    fn what_has_no_share_is_not_asked_for() {
        assert_eq!(profiles().iter().map(|mix| mix.name.as_str()).collect::<Vec<_>>(), PROFILE_NAMES);
        for mix in profiles() {
            assert_eq!(mix.parts().len(), if mix.resumed > 0.0 { 3 } else { 2 }, "{}", mix.name);
            assert_eq!(mix.works().last(), Some(&Work::Idle));
        }
    }
}
