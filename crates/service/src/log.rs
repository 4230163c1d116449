//! The service's log: lines on standard error, which systemd and containers keep.

/// Writes a line. Control characters of others are escaped.
pub(crate) fn log(text: &str) {
    // The messages of a test are not lost among those of the thousands of services that the model plays.
    if cfg!(test) {
        return;
    }
    let text: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    eprintln!("{} {text}", jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ"));
}
