//! The form of documents, and the places of a run's figures.

use tlslab_reproduction::Document;

const WHOLE: &str = r#"
title = "A document"
by = "somebody"
on = "a machine"
words = { RSA = "rsa-2048" }

[[measurements]]
name = "run"
title = "Handshakes"
stacks = ["one", "two"]
scenarios = ["handshake/**"]
budget_s = 10
rounds = 8

[published.rates]
columns = ["key", "one", "two"]
rows = [["RSA", 33, 1260.5]]

[[tables]]
title = "Rates"
measurement = "run"
published = "rates"
labels = ["key"]
columns = [
  { title = "One", unit = "/s", published = "one", stack = "one", scenario = "handshake/{key}", side = "server", metric = "rate", words = { RSA = "rsa-4096" } },
  { title = "Two", unit = "/s", published = "two", stack = "two", scenario = "handshake/{key}", side = "server", metric = "rate" },
]
ratios = [{ title = "One / two", of = 0, over = 1 }]

[[claims]]
says = "It is slower."
published = "slower"
measurement = "run"
ratio = "one over two"
of = { scenario = "handshake/rsa-2048", side = "client" }
over = { scenario = "handshake/rsa-4096", side = "client" }
direction = "more"
"#;

fn parse(text: &str) -> Result<Document, String> {
    Document::parse("documents/it.toml", "it", text).map_err(|error| error.to_string())
}

#[test]
fn a_row_asks_by_its_own_words_or_by_its_columns() {
    let asked = parse(WHOLE).unwrap().asked();
    let described: Vec<(&str, &str)> =
        asked.iter().map(|asked| (asked.stack.as_str(), asked.scenario.as_str())).collect();
    let expected = [
        ("one", "handshake/rsa-4096"),
        ("two", "handshake/rsa-2048"),
        ("", "handshake/rsa-2048"),
        ("", "handshake/rsa-4096"),
    ];
    assert_eq!(described, expected);
}

const FURTHER: &str = r#"
[[tables]]
title = "Every stack's"
measurement = "run"
published = "rates"
labels = ["key"]
each = { unit = "µs", scenario = "handshake/{key}", side = "client", published = { one = "one" }, over = "one" }

[[texts]]
name = "rates.txt"
measurement = "run"
blocks = [{ published = "rates", head = "{version}", row = "{key:5}{value}", figures = { value = { unit = "µs", scenario = "handshake/{key}", side = "client" } } }]

[[trials]]
title = "What works"
measurement = "run"
program = "tool"
script = "it/try.py"
"#;

#[test]
fn a_table_of_every_stack_asks_each_for_its_rows_and_takes_further_stacks() {
    let document = parse(&format!("{WHOLE}{FURTHER}")).unwrap();
    let asked = document.asked();
    assert!(asked.iter().any(|asked| asked.stack.is_empty() && asked.scenario == "handshake/rsa-2048"));
    let open = document.with_stacks(&["two".to_owned(), "three".to_owned()]).unwrap();
    assert_eq!(open.measurements[0].stacks, ["one", "two", "three"]);
    let closed = parse(WHOLE).unwrap().with_stacks(&["three".to_owned()]).unwrap_err();
    assert!(closed.contains("omit --stack"), "{closed}");
}

#[test]
fn what_is_wrong_with_further_parts_is_named() {
    let whole = format!("{WHOLE}{FURTHER}");
    for (from, to, said) in [
        ("published = { one = \"one\" }", "published = { one = \"three\" }", "has no column \"three\""),
        ("each = {", "columns = []\n#", "it has no columns; give it columns, or each"),
        ("name = \"rates.txt\"", "name = \"../rates.txt\"", "a file name without folders"),
        ("program = \"tool\"", "program = \"/bin/tool\"", "a name without folders"),
        ("script = \"it/try.py\"", "script = \"../try.py\"", "a path below the document's folder"),
    ] {
        assert!(whole.contains(from), "{from}");
        let error = parse(&whole.replacen(from, to, 1)).unwrap_err();
        assert!(error.contains(said), "{to}: {error}");
    }
}

