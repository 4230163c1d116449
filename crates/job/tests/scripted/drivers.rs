//! Scripted drivers: the script is the text of the stack's variants.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use sha2::{Digest, Sha256};
use tlslab_build::{BuildFailure, BuiltStack, Stage};
use tlslab_lab::{Built, Drivers};
use tlslab_measure::{DriverFailure, DriverProgram, Talk};
use tlslab_process::Ended;
use tlslab_protocol::{
    Calibration, Capabilities, Description, Library, Measurement, PhaseTimes, PrimitiveFacts, Reply, Request,
    Scenario, SideMeasurement, WarmUp, Work,
};
use tlslab_recipe::Recipe;
use tlslab_record::StackIdentity;

/// The only work that they support.
const PRIMITIVE: &str = "hash/sha-256";
/// The message that takes three times as long, bytes.
const LONG: usize = 1024;
/// How long an iteration takes, ns.
const ITERATION_NS: u64 = 2_000;

/// Drivers whose programs are files of a folder.
pub(crate) struct Scripted {
    folder: PathBuf,
    /// How many were started.
    pub started: AtomicUsize,
    /// How many were killed by a signal.
    killed: AtomicUsize,
}

impl Scripted {
    pub(crate) fn new(folder: &Path) -> Self {
        std::fs::create_dir_all(folder).unwrap();
        Self { folder: folder.to_owned(), started: AtomicUsize::new(0), killed: AtomicUsize::new(0) }
    }
}

impl Drivers for Scripted {
    fn built(&self, recipe: &Recipe) -> Built {
        if recipe.name.contains("+unbuilt") {
            return Err(BuildFailure::unlogged(Stage::Driver, "the compiler is on strike"));
        }
        let driver = self.folder.join(recipe.name.replace(['/', '@'], "-"));
        std::fs::write(&driver, &recipe.name).unwrap();
        Ok(BuiltStack {
            driver_digest: tlslab_build::file_digest(&driver).unwrap(),
            driver,
            layouts: Err("it has none".to_owned()),
            environment: Default::default(),
            identity: StackIdentity { recipe: recipe.name.clone(), ..StackIdentity::default() },
        })
    }

    fn launch(
        &self,
        driver: DriverProgram<'_>,
        stop: Arc<AtomicBool>,
    ) -> Result<Box<dyn Talk>, DriverFailure> {
        self.started.fetch_add(1, Ordering::SeqCst);
        let script = driver.path.file_name().unwrap().to_string_lossy().into_owned();
        let is_killed = script.contains("+killed") && self.killed.fetch_add(1, Ordering::SeqCst) == 2;
        Ok(Box::new(Player { script, stop, is_killed, message: 0 }))
    }
}

/// A driver that was started.
struct Player {
    script: String,
    /// Set on cancellation.
    stop: Arc<AtomicBool>,
    /// Whether a signal kills it when it should measure.
    is_killed: bool,
    /// Bytes of the message that is hashed.
    message: usize,
}

impl Player {
    fn has(&self, word: &str) -> bool {
        self.script.contains(&format!("+{word}"))
    }

    fn description(&self) -> Description {
        let library = Library { name: "scripted".to_owned(), version: "1".to_owned(), components: vec![] };
        Description {
            protocol: tlslab_protocol::PROTOCOL_VERSION,
            driver: "scripted".to_owned(),
            library,
            capabilities: Capabilities {
                works: vec!["primitive".to_owned()],
                primitives: vec![PRIMITIVE.to_owned()],
                ..Capabilities::default()
            },
            metrics: vec![],
            features: vec![],
            hidden: None,
        }
    }

    fn measured(&self, iterations: u64, slices: u32, has_warm_up: bool) -> Reply {
        let longer = if self.message == LONG { 3 } else { 1 };
        let each_ns = ITERATION_NS * longer * if self.has("slow") { 2 } else { 1 };
        let phases = PhaseTimes { operation_ns: iterations * each_ns, ..PhaseTimes::default() };
        let plaintext_sent = iterations * self.message as u64;
        let side = SideMeasurement { phases, clock_reads: 2, plaintext_sent, ..SideMeasurement::default() };
        let slice = |at: u32| Measurement {
            iterations,
            client: side.clone(),
            server: SideMeasurement::default(),
            elapsed_ns: iterations * each_ns,
            threads: vec![],
            warm_up: (has_warm_up && at == 0).then(WarmUp::default),
            open_loop: None,
            faults: 0,
        };
        let all: Vec<Measurement> = (0..slices).map(slice).collect();
        // Every report was waited for.
        std::thread::sleep(Duration::from_nanos(all.iter().map(|slice| slice.elapsed_ns).sum()));
        Reply::Measured(all)
    }
}

impl Talk for Player {
    fn ask(&mut self, request: &Request, _: Duration) -> Result<Reply, DriverFailure> {
        if self.stop.load(Ordering::SeqCst) {
            return Err(DriverFailure::Interrupted);
        }
        Ok(match request {
            Request::Hello { .. } => Reply::Hello(Box::new(self.description())),
            Request::Calibrate {} => Reply::Calibrated(nothing()),
            Request::Prepare { .. } if self.has("refuses") => {
                Reply::Unsupported { reason: "it refuses everything".to_owned() }
            }
            Request::Prepare { scenario, .. } => {
                self.message = message_of(scenario);
                Reply::Prepared {}
            }
            Request::Verify { .. } => {
                let input = vec![7; self.message];
                let output = match self.has("lies") {
                    true => vec![0; 32],
                    false => Sha256::digest(&input).to_vec(),
                };
                Reply::Computed(Box::new(PrimitiveFacts { input, output, ..PrimitiveFacts::default() }))
            }
            Request::Measure { slices, .. } if self.has("breaks") && self.message == LONG && *slices > 1 => {
                let ended = Ended::Exited(1);
                return Err(DriverFailure::Ended {
                    request: "measure",
                    ended,
                    stderr: "too long".to_owned(),
                });
            }
            Request::Measure { .. } if self.has("crashes") || self.is_killed => {
                let ended = if self.is_killed { Ended::Signalled(9) } else { Ended::Exited(1) };
                return Err(DriverFailure::Ended { request: "measure", ended, stderr: "no more".to_owned() });
            }
            Request::Measure { iterations, slices, warm_up, .. } => {
                self.measured(*iterations, *slices, warm_up.is_some())
            }
            _ => Reply::Failed { reason: "it is not in the script".to_owned() },
        })
    }

    fn resident_bytes(&mut self) -> Result<u64, DriverFailure> {
        Ok(0)
    }

    fn end(self: Box<Self>) -> Result<(), DriverFailure> {
        Ok(())
    }
}

fn message_of(scenario: &Scenario) -> usize {
    let Work::Primitive(primitive) = &scenario.work else { panic!("{} is no primitive", scenario.name) };
    primitive.bytes as usize
}

/// Measuring has no overhead here.
fn nothing() -> Calibration {
    Calibration {
        clock_read_ns: 0.0,
        clock_step_ns: 0.0,
        handshake_client_ns: 0.0,
        request_client_ns: 0.0,
        request_server_ns: 0.0,
        handshake_server_ns: 0.0,
        send_burst_ns: 0.0,
        send_write_ns: 0.0,
        receive_burst_ns: 0.0,
        receive_write_ns: 0.0,
        operation_burst_ns: 0.0,
        operation_call_ns: 0.0,
    }
}
