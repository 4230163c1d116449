//! Numbers for readers: with appropriate precision, grouped thousands and a true minus sign; and nouns in
//! singular or plural.

use std::fmt::Display;

/// A whole number with commas between thousands: `−1,234`.
pub fn whole(number: impl Display) -> String {
    grouped(&number.to_string())
}

/// A number with its noun: `1 cell`, `2 cells`, `1,200 anomalies`.
pub fn counted(number: impl Display, noun: &str) -> String {
    match number.to_string().as_str() {
        "1" => format!("1 {noun}"),
        number => format!("{} {}", grouped(number), plural(noun)),
    }
}

/// A value rounded to `digits` significant digits: `1,230`, `0.000123`.
pub fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return whole(value + 0.0);
    }
    rounded(value, decimals(value.abs(), digits))
}

/// A measured value: four significant digits, and all digits before the point: `73.26`, `39,415`, `7`.
pub fn figure(value: f64) -> String {
    if value.fract() == 0.0 || !value.is_finite() {
        return whole(value + 0.0);
    }
    rounded(value, decimals(value.abs(), 4).max(0))
}

/// As [`figure`], with a sign: `+39,415`, `−7.382`.
pub fn signed(value: f64) -> String {
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", figure(value))
}

/// A value rounded to `decimals` places; negative for tens, hundreds, ….
pub fn rounded(value: f64, decimals: i32) -> String {
    let scale = 10_f64.powi(-decimals);
    let value = if decimals < 0 { (value / scale).round() * scale } else { value };
    grouped(&format!("{value:.*}", decimals.max(0) as usize))
}

/// The number of decimals with which a positive number has `digits` significant digits; negative for tens,
/// hundreds, ….
pub fn decimals(number: f64, digits: i32) -> i32 {
    let magnitude = number.log10().floor() as i32;
    // 9.96 with two digits is 10: one place fewer.
    let carried = (number / 10_f64.powi(magnitude + 1 - digits)).round() >= 10_f64.powi(digits);
    (digits - 1 - magnitude - i32::from(carried)).clamp(-15, 9)
}

/// A configured share (0 to 1), such as a threshold or a confidence: `0.5 %`, `99 %`.
pub fn percent(share: f64) -> String {
    grouped(&format!("{} %", (share * 1e6).round() / 1e4))
}

/// A roughly known share (0 to 1), such as a rate from few trials: `80 %`, `3.6 %`.
pub fn rough_percent(share: f64) -> String {
    let percent = 100.0 * share;
    let scale = if percent == 0.0 { 1.0 } else { 10_f64.powi(decimals(percent.abs(), 2).clamp(0, 3)) };
    grouped(&format!("{} %", (percent * scale).round() / scale))
}

/// A measured share (0 to 1): `45.3 %`, `0.80 %`, `0.038 %`.
pub fn measured_percent(share: f64) -> String {
    format!("{} %", bare_percent(share, percent_decimals(share)))
}

/// As [`measured_percent`], with a sign: `+1.20 %`, `−0.038 %`.
pub fn signed_percent(share: f64) -> String {
    format!("{} %", bare_signed_percent(share, percent_decimals(share)))
}

/// A ratio as a change: `+1.20 %`, and `3.60×` from 2 on.
pub fn change(ratio: f64) -> String {
    match ratio >= 2.0 && ratio.is_finite() {
        true => format!("{}×", rounded(ratio, decimals(ratio, 3).max(0))),
        false => signed_percent(ratio - 1.0),
    }
}

/// A share in per cent with its sign and this number of decimals, without the unit: `+1.20`. A value that
/// rounds to 0 has no sign.
pub fn bare_signed_percent(share: f64, decimals: usize) -> String {
    let text = bare_percent(share, decimals);
    if share > 0.0 && !is_zero(&text) { format!("+{text}") } else { text }
}

/// The number of decimals of a measured share in per cent.
pub fn percent_decimals(share: f64) -> usize {
    match 100.0 * share.abs() {
        0.0 => 0,
        ..0.01 => 4,
        ..0.1 => 3,
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    }
}

fn bare_percent(share: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", 100.0 * share);
    grouped(if is_zero(&text) { text.trim_start_matches('-') } else { &text })
}

fn is_zero(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'))
}

/// A number of bytes: in KiB or MiB if that is a whole number.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        0 => "0 B".to_owned(),
        _ if bytes.is_multiple_of(1024 * 1024) => format!("{} MiB", bytes / (1024 * 1024)),
        _ if bytes.is_multiple_of(1024) => format!("{} KiB", bytes / 1024),
        _ => format!("{} B", whole(bytes)),
    }
}

/// Seconds in one or two units: `38 s`, `7 min`, `1 min 40 s`, `3 h 5 min`, `2 d 4 h`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    let ((large, each), (small, of_small)) = match whole {
        0..60 => return format!("{whole} s"),
        60..3_600 => (("min", 60), ("s", 1)),
        3_600..86_400 => (("h", 3_600), ("min", 60)),
        _ => (("d", 86_400), ("h", 3_600)),
    };
    match whole % each / of_small {
        0 => format!("{} {large}", whole / each),
        rest => format!("{} {large} {rest} {small}", whole / each),
    }
}

