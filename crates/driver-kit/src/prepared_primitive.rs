//! Repetition of one primitive: its setup is untimed, its operations are timed in bursts.

use tlslab_protocol::{Measurement, Operation, Primitive as Wanted, PrimitiveFacts, record_nonce};

use crate::contract::primitive::{Assignment, Primitive};
use crate::memory::placement;
use crate::pair::{pattern, placed_buffer};
use crate::timing::meter::{Laps, Meter};
use crate::timing::phase::Phase;
use crate::timing::turn::Turn;
use crate::{Buffer, EndpointError};

/// A prepared primitive.
pub(crate) struct PreparedPrimitive<'e> {
    object: Box<dyn Primitive + 'e>,
    wanted: Wanted,
    assignment: Assignment,
    /// The peer's share.
    peer: Vec<u8>,
    message: Vec<u8>,
    /// The inputs of a burst's operations, one after the other, and where each ends.
    inputs: Buffer,
    ends: Vec<usize>,
    output: Buffer,
    sequence: u64,
}

/// An upper bound of an AEAD's overhead, and of a signature, share or secret, bytes.
const ROOM: usize = 32 * 1024;

impl<'e> PreparedPrimitive<'e> {
    /// Prepares an object that was made for an assignment.
    pub(crate) fn new(
        object: Box<dyn Primitive + 'e>,
        wanted: Wanted,
        assignment: Assignment,
        peer: Vec<u8>,
    ) -> Self {
        let bytes = wanted.bytes as usize;
        placement::move_heap();
        let mut assignment = assignment;
        if let Some((key, iv)) = object.own_keys() {
            (assignment.key, assignment.iv) = (key, iv);
        }
        Self {
            object,
            wanted,
            peer,
            message: if wanted.operation == Operation::Sign {
                assignment.message.clone()
            } else {
                pattern(bytes)
            },
            assignment,
            inputs: placed_buffer(ROOM + wanted.burst as usize * (bytes + 512)),
            ends: Vec::with_capacity(wanted.burst as usize),
            output: placed_buffer(bytes + ROOM),
            sequence: 0,
        }
    }

    /// Does the operation as a turn requests.
    pub(crate) fn measure(&mut self, turn: Turn) -> Result<Vec<Measurement>, String> {
        let mut laps = Laps::start();
        let done = turn.run(u64::from(self.wanted.burst), &mut laps, |count, laps| {
            self.book(count, laps).map(|()| [0; 2])
        })?;
        let mut plaintext = [[0; 2]; 2];
        plaintext[self.wanted.operation.side() as usize][0] = turn.iterations * u64::from(self.wanted.bytes);
        Ok(turn.measurements(done, &laps, plaintext))
    }

    /// Does the operation a number of times, without a warm-up.
    pub(crate) fn slice(&mut self, iterations: u64) -> Result<Measurement, String> {
        self.measure(Turn::of(iterations)).map(|mut slices| slices.remove(0))
    }

    /// The same, attributed by any meter.
    pub(crate) fn book<M: Meter>(&mut self, iterations: u64, meter: &mut M) -> Result<(), String> {
        let operation = self.wanted.operation;
        let mut left = iterations;
        while left > 0 {
            let count = left.min(u64::from(self.wanted.burst));
            self.set_up(count as usize).map_err(|error| format!("{operation} was not set up: {error}"))?;
            self.burst(count as usize, meter).map_err(|error| format!("{operation}: {error}"))?;
            left -= count;
        }
        Ok(())
    }

