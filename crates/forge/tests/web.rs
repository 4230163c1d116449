//! Requests over the network: the token in each forge's header, and the parts of an answer that are read.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

use serde_json::json;
use tlslab_forge::{Answer, Ask, Kind, Token, Transport, Web};

/// Answers one request, and returns it.
fn serve(answer: &'static str) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line = line.trim_end().to_owned();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                length = value.parse().unwrap();
            }
            head += &format!("{line}\n");
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        stream.write_all(answer.as_bytes()).unwrap();
        head + &String::from_utf8(body).unwrap()
    });
    (address, server)
}

fn ask(web: &mut Web, token: Option<&str>, body: Option<serde_json::Value>) -> (Answer, String) {
    let (address, server) = serve(
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 17\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 1767225600\r\n\
         Content-Length: 16\r\nConnection: close\r\n\r\n{\"message\":\"no\"}",
    );
    let method = if body.is_some() { "POST" } else { "GET" };
    let token = token.map(|token| Token::new(token).unwrap());
    let ask = Ask { method, url: format!("{address}/api/x?y=z"), body, token };
    let answer = web.send(&ask).unwrap();
    (answer, server.join().unwrap())
}

/// The value of a header.
fn header(sent: &str, name: &str) -> Option<String> {
    sent.lines().find_map(|line| {
        let (found, value) = line.split_once(": ")?;
        found.eq_ignore_ascii_case(name).then(|| value.to_owned())
    })
}

#[test]
fn a_token_has_each_forges_header() {
    for (kind, name, own, given) in [
        (Kind::Github, "authorization", "Bearer own", "Bearer given"),
        (Kind::Gitlab, "private-token", "own", "given"),
        (Kind::Gitea, "authorization", "token own", "token given"),
    ] {
        let mut web = Web::new(kind, "own");
        let (_, sent) = ask(&mut web, None, None);
        assert!(sent.starts_with("GET /api/x?y=z HTTP/1.1\n"), "{sent}");
        assert_eq!(header(&sent, name).as_deref(), Some(own));
        let (_, sent) = ask(&mut web, Some("given"), None);
        assert_eq!(header(&sent, name).as_deref(), Some(given));
        assert!(!sent.contains("own"), "{sent}");
        let (_, sent) = ask(&mut Web::without_token(kind), None, None);
        assert_eq!(header(&sent, name), None);
    }
}

#[test]
fn an_answer_has_its_limits() {
    let (answer, sent) = ask(&mut Web::new(Kind::Github, "own"), None, Some(json!({ "body": "größer" })));
    assert!(sent.ends_with("{\"body\":\"größer\"}"), "{sent}");
    assert_eq!(header(&sent, "content-type").as_deref(), Some("application/json"));
    let expected = Answer {
        status: 429,
        retry_after_s: Some(17),
        remaining: Some(0),
        reset_unix_s: Some(1_767_225_600),
        body: json!({ "message": "no" }),
    };
    assert_eq!(answer, expected);
}
