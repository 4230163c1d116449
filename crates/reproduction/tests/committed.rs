//! The committed documents: causes speak of the rows and claims that they stand at, and every sentence is
//! counted once.

use std::collections::BTreeSet;
use std::fs;

use toml::{Table, Value};

/// Words by which a cause names a suite, and those by which a row or a scenario has it.
const SUITES: [(&str, &[&str]); 2] = [("AES", &["aes"]), ("ChaCha20", &["chacha20"])];

fn array<'v>(of: &'v Table, key: &str) -> &'v [Value] {
    of.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn word<'v>(of: &'v Value, key: &str) -> &'v str {
    of.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The suites that a text names.
fn named(text: &str) -> Vec<&'static [&'static str]> {
    SUITES.iter().filter(|(name, _)| text.contains(name)).map(|(_, words)| *words).collect()
}

fn has(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// The rows of a set of published figures that a cause selects, each as one text.
fn rows(document: &Table, set: &str, wanted: &[Value]) -> Vec<String> {
    let set = document["published"][set].as_table().unwrap();
    let columns: Vec<&str> = array(set, "columns").iter().filter_map(Value::as_str).collect();
    let selects = |row: &&Value| {
        let entries = row.as_array().unwrap();
        let is = |(column, values): (&String, &Value)| {
            let at = columns.iter().position(|name| name == column);
            at.is_some_and(|at| values.as_array().unwrap().contains(&entries[at]))
        };
        wanted.iter().any(|one| one.as_table().unwrap().iter().all(is))
    };
    array(set, "rows").iter().filter(selects).map(Value::to_string).collect()
}

/// The parts of a document's causes that name suites which their rows or claims do not have.
fn misplaced(document: &Table) -> Vec<String> {
    let mut found = Vec::new();
    for table in array(document, "tables") {
        let all = [Value::Table(Table::new())];
        let own = table.get("cause").and_then(Value::as_str).map(|says| (says, &all[..]));
        let of_rows = array(document, "causes").iter().filter_map(|cause| {
            let is_of = |key: &str, mine: &str| {
                cause.get(key).is_none_or(|wanted| match wanted {
                    Value::Array(all) => all.contains(&mine.into()),
                    one => one.as_str() == Some(mine),
                })
            };
            let is_it =
                is_of("tables", word(table, "title")) && is_of("measurement", word(table, "measurement"));
            let rows = array(cause.as_table().unwrap(), "rows");
            (is_it && !rows.is_empty()).then(|| (word(cause, "says"), rows))
        });
        for (says, wanted) in own.into_iter().chain(of_rows) {
            let rows = rows(document, word(table, "published"), wanted);
            for suite in named(says) {
                found.extend(rows.iter().filter(|row| !has(row, suite)).map(|row| format!("{says} {row}")));
            }
        }
    }
    for cause in array(document, "causes") {
        for says in array(cause.as_table().unwrap(), "claims") {
            let claims = array(document, "claims").iter().filter(|claim| claim["says"] == *says);
            let missing = claims.flat_map(|claim| {
                let scenario = word(&claim["of"], "scenario");
                named(word(cause, "says")).into_iter().filter(move |suite| !has(scenario, suite))
            });
            found.extend(missing.map(|_| format!("{}: {says}", word(cause, "says"))));
        }
    }
    found
}

fn committed() -> Vec<(String, Table)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../documents");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let read = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path.display().to_string(), text.parse::<Table>().unwrap())
    };
    files.map(read).collect()
}

#[test]
fn a_cause_that_names_a_suite_is_of_rows_and_claims_with_it() {
    let documents = committed();
    assert!(documents.len() > 5);
    for (file, document) in &documents {
        assert_eq!(misplaced(document), Vec::<String>::new(), "{file}");
    }
}

#[test]
fn a_cause_of_aes_below_rows_of_chacha20_is_found() {
    let text = r#"
        [[tables]]
        title = "Rates"
        published = "rates"
        measurement = "run"
        cause = "of AES-GCM, a slow instruction"
        [published.rates]
        columns = ["key", "suite"]
        rows = [["RSA", "TLS_Chacha20Poly1305_SHA256"], ["RSA", "TLS_Aes128Gcm_SHA256"]]
        [[claims]]
        says = "It is fast"
        of = { scenario = "transfer/1.3/chacha20-poly1305/16KiB" }
    "#;
    let misplaced = |text: &str| misplaced(&text.parse::<Table>().unwrap()).len();
    assert_eq!(misplaced(text), 1);
    let by_rows = |rows: &str| {
        let cause = format!("[[causes]]\nsays = \"of AES-GCM\"\nrows = [{{ {rows} }}]\n");
        text.replace("cause = \"of AES-GCM, a slow instruction\"", "") + &cause
    };
    assert_eq!(misplaced(&by_rows("suite = [\"TLS_Aes128Gcm_SHA256\"]")), 0);
    assert_eq!(misplaced(&by_rows("key = [\"RSA\"]")), 1);
    let of_claim = format!("{}claims = [\"It is fast\"]\n", by_rows("suite = [\"TLS_Aes128Gcm_SHA256\"]"));
    assert_eq!(misplaced(&of_claim), 1);
}

/// The sentences that claims of a document are of; corrections and ratios that the lab made have none.
fn sentences(document: &Table) -> BTreeSet<String> {
    let parts = ["comparisons", "profiles"].into_iter().flat_map(|part| array(document, part));
    let of_part = |part: &'_ Value| {
        let part = part.as_table().unwrap();
        ["claims", "follows"].map(|kind| array(part, kind).to_vec()).concat()
    };
    let parts: Vec<Value> = parts.flat_map(of_part).collect();
    let claims = array(document, "claims").iter().chain(&parts);
    let is_one = |claim: &&Value| ["", "document", "extension"].contains(&word(claim, "group"));
    let key = |claim: &Value| {
        let key = claim.get("sentence").unwrap_or(&claim["published"]);
        key.as_str().unwrap().to_owned()
    };
    claims.filter(is_one).map(key).collect()
}

/// The numbers of a line in front of its words: `27 sentences of 5 documents: 9 hold …; 6 hold …`.
fn numbers(line: &str) -> Vec<usize> {
    line.split([' ', ':', ';', ',']).filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn the_first_lines_of_the_claims_add_up_to_the_sentences_of_the_documents() {
    let page =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/documents/claims.md")).unwrap();
    let line = page.lines().find(|line| line.contains(" sentences of ")).unwrap();
    let documents = committed();
    let counts: Vec<usize> = documents.iter().map(|(_, document)| sentences(document).len()).collect();
    let of_documents = counts.iter().filter(|count| **count > 0).count();
    let [all, documents, parts @ ..] = &numbers(line)[..] else { panic!("{line}") };
    assert_eq!((*documents, *all), (of_documents, counts.iter().sum::<usize>()), "{line}");
    assert_eq!(parts.iter().sum::<usize>(), *all, "{line}");
}
