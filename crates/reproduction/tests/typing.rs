//! Typing mistakes in a document are refused when it is read, with the place and what was expected.

use tlslab_reproduction::Document;

const DOCUMENT: &str = r#"
title = "A document"
by = "somebody"
on = "a machine"

[[measurements]]
name = "run"
title = "Handshakes"
stacks = ["one", "two"]
scenarios = ["handshake/**"]
budget_s = 10
rounds = 8

[published.rates]
columns = ["kind", "side", "rate"]
rows = [["full", "server", 2581.16], ["short", "client", ""]]

[[tables]]
title = "Rates"
measurement = "run"
published = "rates"
labels = ["kind"]
columns = [
  { title = "One", unit = "/s", published = "rate", stack = "one", scenario = "handshake/{kind}", side = "{side}", metric = "rate" },
]

[[claims]]
says = "It is slower."
published = "30 % fewer handshakes"
measurement = "run"
ratio = "time, two over one"
rows = { published = "rates", labels = ["kind"], without = { kind = "short" } }
of = { stack = "two", scenario = "handshake/{kind}", side = "server" }
over = { stack = "one", scenario = "handshake/{kind}", side = "server", metric = "time" }
direction = "more"
throughput = { from = 0.695, to = 0.705 }
figure = 0.7

[[comparisons]]
name = "change"
title = "A change"
base = "one"
new = "two"
scenarios = ["handshake/**"]
budget_s = 10

[[comparisons.claims]]
says = "It stays."
published = "no change"
metric = "time"
side = "client"
direction = "more"
"#;

fn parse(text: &str) -> Result<Document, String> {
    Document::parse("documents/it.toml", "it", text).map_err(|error| error.to_string())
}

#[test]
fn typing_mistakes_are_refused_with_what_was_expected() {
    parse(DOCUMENT).unwrap();
    let sides = "unknown side `serverr`, expected one of `client`, `server`, `both`; did you mean `server`?";
    for (from, to, said) in [
        ("side = \"server\" }\nover", "side = \"serverr\" }\nover", sides),
        ("side = \"{side}\"", "side = \"serverr\"", sides),
        ("[\"full\", \"server\"", "[\"full\", \"serverr\"", sides),
        (
            "side = \"client\"\ndir",
            "side = \"clients\"\ndir",
            "unknown variant `clients`, expected `client` or `server`",
        ),
        ("metric = \"rate\"", "metric = \"ratee\"", "did you mean `rate`?"),
        ("metric = \"time\" }", "metric = \"tine\" }", "did you mean `time`?"),
        (
            "metric = \"time\"\n",
            "metric = \"rate\"\n",
            "unknown variant `rate`, expected one of `time`, `count.instructions`",
        ),
        ("unit = \"/s\"", "unit = \"furlong\"", "unknown variant `furlong`, expected one of `µs`"),
        (
            "unit = \"/s\"",
            "unit = \"MB/s\"",
            "the unit of rate is handshakes/s or operations/s, which cannot be shown in MB/s",
        ),
        ("2581.16", "\"2581,16\"", "column \"rate\", row 1: \"2581,16\" is not a number; write 2581.16"),
        (
            "without = { kind = \"short\" }",
            "without = { kind = \"shortt\" }",
            "without: no row has kind \"shortt\"",
        ),
        ("says = \"It stays.\"", "says = \"It is slower.\"", "two claims say \"It is slower.\"; remove one"),
        ("figure = 0.7", "figure = 0.05", "figure 0.05 lies outside throughput"),
        (
            "direction = \"more\"\nthr",
            "direction = \"less\"\nthr",
            "direction is of the time: a throughput between 29.5 % and 30.5 % less is a time between",
        ),
        (
            "metric = \"time\" }",
            "metric = \"rate\" }",
            "throughput is of a claim about times, and rate is no time",
        ),
        ("over = { stack = \"one\",", "over = { stack = \"one\", sidee = \"\",", "unknown field `sidee`"),
    ] {
        assert!(DOCUMENT.contains(from), "{from}");
        let error = parse(&DOCUMENT.replacen(from, to, 1)).unwrap_err();
        assert!(error.contains(said), "{to}: {error}");
    }
}

#[test]
fn an_error_points_at_the_wrong_key_or_value_and_lists_the_keys() {
    for (from, to, mark, said) in [
        (
            "direction = \"more\"\nthr",
            "directoin = \"more\"\nthr",
            "directoin",
            "`because`, `direction`, `figure`",
        ),
        ("metric = \"rate\" }", "metrik = \"rate\" }", "metrik", "`metric`, `published`, `scenario`"),
        ("side = \"client\"\ndir", "sides = \"client\"\ndir", "sides", "`says`, `sentence`, `side`"),
        (
            "direction = \"more\"\nthr",
            "direction = \"up\"\nthr",
            "up",
            "expected one of `more`, `less`, `equal`",
        ),
        ("side = \"server\" }\nover", "side = \"serverr\" }\nover", "serverr", "expected one of `client`"),
        ("rounds = 8", "round = 8", "round", "`rounds`"),
    ] {
        let text = DOCUMENT.replacen(from, to, 1);
        let error = parse(&text).unwrap_err();
        let line = text.lines().position(|line| line.contains(mark)).unwrap() + 1;
        assert!(error.contains(&format!("at line {line},")) && error.contains(said), "{to}: {error}");
        let shown: Vec<&str> = error.lines().collect();
        let at = shown.iter().position(|line| line.contains('^')).unwrap();
        let column = shown[at].find('^').unwrap();
        assert!(shown[at - 1][column..].trim_start_matches('"').starts_with(mark), "{error}");
    }
}
