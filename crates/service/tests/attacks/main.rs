//! Webhooks under attack: unsigned deliveries are never kept, nonsense is recorded as such, and nobody delays
//! the service.

#[path = "../support/mod.rs"]
mod support;
mod world;

use std::io::Write;
use std::time::{Duration, Instant};

use support::{SECRET, sign};
use world::{Api, World, event, head, signed, status};

/// The largest body that is accepted.
const LARGEST: usize = 25 << 20;
/// How long a silent connection may stay, with some room for a busy machine.
const CLOSED_WITHIN: Duration = Duration::from_secs(13);
/// How long an ordinary request may take while others are slow.
const PROMPTLY: Duration = Duration::from_secs(2);

/// The note of a delivery of a closed pull request.
const CLOSED: &str = "it is closed";

const NOT_FOUND: Api = Api::Answers(404, "{}");

#[test]
fn what_no_forge_has_signed_is_refused() {
    let mut world = World::start(NOT_FOUND);
    let body = event("opened", "o/n");
    let right = sign(SECRET, &body);
    let wrong = [
        String::new(),
        "sha256=".to_owned(),
        right[..63].to_owned(),
        format!("{right}0"),
        "z".repeat(64),
        "0".repeat(64),
        "\u{fc}".repeat(32),
        format!("sha1={right}"),
        sign("another secret", &body),
        sign(SECRET, b"another body"),
        sign(SECRET, b""),
    ];
    for forge in ["github", "gitea"] {
        let headers = signed(forge, "1", "pull_request", &body);
        for signature in wrong.iter().flat_map(|text| [text.clone(), format!("sha256={text}")]) {
            let mut headers = headers.clone();
            headers[2].1 = signature;
            assert_eq!(world.send(forge, &headers, &body), 401, "{forge}: {headers:?}");
        }
        assert_eq!(world.send(forge, &headers[..2], &body), 401, "{forge}: no signature");
    }
    for token in ["", "hook", "hook-secret2", "HOOK-SECRET", "\u{fc}"] {
        let mut headers = signed("gitlab", "1", "Push Hook", &body);
        headers[2].1 = token.to_owned();
        assert_eq!(world.send("gitlab", &headers, &body), 401, "{token}");
    }
    for forge in ["github", "gitlab", "gitea"] {
        for (id, name) in [("", "push"), ("i", ""), (&*"i".repeat(300), "push"), ("i", &*"e".repeat(300))] {
            assert_eq!(world.deliver(forge, id, name, &body), 401, "{forge} {id} {name}");
        }
        let headers = signed(forge, "1", "push", &body);
        assert_eq!(world.send(forge, &headers[1..], &body), 401, "{forge}: no identifier");
    }
    assert_eq!((world.deliveries().len(), world.jobs()), (0, 0));
    assert_eq!(world.deliver("gitea", "1", "unknown", &body), 202, "a signed one is accepted");
    world.check_health();
}

#[test]
fn a_replay_changes_nothing() {
    let mut world = World::start(NOT_FOUND);
    for forge in ["github", "gitlab", "gitea"] {
        assert_eq!(world.deliver(forge, "1", "ping", b"{\"first\":1}"), 202);
        for body in [&b"{\"first\":1}"[..], b"{\"second\":2}"] {
            assert_eq!(world.deliver(forge, "1", "ping", body), 200, "{forge}");
        }
    }
    let kept = world.deliveries();
    assert_eq!(kept.len(), 3, "each forge has its own identifiers");
    assert!(kept.iter().all(|(_, _, body, _)| body == b"{\"first\":1}"), "{kept:?}");
    world.check_health();
}

