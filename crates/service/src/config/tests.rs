//! Configurations, good and wrong.

use super::*;

const GOOD: &str = r#"
        listen = "127.0.0.1:1"
        url = "https://bench.example/"
        [[forge]]
        name = "f"
        kind = "gitea"
        api = "https://git.example/api/v1"
        token = { file = "t" }
        webhook_secret = { credential = "w" }
        [[project]]
        name = "p"
        forge = "f"
        repository = "o/n"
        stacks = ["s"]
        compare = { metrics = ["count", "contention"] }
        run = { metrics = ["count"] }
        [[schedule]]
        name = "nightly"
        cron = "0 3 * * *"
        run = { stacks = ["s"] }
        [[runner]]
        name = "one"
        key = { file = "k" }
        labels = ["fast"]
        quiet = "mon-fri 08:00-18:00"
    "#;

#[test]
fn a_configuration_is_read() {
    let config = Config::parse(GOOD).unwrap();
    assert_eq!(config.base(), "https://bench.example");
    assert!(config.project("p").unwrap().watch_regressions);
    assert_eq!(Config::parse("").unwrap().base(), "http://127.0.0.1:7474");
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_what_is_allowed() {
    for (from, to, named) in [
        ("forge = \"f\"", "forge = \"g\"", &["line 12", "no forge \"g\"", "f"][..]),
        ("kind = \"gitea\"", "kind = \"svn\"", &["line 6", "svn", "gitlab"]),
        (
            "stacks = [\"s\"]\n        compare",
            "stacks = []\n        compare",
            &["line 11", "`stacks` is empty"],
        ),
        ("stacks = [\"s\"]\n        compare", "stacks = [\"s@1\"]\n        compare", &["s@1", "commit"]),
        ("token = { file = \"t\" }", "", &["line 5", "either `token`"]),
        ("repository", "repo", &["line 13", "repo", "repository"]),
        ("0 3 * * *", "often", &["line 19", "often"]),
        ("name = \"p\"", "name = \"P p\"", &["line 11", "lowercase letters"]),
        (
            "metrics = [\"count\", \"contention\"] }\n        run",
            "metrics = [\"speed\"] }\n        run",
            &["line 15", "speed"],
        ),
        ("listen = \"127.0.0.1:1\"", "listen = \"here\"", &["line 2", "here"]),
        ("labels = [\"fast\"]", "labels = [\"a,b\"]", &["line 22", "a,b", "letters"]),
        ("labels = [\"fast\"]", "labels = [\"arch:arm\"]", &["line 22", "arch:arm", "report"]),
        ("mon-fri", "work days", &["line 25", "work days", "mon-fri 08:00-18:00"]),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let error = Config::parse(&GOOD.replacen(from, to, 1)).unwrap_err();
        for part in named {
            assert!(error.contains(part), "{to}: {error}");
        }
    }
}
