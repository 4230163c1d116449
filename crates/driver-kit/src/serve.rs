//! The driver's side of the protocol: one request per line, one reply per line.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use tlslab_protocol::{
    Capabilities, ContextWeight, Credentials, Description, Limit, Measure, PROTOCOL_VERSION, Primitive,
    Reply, Request, ResumptionKind, Scenario, Sides, Start, Weighing, Work, decode_line, encode_line,
    read_line,
};

use crate::contract::claimed;
use crate::contract::endpoint::NO_CLOSE;
use crate::count::{self, Forked, Source};
use crate::kernel::{self, Trap};
use crate::memory::heap::Heap;
use crate::memory::{allocator, connection_buffer, placement, weigh};
use crate::pair::Pair;
use crate::pair::verify;
use crate::planted::allocation;
use crate::prepared_primitive::PreparedPrimitive;
use crate::timing::turn::Turn;
use crate::{Assignment, Endpoint, Identity, Material, Unready, calibrate};

/// Answers requests on standard input until `bye` or its end, and returns the exit status. Call it from
/// `main`.
pub fn serve<E: Endpoint>(endpoint: &E) -> ExitCode {
    if let Err(cause) = count::Blocks::check() {
        eprintln!("{cause}");
        return ExitCode::FAILURE;
    }
    allocator::keep_memory();
    if let Err(cause) = placement::begin().and_then(|()| connection_buffer::begin()) {
        eprintln!("{cause}");
        return ExitCode::FAILURE;
    }
    allocation::make();
    let mut driver = Driver { endpoint, heap: Heap::find(), contexts: Sides::default(), prepared: None };
    let mut input = BufReader::new(io::stdin().lock());
    let mut output = match own_output() {
        Ok(output) => output,
        Err(cause) => {
            eprintln!("cannot take standard output for the protocol: {cause}");
            return ExitCode::FAILURE;
        }
    };
    loop {
        let line = match read_line(&mut input) {
            Ok(Some(line)) if line.trim().is_empty() => continue,
            Ok(Some(line)) => line,
            Ok(None) => return ExitCode::SUCCESS,
            Err(cause) => {
                eprintln!("cannot read a request: {cause}");
                return ExitCode::FAILURE;
            }
        };
        let (reply, ends) = match decode_line::<Request>(&line) {
            Ok(Request::Fork { seed }) => match count::fork() {
                Ok(Forked::Child) => {
                    Source::seed(seed);
                    (Reply::Forked {}, false)
                }
                // The copy has answered everything.
                Ok(Forked::Parent) => continue,
                Err(count::NotForked::Threads(reason)) => (Reply::Unsupported { reason }, false),
                Err(count::NotForked::Failed(reason)) => (Reply::Failed { reason }, false),
            },
            Ok(request) => driver.answer(request),
            Err(cause) => (Reply::Failed { reason: format!("not a request: {cause}") }, false),
        };
        if output.write_all(encode_line(&reply).as_bytes()).and_then(|()| output.flush()).is_err() {
            // The lab has closed the connection.
            return ExitCode::FAILURE;
        }
        if ends {
            return ExitCode::SUCCESS;
        }
    }
}

/// Reserves standard output for the protocol. Output of a library goes to the log instead.
fn own_output() -> io::Result<File> {
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: both are descriptors of this process, and nothing else holds the former standard output.
    if unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(output))
}

struct Driver<'e, E: Endpoint> {
    endpoint: &'e E,
    /// The heap's counters, or the reason why they are missing.
    heap: Result<Heap, String>,
    /// Memory that contexts of the prepared scenario hold.
    contexts: Sides<ContextWeight>,
    prepared: Option<Prepared<'e, E>>,
}