const COMPARED: &str = r#"
[[comparisons]]
name = "change"
title = "A change"
base = "one"
new = "two=one@patch:{folder}/it/a.patch"
scenarios = ["handshake/**"]
budget_s = 10

[[comparisons.claims]]
says = "The candidate is slower."
published = "slower"
metric = "time"
direction = "more"

[[thresholds]]
title = "How far runs scatter"
measurement = "run"

[[profiles]]
title = "Functions"
stack = "one"
scenario = "handshake/rsa-2048"
side = "both"
published = "rates"
labels = ["key"]
function = "key"
weight = "one"
"#;

#[test]
fn a_comparison_knows_the_folder_that_its_document_lies_in() {
    let document = parse(&format!("{WHOLE}{COMPARED}")).unwrap();
    let stacks = document.comparisons[0].stacks("/here");
    assert_eq!(stacks, ["one", "two=one@patch:/here/it/a.patch"]);
    assert_eq!(document.profiles[0].cell(), "one in handshake/rsa-2048");
}

#[test]
fn what_is_wrong_with_comparisons_and_profiles_is_named() {
    let whole = format!("{WHOLE}{COMPARED}");
    for (from, to, said) in [
        ("name = \"change\"", "name = \"run\"", "two things are called \"run\""),
        (
            "scenarios = [\"handshake/**\"]\nbudget_s = 10\n\n[[comp",
            "scenarios = []\nbudget_s = 10\n\n[[comp",
            "it has no scenarios",
        ),
        ("budget_s = 10\n\n[[comp", "budget_s = 0\n\n[[comp", "comparison \"change\": budget_s is from 0"),
        (
            "metric = \"time\"\ndirection = \"more\"",
            "metric = \"time\"",
            "it says neither a direction nor a size",
        ),
        ("scatter\"\nmeasurement = \"run\"", "scatter\"\nmeasurement = \"walk\"", "no measurement \"walk\""),
        (
            "side = \"both\"",
            "side = \"all\"",
            "unknown variant `all`, expected one of `client`, `server`, `both`",
        ),
        ("function = \"key\"", "function = \"name\"", "has no column \"name\""),
        ("rounds = 8", "rounds = 8\ntimes = 0", "times are from 1 to 100"),
    ] {
        assert!(whole.contains(from), "{from}");
        let error = parse(&whole.replacen(from, to, 1)).unwrap_err();
        assert!(error.contains(said), "{to}: {error}");
    }
}

#[test]
fn what_is_wrong_is_named_with_the_file() {
    for (from, to, said) in [
        ("measurement = \"run\"", "measurement = \"walk\"", "no measurement \"walk\"; there are: run"),
        ("published = \"rates\"", "published = \"prices\"", "no set published.prices"),
        ("published = \"two\"", "published = \"three\"", "has no column \"three\""),
        ("[\"RSA\", 33, 1260.5]", "[\"RSA\", 33]", "row 1 has 2 entries for 3 columns"),
        ("over = 1 }]", "over = 2 }]", "a ratio refers to column 2"),
        ("direction = \"more\"", "", "it says neither a direction nor a size"),
        ("direction = \"more\"", "direction = \"equal\"", "needs a size"),
        ("direction = \"more\"", "direction = \"up\"", "unknown variant"),
        ("direction = \"more\"", "size = { over = 1 }", "unknown field"),
        (
            "direction = \"more\"",
            "direction = \"more\"\nabout = [\"three\"]",
            "its measurement has no stack three",
        ),
        (
            "direction = \"more\"",
            "direction = \"more\"\nrows = { published = \"rates\", labels = [\"word\"] }",
            "has no column \"word\"",
        ),
        ("budget_s = 10", "budget_s = -1", "budget_s is from 0"),
        ("budget_s = 10", "", "it needs stacks, scenarios, budget_s and rounds"),
        ("budget_s = 10", "suite = \"full\"", "a suite has its own scenarios"),
        ("stack = \"two\", ", "", "column \"Two\" names no stack"),
        ("title = \"A document\"", "", "title"),
    ] {
        assert!(WHOLE.contains(from), "{from}");
        let error = parse(&WHOLE.replacen(from, to, 1)).unwrap_err();
        assert!(error.starts_with("documents/it.toml: ") && error.contains(said), "{to}: {error}");
    }
}

