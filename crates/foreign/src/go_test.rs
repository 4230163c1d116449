//! The output of `go test -bench`: a line per result, with a value and a unit for each measure, below `key:
//! value` lines. <https://go.dev/design/14313-benchmark-format>.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::Rows;
use crate::{ForeignBetter, ForeignValue, Parsed, Text};

const NEXT: &str = "write NAME ITERATIONS VALUE UNIT, as go test -bench does";

/// A line of results.
struct Line<'t> {
    number: usize,
    package: &'t str,
    name: &'t str,
    /// Pairs of value and unit.
    values: Vec<(f64, &'t str)>,
}

/// A file of lines: `time` in ns/op, `heap.allocated` in B/op, `heap.allocations` in allocs/op, `throughput`
/// in MB/s; any other measure has its unit's name. Lines of one name are raw values of one series, with their
/// median as the value. The name is `PACKAGE.NAME`, without the number of processors behind it if that is the
/// same in every line. A line `Unit NAME better=higher` defines the direction.
pub fn go_test(text: Text<'_>) -> Parsed {
    let mut rows = Rows::new(text);
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut better: BTreeMap<&str, ForeignBetter> = BTreeMap::new();
    let mut package = "";
    for (line, number) in text.text.lines().zip(1..) {
        if let Some(named) = line.strip_prefix("pkg:") {
            package = named.trim();
        } else if line.starts_with("Unit ") {
            better.extend(unit_line(line));
        } else if let Some(failed) = failed(line) {
            rows.bad(format!("line {number}"), failed, "fix the failure, or remove it from the file");
        } else if is_result(line) {
            match result(line) {
                Ok((name, values)) => lines.push(Line { number, package, name, values }),
                Err(cause) => rows.bad(format!("line {number}"), cause, NEXT),
            }
        }
    }
    let suffix = common_suffix(&lines);
    let mut series: BTreeMap<(String, &str), (usize, Vec<f64>)> = BTreeMap::new();
    for line in &lines {
        let name = line.name.strip_suffix(&*suffix).unwrap_or(line.name);
        let name = name.strip_prefix("Benchmark").filter(|rest| !rest.is_empty()).unwrap_or(name);
        let name = if line.package.is_empty() { name.to_owned() } else { format!("{}.{name}", line.package) };
        for (value, unit) in &line.values {
            series.entry((name.clone(), unit)).or_insert((line.number, Vec::new())).1.push(*value);
        }
    }
    let mut series: Vec<_> = series.into_iter().collect();
    series.sort_by_key(|(_, (number, _))| *number);
    for ((name, unit), (number, raw)) in series {
        let row = format!("line {number}");
        match ForeignValue::median_of(&name, metric(unit), unit, raw) {
            Ok(value) => rows.add(row, ForeignValue { better: better.get(unit).copied(), ..value }),
            Err(cause) => rows.bad(row, cause, NEXT),
        }
    }
    rows.parsed("results of go test -bench")
}

/// The failure that a line reports.
fn failed(line: &str) -> Option<String> {
    let line = line.trim();
    let (what, why) =
        [("--- FAIL: ", "failed"), ("--- SKIP: ", "was skipped"), ("panic: ", "is why the program ended")]
            .into_iter()
            .find_map(|(begin, why)| Some((line.strip_prefix(begin)?, why)))?;
    Some(format!("{} {why}", what.split(" (").next().unwrap_or(what)))
}

/// Whether a line has results: before a benchmark that prints lines, go prints the name alone.
fn is_result(line: &str) -> bool {
    let mut fields = line.split_whitespace();
    let is_name = fields.next().is_some_and(|name| name.starts_with("Benchmark"));
    is_name && fields.next().is_some_and(|count| count.parse::<u64>().is_ok())
}

