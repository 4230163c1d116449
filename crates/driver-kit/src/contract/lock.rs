//! Versions out of a driver's own lock file, for libraries that cannot report theirs at run time.

/// The version that `package` has in a `Cargo.lock`; where there are several, the first.
///
/// A driver calls it with `include_str!("../Cargo.lock")`: the lock file that its own build used.
pub fn locked_version<'l>(lock: &'l str, package: &str) -> Option<&'l str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::locked_version;

    const LOCK: &str = "[[package]]\nname = \"ring\"\nversion = \"0.17.14\"\n\n[[package]]\nname = \"rustls\"\n\
                        version = \"0.23.46\"\ndependencies = [\n \"ring\",\n]\n";

    #[test]
    fn finds_a_package_and_not_its_mention() {
        assert_eq!(locked_version(LOCK, "ring"), Some("0.17.14"));
        assert_eq!(locked_version(LOCK, "rustls"), Some("0.23.46"));
        assert_eq!(locked_version(LOCK, "webpki"), None);
    }
}
