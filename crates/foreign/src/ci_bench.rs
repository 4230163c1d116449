//! CSV of rustls's `ci-bench`: `icounts.csv` with `NAME,INSTRUCTIONS`, `memory.csv` with
//! `NAME,BYTES,BLOCKS,PEAK BYTES,PEAK BLOCKS` of the heap, `walltime.csv` with `NAME,NS,NS,…`. There is no
//! header.

use std::path::Path;

use tlslab_stats::median;

use crate::checks::Rows;
use crate::{ForeignValue, Parsed, Text};

/// The metrics of a file by its number of columns, with their units.
fn columns(count: usize) -> Option<&'static [(&'static str, &'static str)]> {
    match count {
        2 => Some(&[("count.instructions", "instructions")]),
        5 => Some(&[
            ("heap.allocated", "bytes"),
            ("heap.allocations", "blocks"),
            ("heap.peak", "bytes"),
            ("heap.peak_blocks", "blocks"),
        ]),
        _ => None,
    }
}

/// Whether a file has times, by its name: rows may have any number of times, so columns do not show it.
fn has_times(file: &str) -> bool {
    let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("walltime") && name.ends_with(".csv")
}

/// Parses a file of rows. If a name ends with a side, that is the value's side and is removed from the
/// benchmark's name. A file whose name begins with `walltime` has times, ns: the value is their median, and
/// `raw` has all of them.
pub fn ci_bench(text: Text<'_>) -> Parsed {
    if has_times(text.file) {
        return times(text);
    }
    let mut rows = Rows::new(text);
    let mut expected = None;
    for (line, number) in text.text.lines().zip(1..) {
        if line.trim().is_empty() {
            continue;
        }
        let row = format!("line {number}");
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let Some(metrics) = columns(fields.len()) else {
            let cause = format!("it has {} columns", fields.len());
            rows.bad(row, cause, "write NAME,INSTRUCTIONS, or NAME and the four figures of the heap");
            continue;
        };
        if *expected.get_or_insert(fields.len()) != fields.len() {
            rows.bad(row, "its number of columns is not that of the first line", "give each file separately");
            continue;
        }
        let (benchmark, side) = split(fields[0]);
        for (field, (metric, unit)) in fields[1..].iter().zip(metrics) {
            match field.parse::<f64>() {
                Ok(value) => rows.add(
                    row.clone(),
                    ForeignValue {
                        benchmark: benchmark.to_owned(),
                        side: side.to_owned(),
                        metric: (*metric).to_owned(),
                        unit: (*unit).to_owned(),
                        value,
                        lower: None,
                        upper: None,
                        n: 1,
                        raw: Vec::new(),
                        better: None,
                    },
                ),
                Err(_) => rows.bad(
                    row.clone(),
                    format!("{field:?} is not a number"),
                    "write a number, without units",
                ),
            }
        }
    }
    rows.parsed("ci-bench's results")
}

fn times(text: Text<'_>) -> Parsed {
    let mut rows = Rows::new(text);
    for (line, number) in text.text.lines().zip(1..) {
        if line.trim().is_empty() {
            continue;
        }
        let row = format!("line {number}");
        let mut fields = line.split(',').map(str::trim);
        let (benchmark, side) = split(fields.next().unwrap_or_default());
        let raw: Result<Vec<f64>, &str> = fields.map(|field| field.parse().map_err(|_| field)).collect();
        match raw.map(|raw| (median(&raw), raw)) {
            Ok((_, raw)) if raw.is_empty() => rows.bad(row, "it has no times", "write NAME,NS,NS,…"),
            Ok((Ok(value), raw)) => rows.add(
                row,
                ForeignValue {
                    benchmark: benchmark.to_owned(),
                    side: side.to_owned(),
                    metric: "time".to_owned(),
                    unit: "ns".to_owned(),
                    value,
                    lower: None,
                    upper: None,
                    n: raw.len() as u64,
                    raw,
                    better: None,
                },
            ),
            Ok((Err(_), _)) => {
                rows.bad(row, "a time is not a finite number", "measure it again, or remove the row")
            }
            Err(field) => {
                rows.bad(row, format!("{field:?} is not a number"), "write a number, without units")
            }
        }
    }
    rows.parsed("ci-bench's times")
}

