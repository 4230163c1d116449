//! Functions and calls in dumps.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::under::Compiled;

/// A dump: each function's own instructions, and each call's number and instructions.
#[derive(Debug, Default)]
struct Dump {
    own: BTreeMap<String, u64>,
    calls: BTreeMap<(String, String), (u64, u64)>,
    files: BTreeMap<String, String>,
    totals: String,
    /// The call chain, from the outermost on, and the last one's own instructions.
    stacks: BTreeMap<String, u64>,
}

impl Dump {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let mut dump = Self::default();
        let mut names: BTreeMap<(String, String), String> = BTreeMap::new();
        let (mut function, mut callee, mut file, mut calls) =
            (String::new(), String::new(), String::new(), None);
        for line in text.lines() {
            if let Some((label, value)) = line.split_once('=')
                && let Some(value) = value.strip_prefix('(')
            {
                let kind = match label {
                    "fl" | "fi" | "fe" | "cfi" => "file",
                    "ob" | "cob" => "object",
                    _ => "function",
                };
                let (number, name) = value.split_once(')').unwrap();
                let key = (kind.to_owned(), number.to_owned());
                if let Some(name) = name.strip_prefix(' ') {
                    names.insert(key.clone(), name.to_owned());
                }
                let name = names[&key].clone();
                match label {
                    "fn" => {
                        function = name;
                        dump.files.insert(function.clone(), file.clone());
                    }
                    "cfn" => callee = name,
                    "fl" => file = name,
                    _ => {}
                }
            } else if let Some(value) = line.strip_prefix("calls=") {
                calls = Some(value.split(' ').next().unwrap().parse::<u64>().unwrap());
            } else if let Some(value) = line.strip_prefix("totals: ") {
                dump.totals = value.to_owned();
            } else if line.starts_with(|first: char| first.is_ascii_digit()) {
                let instructions: u64 = line.split(' ').nth(2).unwrap().parse().unwrap();
                match calls.take() {
                    Some(number) => {
                        let edge = dump.calls.entry((function.clone(), callee.clone())).or_default();
                        *edge = (edge.0 + number, edge.1 + instructions);
                    }
                    None => *dump.own.entry(function.clone()).or_default() += instructions,
                }
            }
        }
        let stacks = format!("{}.stacks", path.display());
        for line in std::fs::read_to_string(stacks).unwrap_or_default().lines() {
            let (functions, instructions) = line.rsplit_once(' ').unwrap();
            *dump.stacks.entry(functions.to_owned()).or_default() += instructions.parse::<u64>().unwrap();
        }
        dump
    }

    /// The part below a function that another one called, of the stacks that end so.
    fn stack(&self, ends: &str) -> u64 {
        let is_it = |stack: &str| stack == ends || stack.ends_with(&format!(";{ends}"));
        self.stacks.iter().filter(|(stack, _)| is_it(stack)).map(|(_, instructions)| instructions).sum()
    }

    fn call(&self, from: &str, to: &str) -> (u64, u64) {
        self.calls.get(&(from.to_owned(), to.to_owned())).copied().unwrap_or_default()
    }
}

/// The dumps of buckets 0 to 6, and the program's own readings of 1 to 6.
fn dumps(functions: &str) -> (Vec<Dump>, Vec<String>) {
    let program = Compiled::new("functions", &[]);
    let place = program.place("dump");
    let said = program.run(&[functions], &[place.to_str().unwrap()]);
    let mut lines = said.lines();
    assert_eq!(lines.next(), Some("not written 22 13"), "{said}");
    let totals = lines.map(|line| line.strip_prefix("0 ").unwrap().to_owned()).collect();
    let read = |bucket| Dump::read(&program.place(&format!("dump.{bucket}")));
    let dumps: Vec<Dump> = (0..7).map(read).collect();
    annotated(&program.place("dump.1"), &dumps[1]);
    (dumps, totals)
}

