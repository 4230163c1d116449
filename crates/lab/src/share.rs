//! Shares as text.

/// `0.5 %`.
pub fn share_text(share: f64) -> String {
    let percent = (share * 1e6).round() / 1e4;
    format!("{percent} %")
}