#[test]
fn what_makes_no_sense_is_noted_and_enqueues_nothing() {
    let mut world = World::start(NOT_FOUND);
    let deep = "[".repeat(1_000_000);
    let nested = format!("{{\"action\":{}", "{\"a\":".repeat(100_000));
    let number = format!("{{\"action\":\"opened\",\"number\":{}}}", "9".repeat(10_000));
    let huge = event_with("1e999999");
    let negative = event_with("-1");
    let bodies: [(&str, &[u8]); 12] = [
        ("deep", deep.as_bytes()),
        ("nested", nested.as_bytes()),
        ("number", number.as_bytes()),
        ("huge", &huge),
        ("negative", &negative),
        ("utf8", b"{\"action\":\"\xff\xfe\"}"),
        ("cut", &event("opened", "o/n")[..100]),
        ("empty", b""),
        ("null", b"null"),
        ("zero", b"\0\0\0\0"),
        ("types", b"{\"action\":{\"opened\":1},\"pull_request\":[]}"),
        ("path", &event("opened", "../../etc")),
    ];
    for forge in ["github", "gitlab", "gitea"] {
        let name = if forge == "gitlab" { "Merge Request Hook" } else { "pull_request" };
        for (id, body) in bodies {
            assert_eq!(world.deliver(forge, &format!("{forge}-{id}"), name, body), 202, "{forge} {id}");
        }
        assert_eq!(world.deliver(forge, &format!("{forge}-event"), "no such event", b"{}"), 202);
        for (id, ..) in bodies {
            let note = world.note(&format!("{forge}-{id}"));
            assert!(
                note.len() > 10 && !note.starts_with("job") && !note.starts_with("given up"),
                "{id}: {note}"
            );
        }
        let note = world.note(&format!("{forge}-event"));
        assert!(note.contains("not used") && note.contains("no such event"), "{note}");
    }
    assert_eq!(world.deliver("gitea", "elsewhere", "pull_request", &event("opened", "other/n")), 202);
    assert_eq!(world.note("elsewhere"), "no project has the repository other/n");
    for (request, expected) in [
        ("POST /hooks/svn HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 404),
        ("POST /hooks/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 404),
        ("POST /hooks/gitea/../github HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 404),
        ("GET /hooks/gitea HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        ("PUT /hooks/gitea HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 405),
        ("DELETE /hooks/gitea HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        ("POST /hooks/gitea HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
        ("NONSENSE\r\n\r\n", 400),
    ] {
        assert_eq!(world.raw(request.as_bytes()), expected, "{request}");
    }
    assert_eq!(world.jobs(), 0);
    world.check_health();
}

/// An event with a number that no pull request can have.
fn event_with(number: &str) -> Vec<u8> {
    let text = String::from_utf8(event("opened", "o/n")).unwrap();
    text.replace("\"number\":1", &format!("\"number\":{number}")).into_bytes()
}

#[test]
fn bodies_have_a_limit_and_leave_no_memory_behind() {
    let mut world = World::start(NOT_FOUND);
    let largest = format!("{{\"text\":\"{}\"}}", "a".repeat(LARGEST - 11)).into_bytes();
    assert_eq!(largest.len(), LARGEST);
    assert_eq!(world.deliver("github", "largest", "ping", &largest), 202);
    assert!(world.note("largest").contains("not used"));
    let forged = signed("github", "2", "ping", b"");
    let too_long = head("github", &forged, &format!("Content-Length: {}", LARGEST + 1));
    assert_eq!(world.raw(&too_long), 413, "refused before it is sent");
    let mut chunked = head("github", &forged, "Transfer-Encoding: chunked");
    chunked.extend(format!("{:x}\r\n", LARGEST + 1).bytes());
    chunked.extend(std::iter::repeat_n(b'a', LARGEST + 1));
    assert_eq!(world.raw(&chunked), 413);
    // Without a key a runner's result is not read.
    let runner = "POST /runner/v1/finish HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n";
    assert_eq!(world.raw(runner.as_bytes()), 401);
    let before_mib = world.resident_mib();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..13 {
                    assert_eq!(world.send("github", &forged, &largest), 401);
                }
            });
        }
    });
    let after_mib = world.resident_mib();
    eprintln!("resident memory: {before_mib} MiB before 52 forged bodies of 25 MiB, {after_mib} MiB after");
    assert!(after_mib < before_mib + 60, "{before_mib} MiB became {after_mib} MiB");
    assert_eq!(world.deliveries().len(), 1);
    world.check_health();
}