#[test]
fn a_measurement_says_which_scenarios_are_measured_together() {
    let with = |line: &str| {
        let text = WHOLE.replacen("rounds = 8", &format!("rounds = 8\n{line}"), 1);
        parse(&text).map(|document| document.measurements[0].together.clone())
    };
    assert_eq!(with("").unwrap(), Vec::<String>::new());
    assert_eq!(with("together = [\"handshake/{a,b}\"]").unwrap(), ["handshake/{a,b}"]);
    let of_suite = WHOLE.replacen(
        "scenarios = [\"handshake/**\"]",
        "suite = \"quick\"\ntogether = [\"handshake/{a,b}\"]",
        1,
    );
    let error = parse(&of_suite).unwrap_err();
    assert!(error.contains("leave together out"), "{error}");
}

const ROWS: &str = r#"
[[claims]]
says = "Keys are alike"
published = "comparable"
measurement = "run"
ratio = "one over two"
rows = { published = "rates", labels = ["key"], figures = ["one", "two"] }
of = { stack = "one", scenario = "handshake/{key}", side = "client" }
over = { stack = "two", scenario = "handshake/{key}", side = "client" }
direction = "equal"
size = { from = 0.8, to = 1.25 }
own_size = true
"#;

#[test]
fn a_claim_of_rows_asks_for_each_in_the_documents_words() {
    let asked = parse(&format!("{WHOLE}{ROWS}")).unwrap().asked();
    assert_eq!(asked.iter().filter(|asked| asked.scenario == "handshake/rsa-2048").count(), 4);
    let none = ROWS.replace("figures = [", "without = { key = \"RSA\" }, figures = [");
    let error = parse(&format!("{WHOLE}{none}")).unwrap_err();
    assert!(error.contains("it is about no row"), "{error}");
}

const CAUSES: &str = r#"
[[causes]]
says = "Keys are unequal."
rows = [{ key = ["RSA"] }]
claims = ["It is slower."]
of = ["one"]
"#;

#[test]
fn what_is_wrong_with_causes_is_named() {
    let whole = format!("{WHOLE}{CAUSES}");
    parse(&whole).unwrap();
    for (from, to, said) in [
        ("rows = [{ key = [\"RSA\"] }]", "rows = [{ key = [\"DSA\"] }]", "no table has rows with key DSA"),
        ("rows = [{ key", "measurement = \"other\"\nrows = [{ key", "no table has rows with key RSA"),
        ("rows = [{ key", "tables = [\"Sizes\"]\nrows = [{ key", "no table has rows with key RSA"),
        ("claims = [\"It is slower.\"]", "claims = [\"It is.\"]", "there is no claim \"It is.\""),
        ("of = [\"one\"]", "of = [\"three\"]", "there is no stack and no row \"three\" among the claims"),
        ("claims = [\"It is slower.\"]\n", "", "of names stacks of claims, and it names no claims"),
        (
            "rows = [{ key = [\"RSA\"] }]\nclaims = [\"It is slower.\"]\nof = [\"one\"]\n",
            "",
            "it names neither rows nor claims",
        ),
    ] {
        assert!(whole.contains(from), "{from}");
        let error = parse(&whole.replacen(from, to, 1)).unwrap_err();
        assert!(error.contains("cause \"Keys are unequal.\"") && error.contains(said), "{to}: {error}");
    }
}
