//! Reasons why a connection stopped.

use tlslab_protocol::{Refusal, Side, Step};

use crate::{EndpointError, Unready};

/// A connection that stopped.
pub struct Stopped {
    side: Side,
    step: Step,
    error: String,
}

impl Stopped {
    /// A library's call failed.
    pub fn at(side: Side, step: Step) -> impl FnOnce(EndpointError) -> Self {
        move |error| Self { side, step, error: error.0 }
    }

    /// The transport between the two failed.
    pub fn on_the_way(from: Side, step: Step, error: String) -> Self {
        Self { side: from, step, error }
    }

    /// The contexts could not be made.
    pub fn of_context(unready: Unready) -> Self {
        let error = match unready {
            Unready::Unsupported(reason) | Unready::Failed(reason) => reason,
        };
        Self { side: Side::Client, step: Step::Handshake, error: format!("no contexts: {error}") }
    }

    pub fn waiting(side: Side) -> Self {
        let error = "waits for bytes that never come".to_owned();
        Self { side, step: Step::Handshake, error }
    }

    pub fn of_session(error: EndpointError) -> Self {
        Self { side: Side::Client, step: Step::PostHandshake, error: error.0 }
    }

    pub fn of_handshake(error: String) -> Self {
        Self { side: Side::Server, step: Step::Handshake, error }
    }

    /// A side has not seen its peer's closing alert, or has one more to send.
    pub fn unclosed(side: Side, what: &str) -> Self {
        Self { side, step: Step::Close, error: what.to_owned() }
    }

    pub fn short(side: Side, got: usize, sent: usize) -> Self {
        Self { side, step: Step::Data, error: format!("received {got} of {sent} bytes") }
    }
}

impl From<Stopped> for Refusal {
    fn from(stopped: Stopped) -> Self {
        Refusal { side: stopped.side, step: stopped.step, error: stopped.error }
    }
}

impl From<Stopped> for String {
    fn from(stopped: Stopped) -> Self {
        let step = match stopped.step {
            Step::Handshake => "in the handshake",
            Step::PostHandshake => "after the handshake",
            Step::Data => "with application data",
            Step::Close => "while it closed",
        };
        format!("the {} stopped {step}: {}", stopped.side, stopped.error)
    }
}
