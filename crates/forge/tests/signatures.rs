//! Deliveries are accepted only with the secret; nothing panics.

use std::collections::HashMap;

use proptest::prelude::*;
use tlslab_forge::Kind;
use tlslab_forge::webhook::{Delivery, Refused, read, verify};

const SECRET: &[u8] = b"It's a Secret to Everybody";
const BODY: &[u8] = b"Hello, World!";
/// The example in GitHub's documentation of webhooks.
const SIGNATURE: &str = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

type Headers = HashMap<&'static str, String>;

fn signed(kind: Kind) -> Headers {
    let headers = match kind {
        Kind::Github => vec![
            ("x-hub-signature-256", format!("sha256={SIGNATURE}")),
            ("x-github-delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958".to_owned()),
            ("x-github-event", "pull_request".to_owned()),
        ],
        Kind::Gitlab => vec![
            ("x-gitlab-token", String::from_utf8(SECRET.to_vec()).unwrap()),
            ("x-gitlab-event-uuid", "13792a34-cac6-4fda-95a8-c58e00a3954e".to_owned()),
            ("x-gitlab-event", "Merge Request Hook".to_owned()),
        ],
        Kind::Gitea => vec![
            ("x-gitea-signature", SIGNATURE.to_owned()),
            ("x-hub-signature-256", format!("sha256={SIGNATURE}")),
            ("x-gitea-delivery", "f6266f16-1bf3-46a5-9ea4-602e06ead473".to_owned()),
            ("x-gitea-event", "push".to_owned()),
        ],
    };
    headers.into_iter().collect()
}

fn check(kind: Kind, headers: &Headers) -> Result<Delivery, Refused> {
    verify(kind, SECRET, &|name| headers.get(name).cloned(), BODY)
}

fn name_of_signature(kind: Kind) -> &'static str {
    match kind {
        Kind::Github => "x-hub-signature-256",
        Kind::Gitlab => "x-gitlab-token",
        Kind::Gitea => "x-gitea-signature",
    }
}

const KINDS: [Kind; 3] = [Kind::Github, Kind::Gitlab, Kind::Gitea];

#[test]
fn a_signed_delivery_has_an_id_and_an_event() {
    let delivery = check(Kind::Github, &signed(Kind::Github)).unwrap();
    assert_eq!(delivery.id, "72d3162e-cc78-11e3-81ab-4c9367dc0958");
    assert_eq!(delivery.event, "pull_request");
    let mut headers = signed(Kind::Gitlab);
    assert_eq!(check(Kind::Gitlab, &headers).unwrap().event, "Merge Request Hook");
    headers.remove("x-gitlab-event-uuid");
    headers.insert("idempotency-key", "key".to_owned());
    assert_eq!(check(Kind::Gitlab, &headers).unwrap().id, "key");
    let mut headers = signed(Kind::Gitea);
    assert_eq!(check(Kind::Gitea, &headers).unwrap().event, "push");
    headers.remove("x-gitea-signature");
    assert!(check(Kind::Gitea, &headers).is_ok(), "the header of GitHub will do");
}

#[test]
fn a_signature_that_is_none_is_refused() {
    for kind in KINDS {
        let name = name_of_signature(kind);
        let with = |text: &str| {
            let mut headers = signed(kind);
            headers.remove("x-hub-signature-256");
            headers.insert(name, text.to_owned());
            check(kind, &headers)
        };
        for text in ["sha256=", "sha256=ab", "x", "ä", &SIGNATURE[..63], &"g".repeat(64), &"é".repeat(32)] {
            let refused = with(text).expect_err(text);
            let is_expected =
                matches!(refused, Refused::MalformedSignature { .. } | Refused::WrongSignature { .. });
            assert!(is_expected, "{kind} {text}: {refused:?}");
        }
        assert!(matches!(with(""), Err(Refused::NoSignature { .. })), "{kind}");
        let mut headers = signed(kind);
        headers.remove("x-hub-signature-256");
        headers.remove(name);
        assert!(matches!(check(kind, &headers), Err(Refused::NoSignature { .. })), "{kind}");
    }
}

#[test]
fn the_secret_must_be_one_and_the_same() {
    for kind in KINDS {
        let headers = signed(kind);
        let with = |secret: &[u8]| verify(kind, secret, &|name| headers.get(name).cloned(), BODY);
        assert_eq!(with(b""), Err(Refused::NoSecret));
        assert!(matches!(with(b"another"), Err(Refused::WrongSignature { .. })), "{kind}");
        assert!(matches!(with(&SECRET[..SECRET.len() - 1]), Err(Refused::WrongSignature { .. })), "{kind}");
    }
    // A forge with an empty secret signs all the same.
    let mut headers = signed(Kind::Gitlab);
    headers.insert("x-gitlab-token", String::new());
    assert!(verify(Kind::Gitlab, b"", &|name| headers.get(name).cloned(), BODY).is_err());
}

