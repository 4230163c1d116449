//! A supervisor has the socket: who connects while no service runs is answered by the next one.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// As systemd does it: the socket is number 3, and variables tell this process.
fn start(listener: &TcpListener, folder: &std::path::Path) -> Child {
    let socket = listener.as_raw_fd();
    let mut command = Command::new("/bin/sh");
    let program = env!("CARGO_BIN_EXE_tlslab-service");
    command.args(["-c", "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$@\"", "sh", program, "--lab", "/bin/true"]);
    command.arg("--config").arg(folder.join("service.toml")).stdin(Stdio::null());
    // SAFETY: both are system calls, which may be made between fork and exec.
    unsafe {
        command.pre_exec(move || {
            // A copy stays open; the original, if it has that number already, is set to.
            let done = if socket == 3 { libc::fcntl(3, libc::F_SETFD, 0) } else { libc::dup2(socket, 3) };
            if done < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
        });
    }
    command.spawn().unwrap()
}

#[test]
fn nobody_is_refused_between_two_services() {
    let folder = tempfile::tempdir().unwrap();
    let config =
        format!("listen = \"127.0.0.1:1\"\nfolder = \"{}\"\nlocal_runner = false\n", folder.path().display());
    std::fs::write(folder.path().join("service.toml"), config).unwrap();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let ask = || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        stream
    };
    let answer = |mut stream: TcpStream| {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    };
    for _ in 0..2 {
        let waits = ask();
        let mut service = start(&listener, folder.path());
        let text = answer(waits);
        assert!(text.contains(" 200 ") && text.contains("\"ok\""), "{text}");
        service.kill().unwrap();
        service.wait().unwrap();
    }
}
