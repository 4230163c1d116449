//! The conversations of docs/protocol, replayed against every driver.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tlslab_protocol::{Credentials, KeyType};

#[test]
fn every_driver_keeps_to_the_conversations() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/protocol/conversations"));
    let credentials = support::pki().credentials(KeyType::EcdsaP256, 2);
    let mut replayed = 0;
    for stack in support::STACKS {
        let driver = support::driver(stack);
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let conversation = filled_in(&std::fs::read_to_string(&path).unwrap(), &credentials);
            replay(&driver, &conversation, &format!("{stack}, {}", path.display()));
            replayed += 1;
        }
    }
    assert!(replayed >= 15, "five conversations with three drivers, but {replayed} were replayed");
}

#[test]
fn a_conversation_that_goes_otherwise_is_noticed() {
    assert_eq!(difference(&serde_json::json!({"a": "*"}), &serde_json::json!({"a": [1], "b": 2})), None);
    assert!(difference(&serde_json::json!({"a": 1}), &serde_json::json!({"a": 2})).is_some());
    assert!(difference(&serde_json::json!({"a": 1}), &serde_json::json!({})).is_some());
    assert!(difference(&serde_json::json!([1, 2]), &serde_json::json!([1])).is_some());
}

fn filled_in(text: &str, credentials: &Credentials) -> String {
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    text.replace("${root}", &path(&credentials.root))
        .replace("${leaf}", &path(&credentials.chain[0]))
        .replace("${intermediate}", &path(&credentials.chain[1]))
        .replace("${key}", &path(&credentials.key))
}

fn replay(driver: &Path, conversation: &str, what: &str) {
    let mut process = Command::new(driver)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = process.stdin.take().unwrap();
    let mut answers = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut lines = conversation.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let place = format!("{what}, line {}", number + 1);
        if let Some(request) = line.strip_prefix("> ") {
            writeln!(stdin, "{request}").unwrap();
        } else if let Some(expected) = line.strip_prefix("< ") {
            let expected: Value = serde_json::from_str(expected).unwrap();
            let answer = answers.next().unwrap_or_else(|| panic!("{place}: the driver is gone")).unwrap();
            let answer: Value = serde_json::from_str(&answer).unwrap();
            let Some(found) = difference(&expected, &answer) else { continue };
            let other = lines.peek().and_then(|(_, line)| line.strip_prefix("<| "));
            let other: Option<Value> = other.map(|line| serde_json::from_str(line).unwrap());
            // The other answer ends the conversation.
            if other.is_some_and(|other| difference(&other, &answer).is_none()) {
                break;
            }
            panic!("{place}: {found}");
        } else if !line.starts_with("<| ") {
            assert!(line.is_empty() || line.starts_with('#'), "{place}: neither > nor < nor <| nor #");
        }
    }
    drop(stdin);
    assert!(process.wait().unwrap().success(), "{what}: ended with a failure");
}

/// The place where an answer differs from the expected one.
fn difference(expected: &Value, answer: &Value) -> Option<String> {
    match (expected, answer) {
        (Value::String(any), _) if any == "*" => None,
        (Value::Object(expected), Value::Object(answer)) => expected.iter().find_map(|(key, expected)| {
            let Some(answer) = answer.get(key) else { return Some(format!("{key} is missing")) };
            difference(expected, answer).map(|difference| format!("{key}: {difference}"))
        }),
        (Value::Array(expected), Value::Array(answer)) if expected.len() == answer.len() => {
            expected.iter().zip(answer).find_map(|(expected, answer)| difference(expected, answer))
        }
        _ if expected == answer => None,
        _ => {
            let answer: String = answer.to_string().chars().take(200).collect();
            Some(format!("expected {expected}, got {answer}"))
        }
    }
}
