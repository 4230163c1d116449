//! Code hosts of one's own: an API below a path, a certificate of one's own authority, and a proxy on the way. `tlslab-service check` asks a
//! GitHub Enterprise Server as an App and a GitLab below a relative address, with the shapes of their documentation.

#[allow(dead_code, reason = "it counts connections for another test")]
#[path = "../faults/proxy.rs"]
mod ends_tls;
#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use ends_tls::Proxy;
use serde_json::{Value, json};
use support::{SECRET, write_secret};

/// The requests to a code host: method, path and body.
type Asked = Arc<Mutex<Vec<String>>>;

#[test]
fn code_hosts_below_a_path_behind_an_authority_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (host, asked) = code_host();
    let tls = Proxy::start(folder, &[IpAddr::V4(Ipv4Addr::LOCALHOST)], host);
    secrets(folder);
    let certificate = format!("ca = \"{}\"", tls.authority().display());

    configure(folder, tls.port(), "");
    let (_, text) = check(folder, &[]);
    assert!(
        text.contains("an authority that this machine does not know; name it with `ca`")
            && asked.lock().unwrap().is_empty(),
        "{text}"
    );

    configure(folder, tls.port(), &certificate);
    let (_, text) = check(folder, &[]);
    for line in [
        "enterprise: account: lab[bot]",
        "enterprise: rights: it may ask who may write to o/n",
        "enterprise: pull requests: 0 are open",
        "enterprise: privacy: git shows a token of the App to https://ghes.example/o/n.git, https://ghes.example/o/dependency.git",
        "relative: account: bot",
        "relative: rights: it may ask who may write to group/n",
        "relative: pull requests: 0 are open",
        "relative: privacy: git shows the token of the configuration to https://host.example/gitlab/group/n.git",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    let reads = json!({ "permissions": { "contents": "read" }, "repositories": ["n", "dependency"] });
    let minted = format!("POST /api/v3/app/installations/5/access_tokens {reads}");
    assert!(asked.contains(&minted), "{minted}: {asked:?}");
    assert!(asked.iter().any(|line| line.starts_with("GET /gitlab/api/v4/projects/group%2Fn/")), "{asked:?}");
    let is_below = |line: &String| line.contains(" /api/v3/") || line.contains(" /gitlab/api/v4/");
    assert!(asked.iter().all(is_below), "{asked:?}");

    fs::write(folder.join("damaged.pem"), "no certificate").unwrap();
    configure(folder, tls.port(), "ca = \"damaged.pem\"");
    let (is_well, text) = check(folder, &["--offline"]);
    assert!(!is_well && text.contains("`ca`") && text.contains("BEGIN CERTIFICATE"), "{text}");
}

#[test]
fn a_proxy_carries_what_is_asked_and_no_proxy_excepts_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (host, asked) = code_host();
    let tls = Proxy::start(folder, &[IpAddr::V4(Ipv4Addr::LOCALHOST)], host);
    let (proxy, carried) = connecting_proxy();
    secrets(folder);
    configure(folder, tls.port(), &format!("ca = \"{}\"", tls.authority().display()));
    let variable = format!("http://127.0.0.1:{proxy}");
    let (_, text) = check_with(folder, &[], &[("HTTPS_PROXY", &variable)]);
    assert!(text.contains("relative: account: bot"), "{text}");
    let through = std::mem::take(&mut *carried.lock().unwrap());
    assert!(
        !through.is_empty()
            && through.iter().all(|line| *line == format!("CONNECT 127.0.0.1:{} HTTP/1.1", tls.port())),
        "{through:?}"
    );
    let before = asked.lock().unwrap().len();
    let (_, text) = check_with(folder, &[], &[("HTTPS_PROXY", &variable), ("NO_PROXY", "127.0.0.1")]);
    assert!(text.contains("relative: account: bot") && asked.lock().unwrap().len() > before, "{text}");
    assert!(carried.lock().unwrap().is_empty());
}

fn secrets(folder: &Path) {
    for (name, text) in [("hook", SECRET), ("token", "powerful"), ("reader", "reads")] {
        write_secret(&folder.join(name), text);
    }
    let key = folder.join("key");
    let made = Command::new("openssl").args(["genrsa", "-out"]).arg(&key).arg("2048").output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let text = fs::read_to_string(&key).unwrap();
    write_secret(&key, &text);
}