/// The scenario that is prepared.
enum Prepared<'e, E: Endpoint> {
    Pair(Box<Pair<'e, E>>),
    Primitive(Box<PreparedPrimitive<'e>>),
}

impl<'e, E: Endpoint> Driver<'e, E> {
    /// The reply, and whether it is the last one.
    fn answer(&mut self, request: Request) -> (Reply, bool) {
        let reply = match request {
            Request::Hello { protocol, brief } => self.hello(&protocol, brief),
            Request::Calibrate {} => match calibrate::calibrate() {
                Ok(calibration) => Reply::Calibrated(calibration),
                Err(reason) => Reply::Failed { reason },
            },
            Request::Prepare { scenario, credentials } => {
                self.prepared = None;
                match self.prepare(*scenario, &credentials) {
                    Ok(prepared) => {
                        self.prepared = Some(prepared);
                        Reply::Prepared {}
                    }
                    Err(Unready::Unsupported(reason)) => Reply::Unsupported { reason },
                    Err(Unready::Failed(reason)) => Reply::Failed { reason },
                }
            }
            Request::Verify { tamper } => match &mut self.prepared {
                Some(Prepared::Pair(pair)) => Reply::Verified(verify::verify(pair, tamper)),
                Some(Prepared::Primitive(primitive)) => match primitive.verify() {
                    Ok(facts) => Reply::Computed(Box::new(facts)),
                    Err(reason) => Reply::Failed { reason },
                },
                None => nothing_prepared(),
            },
            Request::Measure { iterations, slices, warm_up, seed } => {
                let turn = Turn { slices, iterations, warm_up };
                let measured = match &mut self.prepared {
                    Some(Prepared::Pair(pair)) => {
                        pair.seed = seed.unwrap_or_default();
                        pair.measure(turn)
                    }
                    Some(Prepared::Primitive(primitive)) => primitive.measure(turn),
                    None => return (nothing_prepared(), false),
                };
                match measured {
                    Ok(slices) => Reply::Measured(slices),
                    Err(reason) => Reply::Failed { reason },
                }
            }
            Request::Relay { side, steps, warm_up } => match &mut self.prepared {
                Some(Prepared::Pair(pair)) => match pair.relay(side, &steps, warm_up) {
                    Ok(relayed) => Reply::Relayed(relayed),
                    Err(reason) => Reply::Failed { reason },
                },
                Some(Prepared::Primitive(_)) => Reply::Failed { reason: NO_CONNECTION.to_owned() },
                None => nothing_prepared(),
            },
            Request::Weigh { iterations } => self.weigh(iterations),
            Request::Count { iterations } => self.count(iterations),
            Request::Kernel { iterations } => self.kernel(iterations),
            Request::Functions { folder } => match Source::find() {
                Err(reason) => Reply::Unsupported { reason },
                Ok(source) => match source.write_functions(&folder) {
                    Ok(()) => Reply::Written {},
                    Err(reason) => Reply::Failed { reason },
                },
            },
            Request::Evict {} => Reply::Failed { reason: "a driver evicts nothing".to_owned() },
            Request::Fork { .. } => unreachable!("the loop answers it"),
            Request::Bye {} => return (Reply::Bye {}, true),
        };
        (reply, false)
    }

    fn hello(&self, offered: &[u32], brief: bool) -> Reply {
        if !offered.contains(&PROTOCOL_VERSION) {
            let reason =
                format!("this driver speaks version {PROTOCOL_VERSION} of the protocol, not {offered:?}");
            return Reply::Failed { reason };
        }
        let identity = match brief {
            true => Identity { capabilities: Capabilities::default(), ..self.endpoint.identity_for(None) },
            false => self.whole_identity(),
        };
        let able = &identity.capabilities;
        let metrics = [Measure::Heap, Measure::Count, Measure::Kernel].map(Measure::name);
        let metrics = metrics.into_iter().filter(|name| able.reason("metric", name).is_none());
        let metrics = metrics.map(str::to_owned).collect();
        Reply::Hello(Box::new(Description {
            protocol: PROTOCOL_VERSION,
            driver: identity.driver.to_owned(),
            library: identity.library,
            capabilities: identity.capabilities,
            metrics: if brief { vec![] } else { metrics },
            features: count::features(),
            hidden: crate::hidden::hidden(),
        }))
    }

    /// The endpoint's identity, with what the kit supports for any endpoint.
    fn whole_identity(&self) -> Identity {
        let mut identity = self.endpoint.identity();
        let able = &mut identity.capabilities;
        let closes = able.works.iter().any(|work| work == CLOSES);
        able.works = WORKS.map(str::to_owned).into();
        if closes {
            able.works.push(CLOSES.to_owned());
        } else if able.reason("work", CLOSES).is_none() {
            let (axis, value) = ("work".to_owned(), CLOSES.to_owned());
            able.limits.push(Limit { axis, value, reason: NO_CLOSE.to_owned() });
        }
        able.open_loop = true;
        if !able.primitives.is_empty() {
            able.works.push("primitive".to_owned());
        } else if able.reason("work", "primitive").is_none() {
            let (axis, value) = ("work".to_owned(), "primitive".to_owned());
            able.limits.push(Limit { axis, value, reason: NO_PRIMITIVES.to_owned() });
        }
        if !able.threads && able.reason("threads", "several").is_none() {
            let (axis, value) = ("threads".to_owned(), "several".to_owned());
            able.limits.push(Limit { axis, value, reason: ONE_THREAD.to_owned() });
        }
        let by_name = ResumptionKind::SessionId13;
        if !able.resumption.contains(&by_name) && able.reason("resumption", &by_name.to_string()).is_none() {
            let (axis, value) = ("resumption".to_owned(), by_name.to_string());
            able.limits.push(Limit { axis, value, reason: NO_NAMES.to_owned() });
        }
        identity
    }

    fn weigh(&mut self, iterations: u32) -> Reply {
        if let Some(reason) =
            self.endpoint.identity_for(None).capabilities.reason("metric", Measure::Heap.name())
        {
            return Reply::Unsupported { reason: reason.to_owned() };
        }
        match (&self.heap, &mut self.prepared) {
            (Err(reason), _) => Reply::Unsupported { reason: reason.clone() },
            (Ok(_), None) => nothing_prepared(),
            (Ok(_), Some(Prepared::Primitive(_))) => Reply::Unsupported { reason: NO_CONNECTION.to_owned() },
            (Ok(heap), Some(Prepared::Pair(pair))) => match weigh::hole(&pair.scenario) {
                Some(reason) => Reply::Unsupported { reason },
                None => match pair.weigh(*heap, iterations) {
                    Ok(weighing) => {
                        Reply::Weighed(Box::new(Weighing { contexts: self.contexts, ..weighing }))
                    }
                    Err(reason) => Reply::Failed { reason },
                },
            },
        }
    }

    fn count(&mut self, iterations: u64) -> Reply {
        if let Some(reason) =
            self.endpoint.identity_for(None).capabilities.reason("metric", Measure::Count.name())
        {
            return Reply::Unsupported { reason: reason.to_owned() };
        }
        let counter = match Source::find() {
            Ok(counter) => counter,
            Err(reason) => return Reply::Unsupported { reason },
        };
        let counted = match &mut self.prepared {
            None => return nothing_prepared(),
            Some(Prepared::Pair(pair)) => match count::hole(&pair.scenario, &counter) {
                Some(reason) => return Reply::Unsupported { reason },
                None => pair.count(&counter, iterations),
            },
            Some(Prepared::Primitive(primitive)) => primitive.count(&counter, iterations),
        };
        match counted {
            Ok(counting) => Reply::Counted(Box::new(counting)),
            Err(reason) => Reply::Failed { reason },
        }
    }

    fn kernel(&mut self, iterations: u32) -> Reply {
        let unsupported = |reason| Reply::Unsupported { reason };
        if let Some(reason) =
            self.endpoint.identity_for(None).capabilities.reason("metric", Measure::Kernel.name())
        {
            return unsupported(reason.to_owned());
        }
        if iterations > kernel::MOST_ITERATIONS {
            let reason = format!("{iterations} iterations; at most {} are counted", kernel::MOST_ITERATIONS);
            return Reply::Failed { reason };
        }
        let hole = match &self.prepared {
            None => return nothing_prepared(),
            Some(Prepared::Pair(pair)) => kernel::hole(&pair.scenario),
            Some(Prepared::Primitive(_)) => None,
        };
        if let Some(reason) = hole {
            return unsupported(reason);
        }
        let trap = match Trap::set() {
            Ok(trap) => trap,
            Err(reason) => return unsupported(reason),
        };
        let done = match &mut self.prepared {
            None => return nothing_prepared(),
            Some(Prepared::Pair(pair)) => pair.kernel(trap, iterations),
            Some(Prepared::Primitive(primitive)) => primitive.kernel(trap, iterations),
        };
        match done {
            Ok(work) => Reply::Kernel(Box::new(work)),
            Err(reason) => Reply::Failed { reason },
        }
    }

    fn prepare(&mut self, scenario: Scenario, credentials: &Credentials) -> Result<Prepared<'e, E>, Unready> {
        if let Work::Primitive(wanted) = scenario.work {
            check_primitive(&wanted)?;
            let material = Material::read(credentials)?;
            let assignment = Assignment::of(&wanted);
            let object = self.endpoint.primitive(&assignment, &material)?;
            let primitive = PreparedPrimitive::new(object, wanted, assignment, material.peer_share);
            return Ok(Prepared::Primitive(Box::new(primitive)));
        }
        check_size(&scenario)?;
        let able = self.endpoint.identity_for(Some(&scenario)).capabilities;
        check_threads(&scenario, &able)?;
        claimed::check(&scenario, &able)?;
        let material = Material::read(credentials)?;
        if let Ok(heap) = self.heap
            && scenario.start == Start::Warm
        {
            self.contexts = weigh::contexts(self.endpoint, &scenario, &material, heap)?;
        }
        Ok(Prepared::Pair(Box::new(Pair::new(self.endpoint, scenario, material)?)))
    }
}