#[test]
fn slow_senders_hold_nobody_up() {
    let mut world = World::start(NOT_FOUND);
    let forged = signed("gitea", "slow", "ping", b"");
    let mut silent = Vec::new();
    for length in ["100", "20000000"] {
        for _ in 0..40 {
            let mut stream = world.connect();
            stream.write_all(&head("gitea", &forged, &format!("Content-Length: {length}"))).unwrap();
            stream.write_all(b"{").unwrap();
            silent.push(stream);
        }
    }
    for start in ["POST /hooks/gitea HTTP/1.1\r\nX-Slow: ", "POST", ""] {
        for _ in 0..20 {
            let mut stream = world.connect();
            stream.write_all(start.as_bytes()).unwrap();
            silent.push(stream);
        }
    }
    let begun = Instant::now();
    for number in 0..20 {
        let asked = Instant::now();
        assert_eq!(world.deliver("gitea", &number.to_string(), "ping", b"{}"), 202);
        assert!(asked.elapsed() < PROMPTLY, "a delivery took {:?}", asked.elapsed());
        let took = world.check_health();
        assert!(took < PROMPTLY, "/health took {took:?}");
    }
    for stream in &mut silent {
        let answer = status(stream);
        assert!(matches!(answer, 0 | 408), "status {answer}");
        assert!(begun.elapsed() < CLOSED_WITHIN, "a silent connection is open after {:?}", begun.elapsed());
    }
    assert_eq!(world.deliveries().len(), 20);
    world.check_health();
    // A silent one does not delay the end, either.
    let _silent = world.connect();
    assert!(world.service.ends_within(Duration::from_secs(15)), "it has not ended 15 s after SIGTERM");
}

#[test]
fn a_forge_that_answers_nonsense_stops_nobody() {
    let answers = [
        Api::Answers(200, "<html>Sign in</html>"),
        Api::Answers(200, "{\"number\":-1,\"head\":[]}"),
        NOT_FOUND,
        Api::Answers(500, "oh"),
    ];
    for api in answers {
        let mut world = World::start(api);
        assert_eq!(world.deliver("gitea", "asks", "pull_request", &event("opened", "o/n")), 202);
        assert_eq!(world.deliver("github", "closed", "pull_request", &event("closed", "o/n")), 202);
        assert_eq!(world.note("closed"), CLOSED);
        let first = world.deliveries().into_iter().find(|(_, id, ..)| id == "asks").unwrap();
        assert_eq!(first.3, None, "it is tried again later");
        assert_eq!(world.jobs(), 0);
        world.check_health();
    }
}

#[test]
#[ignore = "make kills: takes minutes"]
fn a_forge_that_hangs_stops_nobody() {
    let mut world = World::start(Api::Hangs);
    for number in 0..60 {
        let id = format!("hangs-{number}");
        assert_eq!(world.deliver("gitea", &id, "pull_request", &event("opened", "o/n")), 202);
    }
    for round in 0..2 {
        let id = format!("closed-{round}");
        assert_eq!(world.deliver("github", &id, "pull_request", &event("closed", "o/n")), 202);
        let begun = Instant::now();
        assert_eq!(world.note_within(&id, Duration::from_secs(150)), CLOSED);
        eprintln!("a delivery of another forge waited {:.0} s", begun.elapsed().as_secs_f64());
        world.check_health();
        // The silent forge is asked again meanwhile.
        std::thread::sleep(Duration::from_secs(65));
    }
    assert_eq!(world.jobs(), 0);
}