fn split(name: &str) -> (&str, &str) {
    ["client", "server"]
        .into_iter()
        .find_map(|side| Some((name.strip_suffix(side)?.strip_suffix('_')?, side)))
        .filter(|(benchmark, _)| !benchmark.is_empty())
        .unwrap_or((name, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Parsed {
        ci_bench(Text { file: "f.csv", text })
    }

    #[test]
    fn counts_have_a_name_a_side_and_a_value() {
        let values = read("handshake_ring_1.3_rsa_aes_client,2341\nother,7\n\n").unwrap();
        assert_eq!(values.len(), 2);
        let first = &values[0];
        assert_eq!(
            (&*first.benchmark, &*first.side, first.value),
            ("handshake_ring_1.3_rsa_aes", "client", 2341.0)
        );
        assert_eq!((&*first.metric, &*first.unit), ("count.instructions", "instructions"));
        assert_eq!((&*values[1].benchmark, &*values[1].side), ("other", ""));
    }

    #[test]
    fn memory_has_four_figures() {
        let values = read("a_server,10,2,8,1\n").unwrap();
        let figures: Vec<_> = values.iter().map(|value| (&*value.metric, value.value)).collect();
        let expected = [
            ("heap.allocated", 10.0),
            ("heap.allocations", 2.0),
            ("heap.peak", 8.0),
            ("heap.peak_blocks", 1.0),
        ];
        assert_eq!(figures, expected);
    }

    #[test]
    fn all_that_is_wrong_is_reported_at_once() {
        let bad = read("a,1\nb,x\nc\n,5\nd,inf\ne,1,2,3,4\n").unwrap_err();
        let described: Vec<String> = bad.iter().map(ToString::to_string).collect();
        assert_eq!(
            described,
            [
                "f.csv: line 2: \"x\" is not a number; write a number, without units",
                "f.csv: line 3: it has 1 columns; write NAME,INSTRUCTIONS, or NAME and the four figures of the heap",
                "f.csv: line 4: the name is empty; name it",
                "f.csv: line 5: inf is not a finite number; measure it again, or remove the row",
                "f.csv: line 6: its number of columns is not that of the first line; give each file separately",
            ]
        );
        assert_eq!(read("\n").unwrap_err()[0].cause, "it has no values");
    }

    #[test]
    fn nothing_is_less_than_nothing() {
        for text in ["a_client,-5\n", "a_client,1,2,3,-4\n"] {
            let bad = read(text).unwrap_err();
            assert!(bad[0].cause.ends_with(" is below zero"), "{}", bad[0]);
        }
    }

    #[test]
    fn times_are_as_many_as_there_were_iterations() {
        let read = |text| ci_bench(Text { file: "some/walltime.csv", text });
        let values = read("handshake_ring_1.2_rsa_aes,6035261,1714158,977368\nb,1,2,3,4\n").unwrap();
        let first = &values[0];
        assert_eq!(
            (&*first.benchmark, &*first.side, &*first.metric, &*first.unit),
            ("handshake_ring_1.2_rsa_aes", "", "time", "ns")
        );
        assert_eq!(
            (first.value, first.n, &first.raw[..]),
            (1_714_158.0, 3, &[6_035_261.0, 1_714_158.0, 977_368.0][..])
        );
        // Four columns of times are not heap figures.
        assert_eq!((&*values[1].metric, values[1].value), ("time", 2.5));
        let bad = read("a,1,x\nb\nc,inf\n").unwrap_err();
        let described: Vec<String> = bad.iter().map(ToString::to_string).collect();
        assert_eq!(
            described,
            [
                "some/walltime.csv: line 1: \"x\" is not a number; write a number, without units",
                "some/walltime.csv: line 2: it has no times; write NAME,NS,NS,…",
                "some/walltime.csv: line 3: a time is not a finite number; measure it again, or remove the row",
            ]
        );
    }
}
