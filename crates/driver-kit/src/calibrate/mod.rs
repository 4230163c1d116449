//! Calibration: the overhead of the kit's loops, measured with endpoints that do nothing.

pub(crate) mod null;

use tlslab_protocol::{
    Algorithm, Calibration, ConnectionAge, HashFunction, Measurement, Operation, Primitive, Scenario, Side,
    Work,
};

use crate::pair::Pair;
use crate::prepared_primitive::PreparedPrimitive;
use crate::timing::clock;
use crate::{Assignment, Material};
use null::{Null, NullPrimitive};

/// The number of slices that a median is taken of.
const SLICES: usize = 15;
const WRITE_BYTES: u32 = 16 * 1024;
const BURST: u32 = 16;

/// Runs the calibration, which takes about 30 ms.
pub(crate) fn calibrate() -> Result<Calibration, String> {
    let handshake = |side| median(Work::Handshake, 2_000, side);
    let request = |side| median(Work::Request { request_bytes: 200, response_bytes: 8 * 1024 }, 2_000, side);
    let transfer = |burst, side| {
        let work = Work::Transfer {
            sender: Side::Client,
            write_bytes: WRITE_BYTES,
            connection: ConnectionAge::Warm,
            burst,
        };
        // Times per burst, not per write.
        median(work, 2_000 * u64::from(burst), side).map(|per_write| per_write * f64::from(burst))
    };
    // One write costs b + w and BURST writes cost b + BURST * w.
    let split = |side| -> Result<(f64, f64), String> {
        let one = transfer(1, side)?;
        let many = transfer(BURST, side)?;
        let write = ((many - one) / f64::from(BURST - 1)).max(0.0);
        Ok(((one - write).max(0.0), write))
    };
    let (send_burst_ns, send_write_ns) = split(Side::Client)?;
    let (receive_burst_ns, receive_write_ns) = split(Side::Server)?;
    let one = operation(1)?;
    let many = operation(BURST)?;
    let operation_call_ns = ((many - one) / f64::from(BURST - 1)).max(0.0);
    Ok(Calibration {
        clock_read_ns: clock::read_cost_ns(),
        clock_step_ns: clock::smallest_step_ns(),
        handshake_client_ns: handshake(Side::Client)?,
        handshake_server_ns: handshake(Side::Server)?,
        send_burst_ns,
        send_write_ns,
        receive_burst_ns,
        receive_write_ns,
        request_client_ns: request(Side::Client)?,
        request_server_ns: request(Side::Server)?,
        operation_burst_ns: (one - operation_call_ns).max(0.0),
        operation_call_ns,
    })
}

/// The median over slices of one side's time per iteration, ns.
fn median(work: Work, iterations: u64, side: Side) -> Result<f64, String> {
    let pair = Pair::new(&Null, Scenario::plain(work), Material::none());
    let mut pair = pair.map_err(String::from)?;
    let mut values = Vec::with_capacity(SLICES);
    for _ in 0..SLICES {
        let Measurement { client, server, .. } = pair.slice(iterations)?;
        let phases = if side == Side::Client { client.phases } else { server.phases };
        values.push(phases.total_ns() as f64 / iterations as f64);
    }
    values.sort_by(f64::total_cmp);
    Ok(values[SLICES / 2])
}

/// The median over slices of the time of a burst of operations that do nothing, ns.
fn operation(burst: u32) -> Result<f64, String> {
    let wanted = Primitive {
        operation: Operation::Hash,
        algorithm: Algorithm::Hash(HashFunction::Sha256),
        bytes: 8,
        burst,
        header_bytes: tlslab_protocol::HEADER_OF_TLS_1_3,
    };
    let mut primitive =
        PreparedPrimitive::new(Box::new(NullPrimitive), wanted, Assignment::of(&wanted), vec![]);
    let iterations = 2_000 * u64::from(burst);
    let mut values = Vec::with_capacity(SLICES);
    for _ in 0..SLICES {
        let took_ns = primitive.slice(iterations)?.client.phases.operation_ns;
        values.push(took_ns as f64 / iterations as f64 * f64::from(burst));
    }
    values.sort_by(f64::total_cmp);
    Ok(values[SLICES / 2])
}
