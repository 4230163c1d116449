//! A service that gives a job away and then sends nothing more, as behind a broken network.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use tlslab_runner::wire::WIRE;
use tlslab_runner::{Client, Runner, RunnerConfig, Until};

const LEASE_MS: u64 = 3_000;
/// Less than the limit of an ordinary request, and much more than the lease.
const NOTICED_WITHIN: Duration = Duration::from_secs(60);

/// Answers the first greeting and the first question for a job; keeps everything else open.
fn serve(listener: &TcpListener) {
    let mut kept = Vec::new();
    for stream in listener.incoming().flatten() {
        let Some(path) = read_request(&stream) else { continue };
        let answer = match &*path {
            "/runner/v1/hello" => format!(r#"{{"name": "r", "lease_ms": {LEASE_MS}, "wire": {WIRE}}}"#),
            "/runner/v1/take" => {
                let step =
                    r#"{"job": {"id": "a"}, "cache": "own", "state": "proving", "fault": "candidate"}"#;
                format!(
                    r#"{{"wire": {WIRE}, "lease": {{"job": "a", "token": 1, "lease_ms": {LEASE_MS}, "body": {{"steps": [{step}]}}}}, "rests": null}}"#
                )
            }
            _ => {
                kept.push(stream);
                continue;
            }
        };
        let head =
            format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", answer.len());
        let _ = (&stream).write_all(format!("{head}{answer}").as_bytes());
    }
}

/// The path of a complete request.
fn read_request(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).ok()?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    first.split(' ').nth(1).map(str::to_owned)
}

fn write_lab(path: &Path) {
    fs::write(path, "#!/bin/sh\necho $$ > \"${0%/*}/process\"\nexec sleep 600\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_end_of_a_lease_is_noticed_though_no_answer_comes() {
    let folder = tempfile::tempdir().unwrap();
    let lab = folder.path().join("lab");
    write_lab(&lab);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || serve(&listener));
    let (said, heard) = channel();
    let config = RunnerConfig {
        machine: Default::default(),
        counting: None,
        lab,
        directory: folder.path().to_owned(),
        root: None,
        cache: None,
        folder: folder.path().to_owned(),
        room_bytes: 0,
        report: Box::new(move |text| drop(said.send(text.to_owned()))),
    };
    let client = Client::new(&address, "key").unwrap();
    std::thread::spawn(move || {
        let never = AtomicBool::new(false);
        Runner::new(config, client).run(&Until { stop: &never, drain: &never, only_waiting: false }).ok()
    });
    let mut all = Vec::new();
    loop {
        match heard.recv_timeout(NOTICED_WITHIN) {
            Ok(text) if text.contains("the lease has ended") => break,
            Ok(text) => all.push(text),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                panic!("the runner has not noticed; it said {all:?}")
            }
        }
    }
    let process = fs::read_to_string(folder.path().join("process")).unwrap();
    let process = Path::new("/proc").join(process.trim());
    for _ in 0..300 {
        if !process.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("the job continues");
}