/// The kinds of work that the kit's loops support with any endpoint.
const WORKS: [&str; 3] = ["handshake", "transfer", "exchange"];

/// The kind of work that needs the call `close`.
const CLOSES: &str = "request";

const NO_CONNECTION: &str = "a primitive has no connection";

const NO_NAMES: &str = "its driver keeps sessions by name in TLS 1.2 alone, if at all";
const NO_PRIMITIVES: &str = "this driver calls no cryptography on its own";

const ONE_THREAD: &str = "the driver takes calls from one thread alone";

/// Rejects threads if the library does not support them.
fn check_threads(scenario: &Scenario, able: &Capabilities) -> Result<(), Unready> {
    const MOST_THREADS: u32 = 1024;
    if !(1..=MOST_THREADS).contains(&scenario.threads) {
        return Err(Unready::Failed(format!("{} threads; 1 to {MOST_THREADS} can be", scenario.threads)));
    }
    if scenario.processors() > 1 && !able.threads {
        let reason = able.reason("threads", "several").unwrap_or(ONE_THREAD);
        return Err(Unready::Unsupported(reason.to_owned()));
    }
    Ok(())
}

/// Rejects work that would not fit the buffers.
fn check_size(scenario: &Scenario) -> Result<(), Unready> {
    const MOST_BYTES: u64 = 64 * 1024 * 1024;
    const MOST_EARLY_BYTES: u32 = 64 * 1024;
    if scenario.early_data > MOST_EARLY_BYTES {
        let bytes = scenario.early_data;
        return Err(Unready::Failed(format!(
            "{bytes} bytes of early data; at most {MOST_EARLY_BYTES} are carried"
        )));
    }
    let work = &scenario.work;
    let Some(write_bytes) = work.write_bytes() else { return Ok(()) };
    let burst = work.burst();
    if work.senders().iter().any(|side| work.sent_bytes(*side) == Some(0)) {
        return Err(Unready::Failed("a write of 0 bytes; a write carries at least 1 byte".to_owned()));
    }
    if (1..=MOST_BYTES).contains(&(u64::from(write_bytes) * u64::from(burst))) {
        return Ok(());
    }
    let size = format!("{burst} writes of {write_bytes} bytes");
    Err(Unready::Failed(format!("{size} in one burst; a burst carries 1 byte to {MOST_BYTES} bytes")))
}

/// Rejects an impossible primitive, and one that would not fit the buffers.
fn check_primitive(wanted: &Primitive) -> Result<(), Unready> {
    const MOST_BYTES: u64 = 64 * 1024 * 1024;
    if !wanted.operation.fits(wanted.algorithm) {
        let pair = wanted.pair();
        return Err(Unready::Failed(format!("{pair}: the algorithm is not of the operation's kind")));
    }
    let right_burst = if wanted.operation.is_sized() { wanted.burst > 0 } else { wanted.burst == 1 };
    if right_burst && u64::from(wanted.bytes) * u64::from(wanted.burst) <= MOST_BYTES {
        return Ok(());
    }
    let size = format!("{} operations on {} bytes", wanted.burst, wanted.bytes);
    Err(Unready::Failed(format!(
        "{size} in one burst; without a message it has 1, else up to {MOST_BYTES} bytes"
    )))
}

fn nothing_prepared() -> Reply {
    Reply::Failed { reason: "nothing is prepared; send a prepare request first".to_owned() }
}