/// Callgrind's own reader opens it and finds the same.
fn annotated(path: &Path, dump: &Dump) {
    let output =
        Command::new("callgrind_annotate").args(["--threshold=100", "--auto=no"]).arg(path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).replace(',', "");
    assert!(output.status.success() && output.stderr.is_empty(), "{said}");
    let first = |pattern: &str| {
        let line = said.lines().find(|line| line.contains(pattern)).unwrap_or_else(|| panic!("{said}"));
        line.split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(first("PROGRAM TOTALS"), dump.totals.split(' ').next().unwrap());
    assert_eq!(first(":leaf "), "22");
}

#[test]
fn each_function_gets_its_own() {
    for functions in ["--fn=self", "--fn=callers"] {
        let (dumps, totals) = dumps(functions);
        for (dump, total) in dumps[1..].iter().zip(&totals) {
            assert_eq!(&dump.totals, total);
            let sum: u64 = dump.own.values().sum();
            assert_eq!(sum.to_string(), total.split(' ').next().unwrap());
        }
        let own = &dumps[1].own;
        assert_eq!([own["leaf"], own["through"], own["plain"]], [22, 3, 3], "{functions}");
        assert_eq!(dumps[2].own["countdown"], 9 * 5 + 3);
        // Inlined code has its own name and file, and the code around it keeps the rest.
        assert_eq!(dumps[3].own["hundred_nops"], 100);
        assert!(dumps[3].own["around"] < 10);
        assert!(dumps[3].files["hundred_nops"].ends_with("programs/inlined.h"), "{:?}", dumps[3].files);
        assert!(dumps[3].files["around"].ends_with("programs/functions.c"), "{:?}", dumps[3].files);
        assert_eq!(dumps[4].own["leaf"], 44);
        assert_eq!([dumps[5].own["leaf"], dumps[6].own["leaf"]], [11, 11]);
        assert_eq!(dumps[1].calls.is_empty(), functions == "--fn=self");
        assert_eq!(dumps[1].stacks.is_empty(), functions == "--fn=self");
    }
}

#[test]
fn calls_cost_what_they_call() {
    let (dumps, _) = dumps("--fn=callers");
    // A jump to a function is a call by the one that jumped.
    assert_eq!(dumps[1].call("main", "plain"), (1, 28));
    assert_eq!(dumps[1].call("plain", "leaf"), (1, 11));
    assert_eq!(dumps[1].call("plain", "through"), (1, 14));
    assert_eq!(dumps[1].call("through", "leaf"), (1, 11));
    // The outermost of nine calls costs what the inner ones cost, once.
    assert_eq!(dumps[2].call("main", "countdown"), (1, 48));
    assert_eq!(dumps[2].call("countdown", "countdown"), (9, 43));
    for dump in &dumps[1..] {
        assert_eq!(dump.stacks.values().sum::<u64>(), dump.own.values().sum::<u64>(), "{:?}", dump.stacks);
    }
    let stack = |bucket: usize, ends: &str| dumps[bucket].stack(ends);
    assert_eq!([stack(1, "main;plain;leaf"), stack(1, "plain;through;leaf"), stack(1, "leaf")], [11, 11, 22]);
    assert_eq!([stack(1, "main;plain"), stack(1, "plain;through")], [3, 3]);
    // Nine calls, one in the other.
    let nine = ["countdown"; 9].join(";");
    assert_eq!(stack(2, &format!("main;{nine}")), 5);
    assert!(
        dumps[2].stacks.keys().all(|stack| stack.matches("countdown").count() <= 10),
        "{:?}",
        dumps[2].stacks
    );
    assert_eq!([stack(4, "lands;leaf"), stack(4, "leaps;leaf")], [11, 11]);
    assert_eq!([stack(5, "main;halves;leaf"), stack(6, "main;halves;leaf")], [11, 11]);
    let (_, inlined) = dumps[3].call("around", "hundred_nops");
    assert_eq!(inlined, 100);
    assert_eq!(dumps[3].call("main", "around").1, 100 + dumps[3].own["around"]);
    // A longjmp ends calls; later functions are not called by those.
    assert_eq!(dumps[4].call("lands", "leaf"), (1, 11));
    assert_eq!(dumps[4].call("leaps", "leaf"), (1, 11));
    assert_eq!(dumps[4].call("main", "plain"), (1, 28));
    // A call that spans buckets costs in each the work done there.
    assert_eq!(dumps[6].call("main", "halves").1, dumps[6].own.values().sum::<u64>());
    assert_eq!(dumps[6].call("halves", "leaf"), (1, 11));
    assert_eq!(dumps[5].call("halves", "leaf"), (1, 11));
    let (calls, cost) = dumps[5].call("main", "halves");
    assert!(
        calls == 1 && cost > 11 + dumps[5].own["halves"] - 1 && cost < dumps[5].own.values().sum(),
        "{cost}"
    );
}
