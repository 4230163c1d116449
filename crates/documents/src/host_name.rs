//! Names of hosts: in names of files, and above columns.

use std::fmt;
use std::str::FromStr;

use tlslab_record::Fingerprint;
use tlslab_reproduction::processor;

/// The longest name of a host.
const LONGEST: usize = 40;

/// A host's name in the name of a file: lowercase letters, digits and hyphens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostName(String);

impl FromStr for HostName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_name = text.len() <= LONGEST
            && text.bytes().next().is_some_and(is_letter)
            && text.bytes().all(|byte| is_letter(byte) || byte == b'-');
        match is_name {
            true => Ok(Self(text.to_owned())),
            false => Err(format!(
                "a host's name has 1 to {LONGEST} lowercase letters, digits and hyphens, and begins with a letter or a digit"
            )),
        }
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl HostName {
    /// From a host's processor: `intel-xeon-platinum-8375c`.
    pub(crate) fn of(host: &Fingerprint) -> Self {
        let name = processor(host).to_lowercase();
        let words =
            name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let mut text = words.collect::<Vec<_>>().join("-");
        text.truncate(LONGEST);
        Self(if text.is_empty() { "host".to_owned() } else { text })
    }
}

/// The names of hosts' columns: their processors, with the host's name in the file if two are alike.
pub(crate) fn column_names(hosts: &[(Option<HostName>, &Fingerprint)]) -> Vec<String> {
    let names: Vec<String> = hosts.iter().map(|(_, host)| processor(host)).collect();
    let name = |(at, (own, _)): (usize, &(Option<HostName>, &Fingerprint))| {
        let is_alone = names.iter().filter(|name| **name == names[at]).count() == 1;
        match own {
            _ if is_alone && !names[at].is_empty() => names[at].clone(),
            Some(own) => format!("{} ({own})", names[at]),
            None => format!("{} (first)", names[at]),
        }
    };
    hosts.iter().enumerate().map(name).map(|name| name.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: Option<&str>) -> Fingerprint {
        let mut host = Fingerprint::default();
        host.cpu.name = name.map(str::to_owned);
        host
    }

    #[test]
    fn a_name_is_small_and_stays_in_its_folder() {
        for right in ["a", "intel-xeon-6", "7"] {
            assert_eq!(right.parse::<HostName>().unwrap().to_string(), right);
        }
        for wrong in ["", "-a", "A", "a.b", "../a", "a/b", "ä", &"a".repeat(41)] {
            assert!(wrong.parse::<HostName>().unwrap_err().contains("lowercase letters"), "{wrong}");
        }
    }

    #[test]
    fn a_host_is_called_after_its_processor_whatever_that_reports() {
        let of = |name: &str| HostName::of(&host(Some(name))).to_string();
        assert_eq!(of("Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz"), "intel-xeon-platinum-8375c");
        assert_eq!(of("AMD EPYC"), "amd-epyc");
        assert_eq!(of("../../etc/passwd"), "etc-passwd");
        assert_eq!(of("é"), "host");
        let longest = of(&"very long ".repeat(20));
        assert!(longest.len() <= LONGEST && longest.parse::<HostName>().is_ok(), "{longest}");
        let mut arm = host(None);
        arm.cpu.vendor = Some("0x41".to_owned());
        arm.cpu.features = Some(vec!["asimd".to_owned()]);
        assert_eq!(HostName::of(&arm).to_string(), "aarch64-0x41");
    }

    #[test]
    fn columns_of_like_processors_are_told_apart() {
        let (epyc, xeon) = (host(Some("AMD EPYC")), host(Some("Intel(R) Xeon(R) Processor")));
        let second = || Some("second".parse().unwrap());
        assert_eq!(column_names(&[(None, &epyc), (second(), &xeon)]), ["AMD EPYC", "Intel Xeon"]);
        assert_eq!(
            column_names(&[(None, &epyc), (second(), &epyc)]),
            ["AMD EPYC (first)", "AMD EPYC (second)"]
        );
    }
}
