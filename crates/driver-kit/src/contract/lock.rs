//! Versions from a driver's own lock file, for libraries that cannot report theirs at run time.

/// The version of `package` in a `Cargo.lock`; the first if there are several.
///
/// A driver calls it with `include_str!("../Cargo.lock")`: the lock file of its own build.
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
