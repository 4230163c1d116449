//! The output of `openssl speed`: tables for people and, with `-mr`, lines for programs, which begin with
//! `+`. OpenSSL 1.1.1 and later.

use crate::checks::Rows;
use crate::{ForeignValue, Parsed, Text};

const NEXT: &str = "write the output of openssl speed or openssl speed -mr to a file";

/// The table that a line belongs to.
enum Table<'t> {
    None,
    /// Bytes per second by the size of blocks, bytes.
    Sizes(Vec<&'t str>),
    /// Columns by their heading; those that end with `/s` are rates.
    Columns(Vec<&'t str>),
}

/// Parses one output of either kind: `throughput` in bytes/s for each algorithm and block size, which
/// together are a benchmark's name, and `sign`, `verify`, `keygen`, `encaps` and the like in ops/s for each
/// kind of key. Times per operation are ignored: they are the same with fewer digits. The lines for programs
/// have numbers instead of the names of curves, KEMs and signatures.
pub fn openssl_speed(text: Text<'_>) -> Parsed {
    let mut rows = Rows::new(text);
    let mut table = Table::None;
    let mut sizes: Vec<&str> = Vec::new();
    for (line, number) in text.text.lines().zip(1..) {
        let row = format!("line {number}");
        if let Some(numbers) = line.strip_prefix("+H:") {
            sizes = numbers.split(':').collect();
        } else if let Some(fields) = line.strip_prefix("+F:") {
            take(&mut rows, row, by_size(fields, &sizes));
        } else if let Some(fields) = line.strip_prefix("+F") {
            take(&mut rows, row, by_operation(fields));
        } else if line.starts_with("Doing ") || line.starts_with('+') {
            // Progress messages, which some shells insert between the lines of a table.
        } else if line.trim().is_empty() {
            table = Table::None;
        } else if let Some(begun) = head(line) {
            table = begun;
        } else {
            let read = match &table {
                Table::None => continue,
                Table::Sizes(sizes) => size_row(line, sizes),
                Table::Columns(columns) => column_row(line, columns),
            };
            take(&mut rows, row, read);
        }
    }
    rows.parsed("the output of openssl speed")
}

fn take(rows: &mut Rows<'_>, row: String, read: Result<Vec<ForeignValue>, String>) {
    match read {
        Ok(values) => values.into_iter().for_each(|value| rows.add(row.clone(), value)),
        Err(cause) => rows.bad(row, cause, NEXT),
    }
}

/// The table that a line begins, if any.
fn head(line: &str) -> Option<Table<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if let ["type", sizes @ ..] = &words[..]
        && !sizes.is_empty()
        && sizes
            .chunks(2)
            .all(|pair| matches!(pair, [size, "bytes"] if size.bytes().all(|b| b.is_ascii_digit())))
    {
        return Some(Table::Sizes(sizes.iter().step_by(2).copied().collect()));
    }
    let is_column = |word: &&str| word.ends_with("/s") || operation(word).is_some();
    let is_head = words.last().is_some_and(|last| last.ends_with("/s")) && words.iter().all(is_column);
    is_head.then_some(Table::Columns(words))
}

/// The operation of a column.
fn operation(column: &str) -> Option<&'static str> {
    Some(match column.trim_end_matches("/s").trim_end_matches('.') {
        "sign" | "signs" => "sign",
        "verify" => "verify",
        "encrypt" | "encr" => "encrypt",
        "decrypt" | "decr" => "decrypt",
        "op" => "operation",
        "keygen" | "keygens" => "keygen",
        "encaps" => "encaps",
        "decaps" => "decaps",
        _ => return None,
    })
}

fn size_row(line: &str, sizes: &[&str]) -> Result<Vec<ForeignValue>, String> {
    let (name, cells) = cells(line, sizes.len())?;
    // Thousands of bytes, or bytes for slow algorithms.
    let value = |cell: &&str| match cell.strip_suffix('k') {
        Some(thousands) => Ok(1000.0 * number(thousands)?),
        None => number(cell),
    };
    let values: Vec<f64> = cells.iter().map(value).collect::<Result<_, String>>()?;
    Ok(throughputs(&name, sizes, &values))
}

