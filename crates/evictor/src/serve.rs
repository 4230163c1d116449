//! The evictor as a process: one request a line, one reply a line, like drivers.

use std::io::{self, BufReader, Write};
use std::process::ExitCode;

use tlslab_protocol::{Reply, Request, decode_line, encode_line, read_line};

use crate::Evictor;

/// Answers requests on standard input until `bye` or its end, and returns the exit status.
pub fn serve() -> ExitCode {
    let mut evictor = Evictor::default();
    let (mut input, mut output) = (BufReader::new(io::stdin().lock()), io::stdout().lock());
    while let Ok(Some(line)) = read_line(&mut input) {
        let reply = match decode_line::<Request>(&line) {
            Ok(Request::Evict {}) => {
                evictor.evict();
                Reply::Evicted {}
            }
            Ok(Request::Bye {}) => Reply::Bye {},
            Ok(_) => Reply::Failed { reason: "the evictor speaks no TLS".to_owned() },
            Err(cause) => Reply::Failed { reason: format!("not a request: {cause}") },
        };
        let is_last = reply == Reply::Bye {};
        if output.write_all(encode_line(&reply).as_bytes()).and_then(|()| output.flush()).is_err() {
            return ExitCode::FAILURE;
        }
        if is_last {
            break;
        }
    }
    ExitCode::SUCCESS
}