    /// Sets up the inputs of a burst's operations, off the clock.
    fn set_up(&mut self, count: usize) -> Result<(), EndpointError> {
        match self.wanted.operation {
            // Each message has a nonce of its own, and opening may happen in place.
            Operation::AeadOpen => {
                self.inputs.clear();
                self.ends.clear();
                for ahead in 0..count as u64 {
                    self.message = pattern(self.wanted.bytes as usize);
                    let sequence = self.sequence + ahead;
                    self.object.run(Operation::AeadSeal, sequence, &mut self.message, &mut self.inputs)?;
                    self.object.collect(&self.message, &mut self.inputs);
                    self.ends.push(self.inputs.len());
                }
                Ok(())
            }
            Operation::Verify if self.ends.is_empty() => {
                let mut message = self.assignment.message.clone();
                self.once(Operation::Sign, &mut message)
            }
            Operation::KeyAgreement => {
                self.one(Operation::KeyGeneration, &mut [])?;
                self.inputs.clear();
                self.inputs.append(&self.peer);
                self.ends = vec![self.inputs.len()];
                Ok(())
            }
            Operation::Decapsulate => {
                let mut share = self.one(Operation::KeyGeneration, &mut [])?;
                let both = self.one(Operation::Encapsulate, &mut share)?;
                self.inputs.clear();
                self.inputs.append(split(&both)?.0);
                self.ends = vec![self.inputs.len()];
                Ok(())
            }
            Operation::Encapsulate if self.ends.is_empty() => {
                self.inputs.append(&self.peer);
                self.ends = vec![self.inputs.len()];
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Makes the output of one operation the input of all that follow.
    fn once(&mut self, operation: Operation, input: &mut [u8]) -> Result<(), EndpointError> {
        self.inputs.clear();
        self.object.run(operation, self.sequence, input, &mut self.inputs)?;
        self.object.collect(input, &mut self.inputs);
        self.ends = vec![self.inputs.len()];
        Ok(())
    }

    /// The operations of one burst.
    fn burst<M: Meter>(&mut self, count: usize, meter: &mut M) -> Result<(), EndpointError> {
        let Self { object, wanted, message, inputs, ends, output, sequence, .. } = self;
        let operation = wanted.operation;
        match operation {
            Operation::AeadOpen => {
                let mut rest = inputs.filled_mut();
                let mut from = 0;
                let mut last: &mut [u8] = &mut [];
                meter.enter(operation.side(), Phase::Operation);
                for end in &ends[..count] {
                    let (sealed, others) = rest.split_at_mut(end - from);
                    (rest, from) = (others, *end);
                    output.clear();
                    object.run(operation, *sequence, sealed, output)?;
                    *sequence += 1;
                    last = sealed;
                }
                meter.leave();
                object.collect(last, output);
                due(output.len() == message.len(), "a message of another length came out")
            }
            _ => {
                let input = if ends.is_empty() { message.as_mut_slice() } else { inputs.filled_mut() };
                meter.enter(operation.side(), Phase::Operation);
                for _ in 0..count {
                    output.clear();
                    object.run(operation, *sequence, input, output)?;
                    *sequence += 1;
                }
                meter.leave();
                object.collect(input, output);
                let gives_nothing =
                    operation == Operation::Verify || wanted.bytes == 0 && operation == Operation::Connection;
                due(output.is_empty() == gives_nothing, "it gave out something else")
            }
        }
    }

    /// The output of one operation, off the clock.
    fn one(&mut self, operation: Operation, input: &mut [u8]) -> Result<Vec<u8>, EndpointError> {
        self.output.clear();
        self.object.run(operation, self.sequence, input, &mut self.output)?;
        self.object.collect(input, &mut self.output);
        Ok(self.output.filled().to_vec())
    }

    /// Does the operation once or twice off the clock, and reports all inputs and outputs.
    pub(crate) fn verify(&mut self) -> Result<PrimitiveFacts, String> {
        self.facts().map_err(|error| format!("{}: {error}", self.wanted.pair()))
    }

    fn facts(&mut self) -> Result<PrimitiveFacts, EndpointError> {
        let operation = self.wanted.operation;
        let mut facts = PrimitiveFacts { key: self.assignment.key.clone(), ..PrimitiveFacts::default() };
        if matches!(operation, Operation::AeadSeal | Operation::AeadOpen) {
            facts.nonce = record_nonce(self.assignment.iv, self.sequence).to_vec();
        }
        match operation {
            Operation::Hash
            | Operation::Hmac
            | Operation::AeadSeal
            | Operation::Sign
            | Operation::HashObject
            | Operation::Connection => {
                facts.input = match operation {
                    Operation::Sign => self.assignment.message.clone(),
                    _ => pattern(self.message.len()),
                };
                facts.output = self.one(operation, &mut facts.input.clone())?;
                facts.negotiated = self.object.negotiated();
            }
            Operation::AeadOpen | Operation::Verify => {
                facts.input = match operation {
                    Operation::Verify => self.one(Operation::Sign, &mut self.assignment.message.clone())?,
                    _ => self.one(Operation::AeadSeal, &mut pattern(self.message.len()))?,
                };
                facts.output = self.one(operation, &mut facts.input.clone())?;
                facts.refused = self.refusal(&facts.input);
            }
            Operation::KeyGeneration => {
                facts.output = self.one(operation, &mut [])?;
                facts.again = self.one(operation, &mut [])?;
                if Operation::KeyAgreement.fits(self.wanted.algorithm) {
                    facts.input = self.peer.clone();
                    facts.secret = self.one(Operation::KeyAgreement, &mut self.peer.clone())?;
                } else {
                    (facts.input, facts.secret) = self.encapsulate(&facts.again)?;
                    facts.decapsulated = self.one(Operation::Decapsulate, &mut facts.input.clone())?;
                }
            }
            Operation::KeyAgreement => {
                facts.share = self.one(Operation::KeyGeneration, &mut [])?;
                facts.input = self.peer.clone();
                facts.output = self.one(operation, &mut self.peer.clone())?;
            }
            Operation::Encapsulate => {
                facts.input = self.peer.clone();
                facts.output = self.one(operation, &mut self.peer.clone())?;
                facts.again = self.one(operation, &mut self.peer.clone())?;
            }
            Operation::Decapsulate => {
                facts.share = self.one(Operation::KeyGeneration, &mut [])?;
                (facts.input, facts.secret) = self.encapsulate(&facts.share)?;
                facts.output = self.one(operation, &mut facts.input.clone())?;
            }
        }
        // The next call is for another message.
        self.sequence += 1;
        Ok(facts)
    }

    /// A share and its secret, encapsulated for another share. Off the clock.
    fn encapsulate(&mut self, to: &[u8]) -> Result<(Vec<u8>, Vec<u8>), EndpointError> {
        let both = self.one(Operation::Encapsulate, &mut to.to_vec())?;
        split(&both).map(|(share, secret)| (share.to_vec(), secret.to_vec()))
    }

    /// The library's error for an input with one bit flipped; `None` if it accepts that.
    fn refusal(&mut self, right: &[u8]) -> Option<String> {
        let mut wrong = right.to_vec();
        // The last byte is part of a tag, of an RSA signature's number or of ECDSA's s: the encoding remains
        // valid.
        *wrong.last_mut()? ^= 1;
        self.one(self.wanted.operation, &mut wrong).err().map(|error| error.0)
    }
}

/// Splits off the secret after a share: 32 bytes of ML-KEM and 32 of a curve, for every group.
fn split(share_and_secret: &[u8]) -> Result<(&[u8], &[u8]), EndpointError> {
    const SECRET_BYTES: usize = 64;
    let at = share_and_secret.len().checked_sub(SECRET_BYTES);
    at.map(|at| share_and_secret.split_at(at))
        .ok_or_else(|| EndpointError("what was encapsulated is shorter than its secret".to_owned()))
}

fn due(right: bool, what: &str) -> Result<(), EndpointError> {
    if right { Ok(()) } else { Err(EndpointError(what.to_owned())) }
}