fn column_row(line: &str, columns: &[&str]) -> Result<Vec<ForeignValue>, String> {
    let (name, cells) = cells(line, columns.len())?;
    let mut values = Vec::new();
    for (column, cell) in columns.iter().zip(cells) {
        match (column.ends_with("/s"), operation(column)) {
            (true, Some(operation)) => {
                values.push(ForeignValue::one(&name, operation, "ops/s", number(cell)?));
            }
            (true, None) => return Err(format!("its column {column} is not known")),
            (false, _) => _ = number(cell.strip_suffix('s').unwrap_or(cell))?,
        }
    }
    Ok(values)
}

/// The name before this number of cells, and the cells.
fn cells(line: &str, count: usize) -> Result<(String, Vec<&str>), String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.len().checked_sub(count) {
        Some(names @ 1..) => Ok((words[..names].join(" "), words[names..].to_vec())),
        _ => Err(format!("it has {} words; its table has {count} columns and a name", words.len())),
    }
}

fn throughputs(name: &str, sizes: &[&str], values: &[f64]) -> Vec<ForeignValue> {
    let one = |(size, value): (&&str, &f64)| {
        ForeignValue::one(&format!("{name} {size} bytes"), "throughput", "bytes/s", *value)
    };
    sizes.iter().zip(values).map(one).collect()
}

/// Parses `NUMBER:NAME:BYTES PER SECOND:…`.
fn by_size(fields: &str, sizes: &[&str]) -> Result<Vec<ForeignValue>, String> {
    if sizes.is_empty() {
        return Err("there is no line +H with the sizes of blocks before it".to_owned());
    }
    let fields: Vec<&str> = fields.split(':').collect();
    let named = fields.len().checked_sub(sizes.len()).filter(|named| *named >= 2);
    let named = named.ok_or_else(|| format!("it has fewer values than the {} sizes of +H", sizes.len()))?;
    let values: Vec<f64> = fields[named..].iter().map(|field| number(field)).collect::<Result<_, _>>()?;
    Ok(throughputs(&fields[1..named].join(":"), sizes, &values))
}