/// A benchmark, and its pairs of value and unit.
type Measured<'t> = (&'t str, Vec<(f64, &'t str)>);

fn result(line: &str) -> Result<Measured<'_>, String> {
    let mut fields = line.split_whitespace();
    let name = fields.next().unwrap_or_default();
    let measures: Vec<&str> = fields.skip(1).collect();
    if measures.is_empty() || !measures.len().is_multiple_of(2) {
        return Err("it does not end with pairs of a value and a unit".to_owned());
    }
    let pair =
        |pair: &[&'_ str]| pair[0].parse::<f64>().map_err(|_| format!("{:?} is not a number", pair[0]));
    let values: Vec<f64> = measures.chunks_exact(2).map(pair).collect::<Result<_, _>>()?;
    let units = measures.chunks_exact(2).map(|pair| pair[1]);
    let mut seen = BTreeSet::new();
    if let Some(twice) = units.clone().find(|unit| !seen.insert(*unit)) {
        return Err(format!("it has two values in {twice}"));
    }
    Ok((name, values.into_iter().zip(units).collect()))
}

/// `Unit UNIT better=higher assume=exact`.
fn unit_line(line: &str) -> Option<(&str, ForeignBetter)> {
    let mut fields = line.split_whitespace().skip(1);
    let unit = fields.next()?;
    let better = fields.find_map(|field| field.strip_prefix("better="))?;
    match better {
        "higher" => Some((unit, ForeignBetter::Larger)),
        "lower" => Some((unit, ForeignBetter::Smaller)),
        _ => None,
    }
}

/// The number of processors, such as `-8`, if every name ends with the same one: Go writes none for one
/// processor.
fn common_suffix(lines: &[Line<'_>]) -> String {
    let suffix = |name: &str| {
        let (_, number) = name.rsplit_once('-')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| format!("-{number}"))
    };
    let suffixes: BTreeSet<Option<String>> = lines.iter().map(|line| suffix(line.name)).collect();
    match suffixes.into_iter().collect::<Vec<_>>().as_slice() {
        [Some(suffix)] => suffix.clone(),
        _ => String::new(),
    }
}

fn metric(unit: &str) -> &str {
    match unit {
        "ns/op" => "time",
        "B/op" => "heap.allocated",
        "allocs/op" => "heap.allocations",
        "MB/s" => "throughput",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Parsed {
        go_test(Text { file: "go.txt", text })
    }

    #[test]
    fn repeated_lines_are_raw_values_of_one_series() {
        let values = read(include_str!("../../../fuzz/seeds/foreign_file/go_test.txt")).unwrap();
        let seen: Vec<_> = values
            .iter()
            .map(|value| (&*value.benchmark, &*value.metric, &*value.unit, value.value, value.n))
            .collect();
        let handshake = "example.com/tls.Handshake/suite=aes";
        let mut expected = vec![
            (handshake, "time", "ns/op", 1500.0, 3),
            (handshake, "throughput", "MB/s", 64.0, 3),
            (handshake, "heap.allocated", "B/op", 512.0, 3),
            (handshake, "heap.allocations", "allocs/op", 7.0, 3),
            (handshake, "resumptions/op", "resumptions/op", 0.5, 3),
            ("example.com/x509.Parse", "time", "ns/op", 80.5, 1),
        ];
        let mut seen = seen;
        seen.sort_by(|one, other| (one.0, one.2).cmp(&(other.0, other.2)));
        expected.sort_by(|one, other| (one.0, one.2).cmp(&(other.0, other.2)));
        assert_eq!(seen, expected);
        let of = |unit: &str| values.iter().find(|value| value.unit == unit).unwrap();
        assert_eq!(of("ns/op").raw, [1500.0, 1400.0, 1600.0]);
        assert_eq!(of("resumptions/op").better, Some(ForeignBetter::Larger));
        assert_eq!(of("ns/op").better, None);
    }

    #[test]
    fn what_failed_or_was_skipped_is_named() {
        let text = "BenchmarkA-8 10 5 ns/op\n--- FAIL: BenchmarkB-8\n    b_test.go:9: no\n--- SKIP: BenchmarkC-8 (0.00s)\n\
            panic: runtime error\nFAIL\n";
        let causes: Vec<String> = read(text).unwrap_err().into_iter().map(|bad| bad.to_string()).collect();
        assert_eq!(causes.len(), 3, "{causes:?}");
        for (cause, expected) in
            causes.iter().zip(["BenchmarkB-8 failed", "BenchmarkC-8 was skipped", "runtime error is why"])
        {
            assert!(cause.contains(expected), "{cause}");
        }
    }

    #[test]
    fn numbers_of_processors_that_differ_stay_in_the_names() {
        let values = read("BenchmarkA 10 5 ns/op\nBenchmarkA-2 10 4 ns/op\n").unwrap();
        let names: Vec<&str> = values.iter().map(|value| &*value.benchmark).collect();
        assert_eq!(names, ["A", "A-2"]);
    }

    #[test]
    fn what_is_wrong_is_reported_by_its_line() {
        let text = "PASS\nBenchmarkA-2 10 x ns/op\nBenchmarkB-2 10 5\nBenchmarkC-2 1 5 ns/op 6 ns/op\n";
        let rows: Vec<_> = read(text).unwrap_err().into_iter().map(|bad| (bad.row, bad.cause)).collect();
        let expected = [
            ("line 2", "\"x\" is not a number"),
            ("line 3", "it does not end with pairs of a value and a unit"),
            ("line 4", "it has two values in ns/op"),
        ];
        assert_eq!(rows, expected.map(|(row, cause)| (row.to_owned(), cause.to_owned())));
        assert_eq!(read("ok  \tx\t0.1s\n").unwrap_err()[0].cause, "it has no values");
        // Only the name, and a line that the benchmark printed.
        assert_eq!(read("BenchmarkA\nBenchmarkA printed this\n").unwrap_err()[0].cause, "it has no values");
    }
}