#[test]
fn ids_and_events_are_short_and_printable() {
    for kind in KINDS {
        let names: &[&'static str] = match kind {
            Kind::Github => &["x-github-delivery", "x-github-event"],
            Kind::Gitlab => &["x-gitlab-event-uuid", "x-gitlab-event"],
            Kind::Gitea => &["x-gitea-delivery", "x-gitea-event"],
        };
        for name in names {
            for wrong in ["", "  ", "a\nb", "ä", &"x".repeat(201)] {
                let mut headers = signed(kind);
                headers.insert(name, wrong.to_owned());
                assert_eq!(check(kind, &headers), Err(Refused::BadName { header: name }));
            }
            let mut headers = signed(kind);
            headers.insert(name, "x".repeat(200));
            assert!(check(kind, &headers).is_ok());
            headers.remove(name);
            assert_eq!(check(kind, &headers), Err(Refused::BadName { header: name }));
        }
    }
}

proptest! {
    #[test]
    fn one_bit_of_the_body_counts(bit in 0..BODY.len() * 8, gitea: bool) {
        let kind = if gitea { Kind::Gitea } else { Kind::Github };
        let headers = signed(kind);
        let mut body = BODY.to_vec();
        body[bit / 8] ^= 1 << (bit % 8);
        let checked = verify(kind, SECRET, &|name| headers.get(name).cloned(), &body);
        let is_refused = matches!(checked, Err(Refused::WrongSignature { .. }));
        prop_assert!(is_refused);
    }

    #[test]
    fn one_bit_of_the_signature_counts(bit in 0..256_usize, gitea: bool) {
        let kind = if gitea { Kind::Gitea } else { Kind::Github };
        let mut tag = hex::decode(SIGNATURE).unwrap();
        tag[bit / 8] ^= 1 << (bit % 8);
        let prefix = if gitea { "" } else { "sha256=" };
        let mut headers = signed(kind);
        headers.insert(name_of_signature(kind), format!("{prefix}{}", hex::encode(tag)));
        let is_refused = matches!(check(kind, &headers), Err(Refused::WrongSignature { .. }));
        prop_assert!(is_refused);
    }

    #[test]
    fn one_character_of_the_token_counts(at in 0..SECRET.len(), other in "[ -~]") {
        let mut token = SECRET.to_vec();
        prop_assume!(token[at] != other.as_bytes()[0]);
        token[at] = other.as_bytes()[0];
        let mut headers = signed(Kind::Gitlab);
        headers.insert("x-gitlab-token", String::from_utf8(token).unwrap());
        prop_assert!(check(Kind::Gitlab, &headers).is_err());
    }

    #[test]
    fn no_header_and_no_body_makes_it_panic(text: String, body: Vec<u8>, secret: Vec<u8>) {
        for kind in KINDS {
            prop_assert!(verify(kind, &secret, &|_| Some(text.clone()), &body).is_err());
            let _ = read(kind, &text, &body);
        }
    }

    #[test]
    fn no_event_makes_it_panic(
        which in 0..9_usize,
        cut in 0..4_000_usize,
        at in 0..4_000_usize,
        byte: u8,
    ) {
        let (kind, event, body): (_, _, &[u8]) = [
            (Kind::Github, "push", &include_bytes!("events/github/push.json")[..]),
            (Kind::Github, "pull_request", include_bytes!("events/github/pull_request_opened.json")),
            (Kind::Github, "issue_comment", include_bytes!("events/github/issue_comment_created.json")),
            (Kind::Github, "installation", include_bytes!("events/github/installation_created.json")),
            (Kind::Gitea, "pull_request", include_bytes!("events/gitea/pull_request_title.json")),
            (Kind::Gitea, "issue_comment", include_bytes!("events/gitea/issue_comment_created.json")),
            (Kind::Gitlab, "Push Hook", include_bytes!("events/gitlab/push.json")),
            (Kind::Gitlab, "Merge Request Hook", include_bytes!("events/gitlab/merge_request_ready.json")),
            (Kind::Gitlab, "Note Hook", include_bytes!("events/gitlab/note.json")),
        ][which];
        let mut changed = body.to_vec();
        let place = at % changed.len();
        changed[place] = byte;
        let _ = read(kind, event, &changed);
        // The last two bytes are the brace and a line break.
        changed.truncate(cut % (body.len() - 2));
        prop_assert!(read(kind, event, &changed).is_err(), "half an event is not an event");
    }
}
