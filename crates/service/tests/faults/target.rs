//! A receiver of notices with outages: it reads a request and does not answer, or accepts none.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The received notices: how often each was answered.
type Got = Arc<Mutex<BTreeMap<String, usize>>>;

/// The address.
pub(crate) struct Target {
    port: u16,
    is_away: Arc<AtomicBool>,
    got: Got,
}

impl Target {
    /// Listens until the test ends.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (is_away, got) = (Arc::<AtomicBool>::default(), Got::default());
        let (away, kept) = (is_away.clone(), got.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = answer(stream, &away, &kept);
            }
        });
        Self { port, is_away, got }
    }

    /// Lines of a service's configuration.
    pub(crate) fn configuration(&self) -> String {
        format!("[[notify]]\nname = \"ops\"\nurl = \"http://127.0.0.1:{}/\"\non = [\"disk\"]\n", self.port)
    }

    /// It does not answer, or does again.
    pub(crate) fn set_away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::SeqCst);
    }

    /// The errors: each of these runners, whose disks are small, has one notice.
    pub(crate) fn wrong(&self, runners: usize) -> Vec<String> {
        let got = self.got.lock().unwrap();
        let of = |number: usize| {
            let start = format!("disk:runner:runner-{number}:");
            let ids: Vec<&String> = got.keys().filter(|id| id.starts_with(&start)).collect();
            (ids.len() != 1)
                .then(|| format!("runner {number} has {} notices of its disk: {ids:?}", ids.len()))
        };
        (0..runners).filter_map(of).collect()
    }
}

fn answer(mut stream: TcpStream, is_away: &AtomicBool, got: &Got) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let (mut text, mut part) = (String::new(), [0; 4096]);
    while text.split_once("\r\n\r\n").is_none_or(|(_, body)| !body.ends_with('}')) {
        match stream.read(&mut part)? {
            0 => return Ok(()),
            read => text.push_str(&String::from_utf8_lossy(&part[..read])),
        }
    }
    if is_away.load(Ordering::SeqCst) {
        return Ok(());
    }
    let id = text
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("x-tlslab-delivery: ").map(str::to_owned));
    *got.lock().unwrap().entry(id.unwrap_or_default()).or_default() += 1;
    stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
}
