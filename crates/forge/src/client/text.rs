//! Texts within the limits of forges and of addresses.

/// Up to so many characters; an ellipsis shows that it was longer.
pub(super) fn clip(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(most.saturating_sub(1)).collect();
    kept.push('…');
    kept
}

/// Up to so many bytes; an ellipsis shows that it was longer.
pub(super) fn clip_bytes(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub('…'.len_utf8());
    let end = (0..=room).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}…", &text[..end])
}

/// As one part of a path or as a value in a query.
pub(super) fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded += &format!("%{byte:02X}");
        }
    }
    // Both would be taken for a folder.
    match encoded.as_str() {
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        _ => encoded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(clip("größe", 5), "größe");
        assert_eq!(clip("größer", 5), "größ…");
        for most in 3..20 {
            let cut = clip_bytes("größer als größer", most);
            assert!(cut.len() <= most && cut.ends_with(['…', 'r']), "{most} {cut}");
        }
        assert_eq!(clip_bytes("größer", 8), "größer");
        assert_eq!(clip_bytes("größer", 7), "grö…");
    }

    #[test]
    fn a_name_stays_one_part_of_an_address() {
        assert_eq!(encode("feature/x y"), "feature%2Fx%20y");
        assert_eq!(encode("lab[bot]"), "lab%5Bbot%5D");
        assert_eq!(encode("ä?#&%"), "%C3%A4%3F%23%26%25");
        assert_eq!(encode(".."), "%2E%2E");
    }
}
