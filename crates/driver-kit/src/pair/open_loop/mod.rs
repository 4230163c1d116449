//! An open loop: connections arrive by a schedule, over loopback TCP, whether earlier ones are done or not.
//!
//! One thread represents all clients and makes the arrivals. It never sleeps, so that no arrival is late
//! while it has nothing else to do. One thread is the server; it sleeps in the kernel until a connection has
//! input. The response time runs from the intended arrival of a connection until the client's handshake is
//! done, so it includes the time that the connection waits in a queue.

mod client;
mod common;
mod pace;
mod readiness;
mod schedule;
mod server;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_queues;

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::UnixStream;
use std::sync::{Barrier, mpsc};
use std::thread;

use tlslab_protocol::{Measurement, Scenario, Side, WarmUp, WarmUpRule, WarmUpTimes};

use super::first_stop::FirstStop;
use super::{Place, Worker};
use crate::Endpoint;
use crate::timing::clock::now_ns;
use crate::timing::turn::Turn;
use common::{Common, Share};
use pace::{Asked, Pace};

/// The limit of arrivals in one slice; more would exhaust memory with their times.
const MOST_ARRIVALS: u64 = 10_000_000;

/// Does the work as a turn requests. Each slice has a schedule of its own; the first includes the warm-up.
pub(super) fn measure<E: Endpoint>(
    worker: &mut Worker<E>,
    at: Place<'_, E>,
    scenario: &Scenario,
    seed: u64,
    turn: Turn,
) -> Result<Vec<Measurement>, String> {
    let slice = |slice: u32| {
        let before = turn.warm_up.filter(|_| slice == 0).map_or(0, |rule| arrivals_of(rule, scenario.rate));
        let Scenario { rate, arrivals, .. } = *scenario;
        let seed = seed ^ u64::from(slice);
        one_slice(worker, at, Asked { rate, arrivals, seed, before, counted: turn.iterations })
    };
    (0..turn.slices).map(slice).collect()
}

/// The number of arrivals of a warm-up.
fn arrivals_of(rule: WarmUpRule, rate: u32) -> u64 {
    let within = |ns: u64| (u128::from(ns) * u128::from(rate) / 1_000_000_000) as u64;
    within(rule.least_ns).max(rule.least_iterations).min(within(rule.most_ns)).max(1)
}

fn one_slice<E: Endpoint>(worker: &Worker<E>, at: Place<'_, E>, asked: Asked) -> Result<Measurement, String> {
    if asked.before.saturating_add(asked.counted) > MOST_ARRIVALS {
        return Err(format!("{} arrivals in one slice; at most {MOST_ARRIVALS} can be", asked.counted));
    }
    let sockets = || -> io::Result<_> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (leash, held) = UnixStream::pair()?;
        Ok((listener, address, leash, held))
    };
    let (listener, address, leash, held) =
        sockets().map_err(|cause| format!("the listening socket: {cause}"))?;
    let stop = FirstStop::default();
    let ready = Barrier::new(2);
    let common = Common { at, stop: &stop, ready: &ready, before: asked.before };
    let (answers, answered) = mpsc::channel();
    let pace = Pace::new(asked);
    let (client, server, end_ns) = thread::scope(|scope| {
        let server =
            scope.spawn(move || common.stop.noting(|| server::serve(common, &listener, &held, &answers)));
        let dialler = client::Dialler { common, address, pace, answered };
        let client = stop.noting(|| dialler.run(&worker.sessions));
        // The server stops waiting, whatever it waits for.
        drop(leash);
        let server = server.join().ok().flatten();
        (client, server, now_ns())
    });
    match (stop.into_inner(), client, server) {
        (None, Some(client), Some(server)) => Ok(measurement(asked, client, &server, end_ns)),
        (Some(stopped), ..) => Err(stopped.into()),
        _ => Err("the server's thread panicked".to_owned()),
    }
}

/// The work of both sides, from the client's first counted arrival to the end of both.
fn measurement<E: Endpoint>(
    asked: Asked,
    client: client::Done<E>,
    server: &Share,
    end_ns: u64,
) -> Measurement {
    let client::Done { share: client, pace, origin_ns, open } = client;
    // The server has ended.
    drop(open);
    let first_ns = (origin_ns + pace.first_ns()).min(end_ns);
    let start_ns = client.before.as_ref().map_or(first_ns, |(_, at)| *at);
    // In an overload, the warm-up's work continues after the first counted arrival has begun.
    let warm_up_ns = start_ns - origin_ns;
    let times = |share: &Share, side: Side| {
        let total_ns = share.booked_before().total_ns(side).min(warm_up_ns);
        WarmUpTimes { first_ns: share.first_ns.min(total_ns), total_ns }
    };
    let warm_up = (asked.before > 0).then(|| WarmUp {
        iterations: asked.before,
        elapsed_ns: warm_up_ns,
        client: times(&client, Side::Client),
        server: times(server, Side::Server),
    });
    let elapsed_ns = end_ns - start_ns;
    let open_loop = pace.result(client.busy_ns.min(elapsed_ns), server.busy_ns.min(elapsed_ns));
    Measurement {
        iterations: asked.counted,
        client: client.side(Side::Client),
        server: server.side(Side::Server),
        elapsed_ns,
        threads: Vec::new(),
        warm_up,
        open_loop: Some(open_loop),
        faults: 0,
    }
}