/// Groups the thousands of a decimal number with commas, and writes a true minus sign.
fn grouped(number: &str) -> String {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |rest| ("−", rest));
    let whole = number.bytes().take_while(u8::is_ascii_digit).count();
    let mut text = sign.to_owned();
    for (at, letter) in number.chars().enumerate() {
        if at > 0 && at < whole && (whole - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(letter);
    }
    text
}

fn plural(noun: &str) -> String {
    let is_after_vowel = |stem: &str| stem.ends_with(['a', 'e', 'o', 'u']);
    match noun.strip_suffix('y').filter(|stem| !is_after_vowel(stem)) {
        _ if noun.ends_with("series") => noun.to_owned(),
        Some(stem) => format!("{stem}ies"),
        None if noun.ends_with(['s', 'x']) || noun.ends_with("ch") => format!("{noun}es"),
        None => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of examples: value and text.
    #[track_caller]
    fn assert_reads<T: Copy + std::fmt::Debug>(write: impl Fn(T) -> String, examples: &[(T, &str)]) {
        for (value, expected) in examples {
            assert_eq!(write(*value), *expected, "{value:?}");
        }
    }

    #[test]
    fn counts_have_groups_and_nouns_in_the_right_number() {
        assert_reads(whole, &[(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "−1,234,567")]);
        let of = |noun| move |number| counted(number, noun);
        assert_reads(of("cell"), &[(0, "0 cells"), (1, "1 cell"), (2, "2 cells"), (1_200, "1,200 cells")]);
        assert_reads(of("suspected change"), &[(1, "1 suspected change"), (3, "3 suspected changes")]);
        assert_reads(of("anomaly"), &[(1, "1 anomaly"), (2, "2 anomalies")]);
        assert_reads(of("process"), &[(1, "1 process"), (2, "2 processes")]);
        assert_reads(of("key"), &[(2, "2 keys")]);
        assert_reads(of("branch"), &[(2, "2 branches")]);
        assert_reads(of("series"), &[(1, "1 series"), (5, "5 series")]);
    }

    #[test]
    fn figures_have_four_digits_and_all_before_the_point() {
        let figures = [(73.256, "73.26"), (39_415.0, "39,415"), (39_415.4, "39,415"), (7.3824, "7.382")];
        assert_reads(figure, &figures);
        assert_reads(figure, &[(0.0, "0"), (12.0, "12"), (12.5, "12.50"), (-0.012_345, "−0.01235")]);
        assert_reads(
            signed,
            &[(3.0, "+3"), (-3.0, "−3"), (0.0, "0"), (1_234.5, "+1,234"), (9.999_9, "+10.00")],
        );
    }

    #[test]
    fn significant_digits_are_as_many_as_asked_for() {
        let three = |value| significant(value, 3);
        assert_reads(three, &[(1_234.5, "1,230"), (0.000_123_46, "0.000123"), (0.0, "0"), (999.9, "1,000")]);
        assert_eq!(significant(-1_234_567.0, 4), "−1,235,000");
        assert_eq!([rounded(81_234.0, -1), rounded(1.005, 1)], ["81,230", "1.0"]);
    }

    #[test]
    fn shares_are_per_cent_with_the_digits_that_they_deserve() {
        assert_reads(
            percent,
            &[(0.005, "0.5 %"), (0.99, "99 %"), (0.0025, "0.25 %"), (0.0, "0 %"), (-0.1, "−10 %")],
        );
        assert_reads(rough_percent, &[(0.8, "80 %"), (0.036_21, "3.6 %"), (0.708, "71 %"), (1.0, "100 %")]);
        assert_reads(rough_percent, &[(0.0, "0 %"), (0.005, "0.5 %"), (0.000_66, "0.066 %"), (1e-9, "0 %")]);
        assert_reads(measured_percent, &[(0.4531, "45.3 %"), (0.008, "0.80 %"), (0.000_38, "0.038 %")]);
        assert_reads(measured_percent, &[(0.0, "0 %"), (2.046, "205 %"), (0.000_02, "0.0020 %")]);
        assert_reads(
            signed_percent,
            &[(0.012, "+1.20 %"), (-0.5, "−50.0 %"), (0.0, "0 %"), (-1e-9, "0.0000 %")],
        );
        assert_reads(change, &[(1.012, "+1.20 %"), (1.999, "+99.9 %"), (3.6, "3.60×"), (1_234.0, "1,234×")]);
        assert_eq!([bare_signed_percent(0.012, 1), bare_signed_percent(-0.012, 3)], ["+1.2", "−1.200"]);
    }

    #[test]
    fn bytes_and_durations_have_their_units() {
        let bytes_ =
            [(0, "0 B"), (517, "517 B"), (16_384, "16 KiB"), (1_048_576, "1 MiB"), (100_000, "100,000 B")];
        assert_reads(bytes, &bytes_);
        assert_reads(duration, &[(0.4, "0 s"), (59.6, "1 min"), (100.0, "1 min 40 s"), (420.0, "7 min")]);
        assert_reads(duration, &[(7_300.0, "2 h 1 min"), (187_200.0, "2 d 4 h")]);
    }
}
