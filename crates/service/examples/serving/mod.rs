//! A service for a benchmark, and the machine's load meanwhile.

#![allow(dead_code, reason = "each benchmark uses a part of it")]

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};

/// Ends the service with the program.
pub(crate) struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Starts the program tlslab-service, which must have been built in the benchmark's folder, with this
    /// configuration.
    pub(crate) fn start(config: &Path) -> Self {
        let program = program();
        let mut command = Command::new(&program);
        command.arg("--config").arg(config).args(["--lab", "/bin/true"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().unwrap_or_else(|cause| panic!("{}: {cause}", program.display())))
    }

    /// Its resident memory, MiB.
    pub(crate) fn resident_mib(&self) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/statm", self.0.id())).unwrap_or_default();
        let pages: u64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default();
        pages * 4096 / (1 << 20)
    }
}

/// The program tlslab-service, which must have been built in the benchmark's folder.
pub(crate) fn program() -> std::path::PathBuf {
    let own = std::env::current_exe().expect("this program has a file");
    own.ancestors().nth(2).expect("examples have a folder").join("tlslab-service")
}

/// The load averages of the machine.
pub(crate) fn load() -> String {
    fs::read_to_string("/proc/loadavg").unwrap_or_default().split(' ').take(3).collect::<Vec<_>>().join(" ")
}

/// A service without a runner, with its files in a folder and these further lines in its configuration, that listens.
pub(crate) fn start(folder: &Path, port: u16, more: &str) -> anyhow::Result<Running> {
    let config = folder.join("service.toml");
    let folder = folder.canonicalize()?;
    fs::write(
        &config,
        format!(
            "listen = \"127.0.0.1:{port}\"\nfolder = \"{}\"\nlocal_runner = false\n{more}",
            folder.display()
        ),
    )?;
    let running = Running::start(&config);
    let deadline = Instant::now() + Duration::from_secs(30);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        ensure!(Instant::now() < deadline, "the service does not listen after 30 s");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(running)
}

/// A connection of a reader with a separate address, as in a network.
pub(crate) async fn connected(port: u16, reader: u8) -> anyhow::Result<BufReader<TcpStream>> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from(([127, 0, 1, reader], 0)))?;
    Ok(BufReader::new(socket.connect(SocketAddr::from(([127, 0, 0, 1], port))).await?))
}

/// The page at a path.
pub(crate) async fn get(connection: &mut BufReader<TcpStream>, path: &str) -> anyhow::Result<Vec<u8>> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    connection.get_mut().write_all(request.as_bytes()).await?;
    let (mut line, mut length, mut status) = (String::new(), 0usize, String::new());
    loop {
        line.clear();
        ensure!(connection.read_line(&mut line).await? > 0, "the service has closed the connection");
        let text = line.trim();
        if text.is_empty() {
            break;
        }
        match text.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse()?;
            }
            _ if status.is_empty() => status = text.to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).await?;
    if !status.contains(" 200 ") {
        bail!("{path}: {status}: {}", String::from_utf8_lossy(&body));
    }
    Ok(body)
}

/// How long answers took.
pub(crate) fn show(what: &str, mut took: Vec<Duration>) {
    took.sort_unstable();
    let at = |of_100: usize| took.get((took.len() * of_100 / 100).min(took.len().saturating_sub(1)));
    let ms = |of_100| at(of_100).map_or(f64::NAN, |took| took.as_secs_f64() * 1e3);
    println!(
        "{what}: {} answers; p50 {:.2} ms, p90 {:.2} ms, p99 {:.2} ms, longest {:.2} ms",
        took.len(),
        ms(50),
        ms(90),
        ms(99),
        ms(100)
    );
}
