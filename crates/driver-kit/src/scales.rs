//! One side's memory, booked at the same marks as its time.

use tlslab_protocol::{HeldOpen, Holding, PhaseWeight, PhaseWeights, Side, SideWeight, Sides, Step};

use crate::Buffer;
use crate::heap::{Heap, Totals, grown, sum};
use crate::meter::{Meter, Phase};
use crate::pair::Wiretap;
use crate::stack::{self, Stack};

/// Books memory.
pub struct Scales {
    heap: Heap,
    /// Absent where the stack is not looked at.
    stack: Option<Stack>,
    /// What of a connection is not on the heap, because the program that uses it keeps it where it likes.
    inline_bytes: i64,
    /// Whose phase runs, the totals at its beginning and the stack pointer that its calls are made from.
    running: Option<(Side, Phase)>,
    since: Totals,
    pointer: usize,
    sides: Sides<Pan>,
}

/// One side's bookings.
#[derive(Clone, Copy, Default)]
struct Pan {
    weight: SideWeight,
    /// What it holds now.
    live: Holding,
    /// What it held when each phase first began.
    base_bytes: [Option<i64>; 6],
}

impl Scales {
    /// Starts with nothing running.
    pub fn start(heap: Heap, inline_bytes: usize, stack: Option<Stack>) -> Self {
        let since = heap.mark();
        let inline_bytes = inline_bytes as i64;
        Self { heap, stack, inline_bytes, running: None, since, pointer: 0, sides: Sides::default() }
    }

    /// What each side holds now becomes what it held when its work was done.
    pub fn done(&mut self) {
        for side in Side::BOTH {
            let pan = self.sides.of_mut(side);
            pan.weight.held = pan.live;
        }
    }

    /// What both sides took since the last time, and starts anew.
    pub fn take(&mut self) -> Sides<SideWeight> {
        let weight = |mut pan: Pan| {
            pan.weight.left = pan.live;
            pan.weight.stack_bytes = pan.weight.phases.total().stack_bytes;
            pan.weight
        };
        let Sides { client, server } = std::mem::take(&mut self.sides);
        Sides { client: weight(client), server: weight(server) }
    }

    /// What both sides hold now, for so many connections.
    pub fn held(&self, connections: u32) -> HeldOpen {
        HeldOpen { connections, client: self.sides.client.live, server: self.sides.server.live }
    }

    #[inline(never)]
    fn switch(&mut self, next: Option<(Side, Phase)>, pointer: usize) {
        let now = self.heap.mark();
        if let Some((side, phase)) = self.running {
            let stack_bytes = self.stack.as_ref().map_or(0, |stack| stack.used(self.pointer));
            self.sides.of_mut(side).book(phase, &self.since, &now, stack_bytes);
            if phase == Phase::Free {
                self.sides.of_mut(side).inline(-self.inline_bytes);
            }
        }
        if let Some((side, phase)) = next {
            let pan = self.sides.of_mut(side);
            pan.base_bytes[phase as usize].get_or_insert(pan.live.bytes);
            if phase == Phase::Create {
                pan.inline(self.inline_bytes);
            }
            if let Some(stack) = &mut self.stack {
                stack.paint(pointer);
            }
        }
        self.running = next;
        self.pointer = pointer;
        self.since = self.heap.mark();
    }
}

impl Pan {
    /// A connection's object begins or ends to exist.
    fn inline(&mut self, bytes: i64) {
        self.live = sum(self.live, Holding { blocks: 0, bytes, room_bytes: bytes });
    }

    fn book(&mut self, phase: Phase, since: &Totals, now: &Totals, stack_bytes: u64) {
        let base_bytes = self.base_bytes[phase as usize].unwrap_or(0);
        // The peak is the process's, but nobody else works meanwhile.
        let peak_bytes = self.live.bytes + now.peak_bytes as i64 - since.held().bytes;
        self.live = sum(self.live, grown(since.held(), now.held()));
        let above = |bytes: i64, base: i64| u64::try_from(bytes - base).unwrap_or(0);
        self.weight.peak_bytes = self.weight.peak_bytes.max(above(peak_bytes, 0));
        let booked = of_phase(&mut self.weight.phases, phase);
        booked.allocated_blocks += now.allocated_blocks - since.allocated_blocks;
        booked.allocated_bytes += now.allocated_bytes - since.allocated_bytes;
        booked.freed_blocks += now.freed_blocks - since.freed_blocks;
        booked.freed_bytes += now.freed_bytes - since.freed_bytes;
        booked.peak_bytes = booked.peak_bytes.max(above(peak_bytes, base_bytes));
        booked.stack_bytes = booked.stack_bytes.max(stack_bytes);
    }
}

fn of_phase(phases: &mut PhaseWeights, phase: Phase) -> &mut PhaseWeight {
    match phase {
        Phase::Create => &mut phases.create,
        Phase::Handshake => &mut phases.handshake,
        Phase::PostHandshake => &mut phases.post_handshake,
        Phase::Free => &mut phases.free,
        Phase::Send => &mut phases.send,
        Phase::Receive => &mut phases.receive,
    }
}

impl Meter for Scales {
    #[inline(always)]
    fn enter(&mut self, side: Side, phase: Phase) {
        self.switch(Some((side, phase)), stack::pointer());
    }

    #[inline(always)]
    fn leave(&mut self) {
        self.switch(None, stack::pointer());
    }
}

/// Tells whether two weighings saw the same bytes on the wire: FNV-1a, 64 bits.
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Of nothing.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Takes in what is on the wire.
    pub fn see(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// In hex.
    pub fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

impl Wiretap for Fingerprint {
    fn flight(&mut self, _: Side, _: Step, wire: &mut Buffer) {
        self.see(wire.filled());
    }
}
