//! A GitHub App: its own tokens, those of its installation, and its check runs.

mod played;

use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{KeyPair, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use played::{HEAD, NOW, Stage, Turn, forge, get, send, transport};
use serde_json::{Value, json};
use tlslab_forge::{App, Client, CommitStatus, ForgeError, Kind, StatusState, Token};

/// One hour after [`NOW`].
const EXPIRES: &str = "2026-01-01T01:00:00Z";
/// Where the key of PKCS#1 begins in one of PKCS#8 that has 2,048 bits.
const PKCS1_START: usize = 26;

fn key() -> (RsaKeyPair, Vec<u8>) {
    let key = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
    let der = key.as_der().unwrap().as_ref().to_vec();
    (key, der)
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines: Vec<&str> =
        text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

fn app() -> App {
    App::new(29310, &pem("PRIVATE KEY", &key().1)).unwrap()
}

fn client(turns: impl IntoIterator<Item = Turn>) -> (Client, Stage) {
    let (transport, stage) = transport(Kind::Github, turns);
    (Client::with_app(forge(Kind::Github), transport, app()), stage)
}

fn installation(id: u64) -> Turn {
    get("repos/lab/tls/installation", 200, json!({ "id": id, "suspended_at": null })).shows("jwt")
}

fn token(id: u64, status: u16, answer: Value) -> Turn {
    let place = format!("app/installations/{id}/access_tokens");
    send("POST", &place, json!({ "repositories": ["tls"] }), status, answer).shows("jwt")
}

fn given(token: &str, expires: &str) -> Value {
    json!({ "token": token, "expires_at": expires })
}

fn permission(token: &'static str, status: u16) -> Turn {
    let answer = json!({ "permission": "write", "user": { "id": 4 }, "message": "x" });
    get("repos/lab/tls/collaborators/contributor/permission", status, answer).shows(token)
}

fn ask(client: &mut Client) -> Result<bool, ForgeError> {
    client.may_write(&played::person("contributor", 4))
}

#[test]
fn a_token_of_the_app_is_signed_and_short_lived() {
    let (key, der) = key();
    for pem in [pem("PRIVATE KEY", &der), pem("RSA PRIVATE KEY", &der[PKCS1_START..])] {
        let app = App::new(29310, &pem).unwrap();
        let jwt = app.jwt(NOW).unwrap();
        let parts: Vec<&str> = jwt.reveal().split('.').collect();
        let part = |at: usize| URL_SAFE_NO_PAD.decode(parts[at]).unwrap();
        let claims: Value = serde_json::from_slice(&part(1)).unwrap();
        assert_eq!(claims, json!({ "iat": NOW - 60, "exp": NOW + 540, "iss": "29310" }));
        let head: Value = serde_json::from_slice(&part(0)).unwrap();
        assert_eq!(head["alg"], "RS256");
        let signed = format!("{}.{}", parts[0], parts[1]);
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.public_key().as_ref());
        public.verify(signed.as_bytes(), &part(2)).unwrap();
        assert!(public.verify(b"another text", &part(2)).is_err());
    }
}

#[test]
fn secrets_are_in_no_message() {
    let (_, der) = key();
    let text = pem("PRIVATE KEY", &der);
    let app = App::new(29310, &text).unwrap();
    let body = text.lines().nth(1).unwrap();
    let shown = format!("{app:?} {:?}", app.jwt(NOW).unwrap());
    assert!(shown.contains("29310") && !shown.contains(body) && !shown.contains("eyJ"), "{shown}");
    for wrong in [
        "",
        "not a key",
        &text[..200],
        &pem("CERTIFICATE", &der),
        &pem("EC PRIVATE KEY", &der),
        &pem("PRIVATE KEY", &der[..100]),
        &pem("RSA PRIVATE KEY", &der),
    ] {
        let error = App::new(1, wrong).unwrap_err();
        assert!(matches!(error, ForgeError::Key { .. }) && !error.to_string().contains(body), "{error}");
    }
    let error = Token::new("secret words").unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
}

#[test]
fn a_token_for_git_may_only_read_and_is_new_each_time() {
    let reads = |names: Value, token: &str| {
        let body = json!({ "repositories": names, "permissions": { "contents": "read" } });
        send("POST", "app/installations/8/access_tokens", body, 201, given(token, EXPIRES)).shows("jwt")
    };
    let refused = json!({ "message": "The permissions requested are not granted to this installation." });
    let (mut client, stage) = client([
        installation(8),
        reads(json!(["tls"]), "one"),
        reads(json!(["tls", "dependency"]), "two"),
        token(8, 201, given("all", EXPIRES)),
        permission("all", 200),
        reads(json!(["tls"]), "three").answers(422, refused),
    ]);
    assert_eq!(client.reading_token(&[]).unwrap().reveal(), "one");
    assert_eq!(client.reading_token(&["lab/dependency".to_owned()]).unwrap().reveal(), "two");
    // It is not the one by which the service asks.
    assert!(ask(&mut client).unwrap());
    let error = client.reading_token(&[]).unwrap_err().to_string();
    assert!(error.contains("not granted"), "{error}");
    stage.is_over();
}

#[test]
fn a_token_is_kept_until_shortly_before_its_end() {
    let (mut client, stage) = client([
        installation(8),
        token(8, 201, given("one", EXPIRES)),
        permission("one", 200),
        permission("one", 200),
    ]);
    assert!(ask(&mut client).unwrap());
    assert!(ask(&mut client).unwrap());
    assert_eq!(client.installation().unwrap(), 8);
    stage.is_over();

    // It ends in less than five minutes.
    let (mut client, stage) = self::client([
        installation(8),
        token(8, 201, given("one", "2026-01-01T00:04:59Z")),
        permission("one", 200),
        token(8, 201, given("two", EXPIRES)),
        permission("two", 200),
    ]);
    assert!(ask(&mut client).unwrap());
    assert!(ask(&mut client).unwrap());
    stage.is_over();
}

#[test]
fn a_token_that_is_not_accepted_any_more_is_renewed_once() {
    let (mut client, stage) = client([
        installation(8),
        token(8, 201, given("one", EXPIRES)),
        permission("one", 401),
        token(8, 201, given("two", EXPIRES)),
        permission("two", 200),
    ]);
    assert!(ask(&mut client).unwrap());
    stage.then([permission("two", 401), token(8, 201, given("three", EXPIRES)), permission("three", 401)]);
    assert!(matches!(ask(&mut client), Err(ForgeError::Unauthorised { .. })));
    stage.is_over();
}

#[test]
fn an_app_that_is_not_installed_or_suspended_says_what_to_do() {
    let missing = get("repos/lab/tls/installation", 404, json!({ "message": "Not Found" })).shows("jwt");
    let error = ask(&mut client([missing]).0).unwrap_err();
    assert!(matches!(error, ForgeError::NotInstalled { .. }), "{error}");
    assert!(error.to_string().contains("install it there"));

    let suspended = json!({ "id": 8, "suspended_at": "2026-01-01T00:00:00Z" });
    let suspended = get("repos/lab/tls/installation", 200, suspended).shows("jwt");
    let error = ask(&mut client([suspended]).0).unwrap_err();
    assert!(matches!(error, ForgeError::Suspended { .. }), "{error}");

    let suspended = token(8, 403, json!({ "message": "This installation has been suspended" }));
    let error = ask(&mut client([installation(8), suspended]).0).unwrap_err();
    assert!(
        matches!(error, ForgeError::Suspended { .. }) && error.to_string().contains("resume it"),
        "{error}"
    );

    let refused = get("repos/lab/tls/installation", 401, json!({ "message": "bad key" })).shows("jwt");
    let error = ask(&mut client([refused]).0).unwrap_err();
    assert!(matches!(error, ForgeError::Unauthorised { .. }), "{error}");
}

#[test]
fn an_installation_that_was_made_anew_is_found() {
    let (mut client, stage) = client([
        installation(8),
        token(8, 201, given("one", "2026-01-01T00:01:00Z")),
        permission("one", 200),
    ]);
    assert!(ask(&mut client).unwrap());
    stage.then([
        token(8, 404, json!({ "message": "Not Found" })),
        installation(9),
        token(9, 201, given("two", EXPIRES)),
        permission("two", 200),
    ]);
    assert!(ask(&mut client).unwrap());
    assert_eq!(client.installation().unwrap(), 9);
    stage.is_over();
}

#[test]
fn an_app_writes_under_its_slug() {
    let (mut client, stage) =
        client([get("app", 200, json!({ "id": 29310, "slug": "tls-lab" })).shows("jwt")]);
    assert_eq!(client.who().unwrap(), "tls-lab[bot]");
    assert_eq!(client.who().unwrap(), "tls-lab[bot]");
    stage.is_over();
}

fn runs(list: Value) -> Turn {
    let query = "check_name=tlslab%2Fcompare&filter=latest&per_page=100&app_id=29310";
    get(&format!("repos/lab/tls/commits/{HEAD}/check-runs?{query}"), 200, json!({ "check_runs": list }))
        .shows("one")
}

fn run(id: u64, status: &str, app: u64) -> Value {
    json!({ "id": id, "name": "tlslab/compare", "status": status, "app": { "id": app } })
}

fn content(status: &str, conclusion: Option<&str>) -> Value {
    let mut body = json!({
        "status": status,
        "details_url": "https://lab.example/jobs/7",
        "output": { "title": "2 regressions", "summary": "2 regressions\n\n[Details](https://lab.example/jobs/7)" },
    });
    if let Some(conclusion) = conclusion {
        body["conclusion"] = json!(conclusion);
    }
    body
}

fn made(mut body: Value) -> Turn {
    body["name"] = json!("tlslab/compare");
    body["head_sha"] = json!(HEAD);
    send("POST", "repos/lab/tls/check-runs", body, 201, json!({ "id": 70 })).shows("one")
}

fn changed(id: u64, body: Value) -> Turn {
    send("PATCH", &format!("repos/lab/tls/check-runs/{id}"), body, 200, json!({ "id": id })).shows("one")
}

fn status(state: StatusState) -> CommitStatus {
    CommitStatus {
        context: "tlslab/compare".to_owned(),
        state,
        title: "2 regressions".to_owned(),
        link: "https://lab.example/jobs/7".to_owned(),
    }
}

#[test]
fn a_check_run_follows_the_job() {
    use StatusState::{Cancelled, Error, Failure, Queued, Running, Success};
    let (mut client, stage) = client([
        installation(8),
        token(8, 201, given("one", EXPIRES)),
        runs(json!([])),
        made(content("queued", None)),
    ]);
    client.set_status(HEAD, &status(Queued)).unwrap();
    stage.then([runs(json!([run(70, "queued", 29310)])), changed(70, content("in_progress", None))]);
    client.set_status(HEAD, &status(Running)).unwrap();
    for (state, conclusion) in
        [(Success, "success"), (Failure, "failure"), (Error, "action_required"), (Cancelled, "cancelled")]
    {
        let body = content("completed", Some(conclusion));
        stage.then([runs(json!([run(70, "in_progress", 29310)])), changed(70, body)]);
        client.set_status(HEAD, &status(state)).unwrap();
    }
    stage.is_over();
}

#[test]
fn a_check_run_that_has_ended_is_not_begun_again() {
    let (mut client, stage) = client([
        installation(8),
        token(8, 201, given("one", EXPIRES)),
        runs(json!([run(70, "completed", 29310)])),
        made(content("queued", None)),
    ]);
    client.set_status(HEAD, &status(StatusState::Queued)).unwrap();
    // Its end may change, and the newest one counts.
    let list = json!([run(70, "completed", 29310), run(71, "completed", 29310)]);
    stage.then([runs(list), changed(71, content("completed", Some("success")))]);
    client.set_status(HEAD, &status(StatusState::Success)).unwrap();
    stage.is_over();
}

#[test]
fn check_runs_of_others_are_not_touched() {
    let mut other = run(71, "queued", 29310);
    other["name"] = json!("tlslab/other");
    let (mut client, stage) = client([
        installation(8),
        token(8, 201, given("one", EXPIRES)),
        runs(json!([run(70, "queued", 1), other, json!({})])),
        made(content("queued", None)),
    ]);
    client.set_status(HEAD, &status(StatusState::Queued)).unwrap();
    stage.is_over();
}

#[test]
fn the_texts_of_a_check_run_are_cut() {
    let summary = format!("{}…", "ß".repeat((65_535 - 3) / 2));
    let body = json!({
        "status": "in_progress",
        "output": { "title": format!("{}…", "ß".repeat(254)), "summary": summary },
    });
    let (mut client, stage) =
        client([installation(8), token(8, 201, given("one", EXPIRES)), runs(json!([])), made(body)]);
    let long =
        CommitStatus { title: "ß".repeat(70_000), link: String::new(), ..status(StatusState::Running) };
    client.set_status(HEAD, &long).unwrap();
    stage.is_over();
}

#[test]
fn limits_of_the_app_itself_are_named_too() {
    let limited = get("repos/lab/tls/installation", 429, json!({})).shows("jwt").retry_after(30);
    assert!(matches!(ask(&mut client([limited]).0), Err(ForgeError::Busy { retry_after_s: 30, .. })));
    let limited = token(8, 503, json!({}));
    assert!(matches!(
        ask(&mut client([installation(8), limited]).0),
        Err(ForgeError::Busy { retry_after_s: 10, .. })
    ));
}