fn configure(folder: &Path, port: u16, more: &str) {
    let service = folder.join("service");
    let text = format!(
        r#"
        folder = "{}"
        public_reading = false
        local_runner = false
        [[forge]]
        name = "ghes"
        kind = "github"
        api = "https://127.0.0.1:{port}/api/v3"
        app = 7
        app_key = {{ file = "key" }}
        webhook_secret = {{ file = "hook" }}
        {more}
        [[forge]]
        name = "gitlab"
        kind = "gitlab"
        api = "https://127.0.0.1:{port}/gitlab/api/v4"
        token = {{ file = "token" }}
        fetch_token = {{ file = "reader" }}
        fetch_user = "gitlab+deploy-token-1"
        webhook_secret = {{ file = "hook" }}
        {more}
        [[project]]
        name = "enterprise"
        forge = "ghes"
        repository = "o/n"
        stacks = ["tiny"]
        private = true
        submodules = ["o/dependency"]
        [[project]]
        name = "relative"
        forge = "gitlab"
        repository = "group/n"
        stacks = ["tiny"]
        private = true
        "#,
        service.display()
    );
    fs::create_dir_all(service).unwrap();
    fs::write(folder.join("service.toml"), text).unwrap();
}

fn check(folder: &Path, arguments: &[&str]) -> (bool, String) {
    check_with(folder, arguments, &[])
}

/// Whether `check` succeeded, and its output.
fn check_with(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab-service"));
    command.arg("--config").arg(folder.join("service.toml")).arg("check").args(arguments);
    for name in ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"] {
        command.env_remove(name).env_remove(name.to_ascii_lowercase());
    }
    let done = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap() + &String::from_utf8(done.stderr).unwrap();
    (done.status.success(), text)
}

/// Both code hosts at one port, without TLS.
fn code_host() -> (u16, Asked) {
    let asked = Asked::default();
    let kept = asked.clone();
    let port = listen(move |stream| {
        let mut reader = BufReader::new(stream);
        let (line, length) = head(&mut reader)?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        if line.is_empty() {
            // A client that does not trust the certificate sends no request.
            return Ok(());
        }
        let mut words = line.split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let body =
            serde_json::from_slice::<Value>(&body).map_or_else(|_| String::new(), |body| format!(" {body}"));
        kept.lock().unwrap().push(format!("{method} {path}{body}"));
        let (status, text) = answer(path).map_or((404, "{}".to_owned()), |answer| (200, answer.to_string()));
        let length = text.len();
        let text =
            format!("HTTP/1.1 {status} -\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{text}");
        reader.get_mut().write_all(text.as_bytes())
    });
    (port, asked)
}

fn answer(path: &str) -> Option<Value> {
    let path = path.split('?').next()?;
    let repository = json!({
        "id": 1, "full_name": "o/n", "default_branch": "main", "private": true, "clone_url": "https://ghes.example/o/n.git",
    });
    let project = json!({
        "id": 1, "path_with_namespace": "group/n", "default_branch": "main", "visibility": "private",
        "http_url_to_repo": "https://host.example/gitlab/group/n.git",
    });
    Some(match path.strip_prefix("/api/v3/") {
        Some("app") => json!({ "id": 7, "slug": "lab" }),
        Some("repos/o/n/installation") => json!({ "id": 5, "suspended_at": null }),
        Some("app/installations/5/access_tokens") => {
            json!({ "token": "ghs_1", "expires_at": "2099-01-01T00:00:00Z" })
        }
        Some("repos/o/n") => repository,
        Some("repos/o/n/pulls") => json!([]),
        Some("repos/o/n/collaborators/o/permission") => {
            json!({ "permission": "admin", "user": { "login": "o", "id": 1 } })
        }
        Some(_) => return None,
        None => match path.strip_prefix("/gitlab/api/v4/")? {
            "user" => json!({ "id": 3, "username": "bot" }),
            "projects/group%2Fn" => project,
            "projects/group%2Fn/merge_requests" | "projects/group%2Fn/hooks" => json!([]),
            "projects/group%2Fn/members/all/1" => json!({ "id": 1, "username": "group", "access_level": 40 }),
            _ => return None,
        },
    })
}

/// A proxy that only connects, and its requests.
fn connecting_proxy() -> (u16, Asked) {
    let carried = Asked::default();
    let kept = carried.clone();
    let port = listen(move |stream| {
        let mut reader = BufReader::new(stream.try_clone()?);
        let (line, _) = head(&mut reader)?;
        let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
        kept.lock().unwrap().push(line);
        let upstream = TcpStream::connect(target)?;
        let mut client = stream;
        client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n")?;
        let (mut back, mut to_client) = (upstream.try_clone()?, client.try_clone()?);
        std::thread::spawn(move || std::io::copy(&mut back, &mut to_client));
        let mut forth = upstream;
        std::io::copy(&mut client, &mut forth).map(drop)
    });
    (port, carried)
}

/// The first line of a request, and how long its body is.
fn head(reader: &mut impl BufRead) -> std::io::Result<(String, usize)> {
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else {
            return Ok((first.trim_end().to_owned(), length));
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or_default();
        }
    }
}

fn listen(carry: impl Fn(TcpStream) -> std::io::Result<()> + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let carry = Arc::new(carry);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let carry = carry.clone();
            std::thread::spawn(move || carry(stream).ok());
        }
    });
    port
}
