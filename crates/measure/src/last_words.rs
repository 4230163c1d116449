//! The last lines of a driver's standard error.

use std::io::Read;
use std::process::ChildStderr;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The size of the stored end of a driver's standard error.
const BYTES: usize = 2048;
/// The number of lines that are shown.
const LINES: usize = 3;
/// How long the lab waits for the rest of the standard error of a driver that has ended.
const READ: Duration = Duration::from_millis(500);
const SHORTLY: Duration = Duration::from_millis(2);
/// Part of the message in which a driver reports that a signal ended its forked copy.
const BY_SIGNAL: &str = "was ended by signal";

/// The end of a driver's standard error, read as it arrives.
pub(crate) struct LastWords {
    kept: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl LastWords {
    /// Of this stream.
    pub(crate) fn of(stderr: ChildStderr) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let into = kept.clone();
        Self { kept, reader: thread::spawn(move || keep(stderr, &into)) }
    }

    /// The lines of a driver that has ended. Its children may hold the stream open for longer.
    pub(crate) fn at_the_end(&self) -> String {
        let deadline = Instant::now() + READ;
        while !self.reader.is_finished() && Instant::now() < deadline {
            thread::sleep(SHORTLY);
        }
        shorten(&self.now())
    }

    /// Why a driver failed, with the last lines of a copy of it that a signal ended.
    pub(crate) fn explain(&self, reason: String) -> String {
        if !reason.contains(BY_SIGNAL) {
            return reason;
        }
        let deadline = Instant::now() + READ;
        while self.now().is_empty() && Instant::now() < deadline {
            thread::sleep(SHORTLY);
        }
        let words = shorten(&self.now());
        if words.is_empty() { reason } else { format!("{reason}: {words}") }
    }

    fn now(&self) -> String {
        // A poisoned lock means that the reader thread panicked; its bytes are still valid.
        let bytes = self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn keep(mut stderr: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut chunk) {
        let mut kept = kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        kept.extend_from_slice(&chunk[..count]);
        let surplus = kept.len().saturating_sub(BYTES);
        kept.drain(..surplus);
    }
}

/// The last lines, or their meaning.
fn shorten(said: &str) -> String {
    let last = said.lines().rev().take(LINES).collect::<Vec<_>>();
    let words = || last.into_iter().rev().collect::<Vec<_>>().join(" | ");
    illegal_instruction(said).unwrap_or_else(words)
}

/// Valgrind's message about an unknown instruction, as a sentence.
///
/// Valgrind decodes instructions itself, and lacks some of a processor's, such as those of AVX-512.
fn illegal_instruction(last_words: &str) -> Option<String> {
    let mut lines = last_words.lines().skip_while(|line| !line.contains("(SIGILL)"));
    lines.next()?;
    // `==12==    at 0x109159: compute (source.c:12)`
    let place = lines.take(3).find_map(|line| line.split_once(" at 0x")?.1.split_once(": "));
    let place = match place {
        Some((_, function)) if !function.starts_with("???") => function.trim().to_owned(),
        Some((address, place)) => {
            format!("the address 0x{address}{}", place.trim_start_matches("???").trim_end())
        }
        None => "an unknown place".to_owned(),
    };
    Some(format!(
        "valgrind does not know an instruction of {place}, such as one of AVX-512; `--counter native` counts on the processor itself"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_is_named() {
        let words = "==15690== \n==15690== Process terminating with default action of signal 4 (SIGILL)\n\
                     ==15690==  Illegal opcode at address 0x109159\n\
                     ==15690==    at 0x109159: compute (avx512fintrin.h:4173)\n==15690==    by 0x1091B4: main (a.c:6)\n";
        let text = illegal_instruction(words).unwrap();
        assert!(text.contains("an instruction of compute (avx512fintrin.h:4173), such as"), "{text}");
        let nameless = words.replace("compute (avx512fintrin.h:4173)", "??? (in /tmp/b)");
        let text = illegal_instruction(&nameless).unwrap();
        assert!(text.contains("an instruction of the address 0x109159 (in /tmp/b), such as"), "{text}");
        assert!(
            illegal_instruction("==1== Process terminating with default action of signal 4 (SIGILL)")
                .is_some()
        );
        assert_eq!(
            illegal_instruction("==1== Process terminating with default action of signal 6 (SIGABRT)"),
            None
        );
    }
}