/// Parses `KIND:NUMBER:…`, as in `+F2` to `+F10`.
fn by_operation(fields: &str) -> Result<Vec<ForeignValue>, String> {
    let fields: Vec<&str> = fields.split(':').collect();
    let (name, operations, values): (String, &[&str], &[&str]) = match &fields[..] {
        ["2", _, bits, values @ ..] => {
            (format!("rsa {bits} bits"), &["sign", "verify", "encrypt", "decrypt"], values)
        }
        ["3", _, bits, values @ ..] => (format!("dsa {bits} bits"), &["sign", "verify"], values),
        ["4", curve, bits, values @ ..] => {
            (format!("{bits} bits ecdsa (curve {curve})"), &["sign", "verify"], values)
        }
        ["5", curve, bits, rate, _] => {
            (format!("{bits} bits ecdh (curve {curve})"), &["operation"], std::slice::from_ref(rate))
        }
        ["6", _, bits, curve, values @ ..] => {
            (format!("{bits} bits EdDSA ({curve})"), &["sign", "verify"], values)
        }
        ["7", _, bits, curve, values @ ..] => {
            (format!("{bits} bits SM2 ({curve})"), &["sign", "verify"], values)
        }
        ["8", _, bits, rate, _] => (format!("{bits} bits ffdh"), &["operation"], std::slice::from_ref(rate)),
        ["9", kem, values @ ..] => (format!("KEM {kem}"), &["keygen", "encaps", "decaps"], values),
        ["10", kind, values @ ..] => (format!("signature {kind}"), &["keygen", "sign", "verify"], values),
        _ => return Err("its kind is unknown, or it has a wrong number of values".to_owned()),
    };
    if values.is_empty() || values.len() > operations.len() {
        return Err(format!("it has {} values", values.len()));
    }
    let rates: Vec<f64> = values.iter().map(|value| number(value)).collect::<Result<_, _>>()?;
    if rates.iter().all(|rate| *rate < 1.0) {
        return Err("its values are below 1, as of OpenSSL before 1.1.1, which wrote seconds here".to_owned());
    }
    let one = |(operation, rate): (&&str, &f64)| ForeignValue::one(&name, operation, "ops/s", *rate);
    Ok(operations.iter().zip(&rates).map(one).collect())
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("{text:?} is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Parsed {
        openssl_speed(Text { file: "o.txt", text })
    }

    fn seen(values: &[ForeignValue]) -> Vec<(&str, &str, &str, f64)> {
        values.iter().map(|value| (&*value.benchmark, &*value.metric, &*value.unit, value.value)).collect()
    }

    #[test]
    fn tables_for_people_have_throughputs_and_rates() {
        let values = read(include_str!("../../../fuzz/seeds/foreign_file/openssl_speed.txt")).unwrap();
        let expected = [
            ("sha256 16 bytes", "throughput", "bytes/s", 90_000_500.0),
            ("sha256 16384 bytes", "throughput", "bytes/s", 1_772_300_190.0),
            ("des ede3 16 bytes", "throughput", "bytes/s", 9000.5),
            ("des ede3 16384 bytes", "throughput", "bytes/s", 30_000_000.0),
            ("rsa 2048 bits", "sign", "ops/s", 3432.5),
            ("rsa 2048 bits", "verify", "ops/s", 62306.1),
            ("rsa 2048 bits", "encrypt", "ops/s", 60000.0),
            ("rsa 2048 bits", "decrypt", "ops/s", 3400.0),
            ("256 bits ecdsa (nistp256)", "sign", "ops/s", 44937.2),
            ("256 bits ecdsa (nistp256)", "verify", "ops/s", 15789.2),
            ("253 bits ecdh (X25519)", "operation", "ops/s", 34148.7),
            ("ML-KEM-768", "keygen", "ops/s", 50000.0),
            ("ML-KEM-768", "encaps", "ops/s", 60000.0),
            ("ML-KEM-768", "decaps", "ops/s", 40000.0),
        ];
        assert_eq!(seen(&values), expected);
    }

    #[test]
    fn lines_for_programs_have_the_same() {
        let values = read(include_str!("../../../fuzz/seeds/foreign_file/openssl_speed_mr.txt")).unwrap();
        let expected = [
            ("AES-128-GCM 16 bytes", "throughput", "bytes/s", 47_245_951.22),
            ("AES-128-GCM 16384 bytes", "throughput", "bytes/s", 6_139_708_952.38),
            ("rsa 2048 bits", "sign", "ops/s", 3437.5),
            ("rsa 2048 bits", "verify", "ops/s", 63_091.891_892),
            ("256 bits ecdsa (curve 3)", "sign", "ops/s", 45_229.113_924),
            ("256 bits ecdsa (curve 3)", "verify", "ops/s", 15_457.333_333),
            ("253 bits ecdh (curve 22)", "operation", "ops/s", 34_500.0),
            ("253 bits EdDSA (Ed25519)", "sign", "ops/s", 29_038.571_429),
            ("253 bits EdDSA (Ed25519)", "verify", "ops/s", 10_862.5),
            ("2048 bits ffdh", "operation", "ops/s", 3_946.987_952),
        ];
        assert_eq!(seen(&values), expected);
    }

    #[test]
    fn what_is_wrong_is_reported_by_its_line() {
        let rows = |text: &str| -> Vec<(String, String)> {
            read(text).unwrap_err().into_iter().map(|bad| (bad.row, bad.cause)).collect()
        };
        let text = "type 16 bytes 64 bytes\nsha256 1.0k x2\nsha512 1.0k 2z0k\n";
        let expected = [("line 2", "\"x2\" is not a number"), ("line 3", "\"2z0\" is not a number")];
        assert_eq!(rows(text), expected.map(|(row, cause)| (row.to_owned(), cause.to_owned())));
        let old = rows("+F2:2:2048:0.000593:0.000018\n");
        assert!(old[0].1.ends_with("which wrote seconds here"), "{old:?}");
        assert!(rows("+F:1:sha256:5.0\n")[0].1.starts_with("there is no line +H"));
        assert_eq!(rows("+F11:1:2:3\n")[0].0, "line 1");
        assert_eq!(rows("version: 3.0.19\n")[0].1, "it has no values");
    }
}
