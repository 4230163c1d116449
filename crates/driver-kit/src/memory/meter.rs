//! Memory of each side, attributed at the same marks as its time.

use tlslab_protocol::{HeldOpen, Holding, PhaseWeight, PhaseWeights, Side, SideWeight, Sides, Step};

use super::heap::{Heap, Totals, grown, sum};
use super::stack::{self, Stack};
use crate::Buffer;
use crate::pair::Wiretap;
use crate::timing::meter::Meter;
use crate::timing::phase::{CALLS, PHASES, Phase};

/// Attributes memory to sides and phases.
pub(crate) struct MemoryMeter {
    heap: Heap,
    /// `None` if stack use is not measured.
    stack: Option<Stack>,
    /// The size of a connection object itself, which the program may store off the heap.
    inline_bytes: i64,
    /// The running phase, the totals at its beginning, and the stack pointer from which its calls are made.
    running: Option<(Side, Phase)>,
    since: Totals,
    pointer: usize,
    sides: Sides<SideMemory>,
}

/// One side's memory.
#[derive(Clone, Copy, Default)]
struct SideMemory {
    phases: [Booked; PHASES],
    /// All calls of the handshake together.
    handshake: Booked,
    /// What it holds now, and what it held when its work was done.
    live: Holding,
    done: Holding,
    peak_bytes: u64,
    peak_blocks: u64,
}

/// The memory of one phase.
#[derive(Clone, Copy, Default)]
struct Booked {
    weight: PhaseWeight,
    /// What the side held when the phase first began.
    base_bytes: Option<i64>,
}

impl MemoryMeter {
    /// Starts with no phase running.
    pub(crate) fn start(heap: Heap, inline_bytes: usize, stack: Option<Stack>) -> Self {
        let since = heap.mark();
        let inline_bytes = inline_bytes as i64;
        Self { heap, stack, inline_bytes, running: None, since, pointer: 0, sides: Sides::default() }
    }

    /// The memory use of both sides since the last call; starts from zero.
    pub(crate) fn take(&mut self) -> Sides<SideWeight> {
        let Sides { client, server } = std::mem::take(&mut self.sides);
        Sides { client: client.weight(), server: server.weight() }
    }

    /// What both sides hold now, for this number of connections.
    pub(crate) fn held(&self, connections: u32) -> HeldOpen {
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
            let memory = self.sides.of_mut(side);
            memory.begin(phase);
            if phase == Phase::Create {
                memory.inline(self.inline_bytes);
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

impl SideMemory {
    /// Accounts for the beginning or end of a connection object.
    fn inline(&mut self, bytes: i64) {
        self.live = sum(self.live, Holding { blocks: 0, bytes, room_bytes: bytes });
    }

    fn begin(&mut self, phase: Phase) {
        let bytes = self.live.bytes;
        self.phases[phase.index()].base_bytes.get_or_insert(bytes);
        if let Phase::Handshake(_) = phase {
            self.handshake.base_bytes.get_or_insert(bytes);
        }
    }

    fn book(&mut self, phase: Phase, since: &Totals, now: &Totals, stack_bytes: u64) {
        // The peak is that of the process, but nothing else allocates meanwhile.
        let peak_bytes = self.live.bytes + now.peak_bytes as i64 - since.held().bytes;
        let peak_blocks = self.live.blocks + now.peak_blocks as i64 - since.held().blocks;
        self.live = sum(self.live, grown(since.held(), now.held()));
        if u64::try_from(peak_bytes).is_ok_and(|bytes| bytes > self.peak_bytes) {
            self.peak_bytes = peak_bytes.unsigned_abs();
            self.peak_blocks = u64::try_from(peak_blocks).unwrap_or(0);
        }
        self.phases[phase.index()].add(since, now, peak_bytes, stack_bytes);
        if let Phase::Handshake(_) = phase {
            self.handshake.add(since, now, peak_bytes, stack_bytes);
        }
    }

    fn weight(self) -> SideWeight {
        let of = |phase: Phase| self.phases[phase.index()].weight;
        let phases = PhaseWeights {
            create: of(Phase::Create),
            handshake: self.handshake.weight,
            post_handshake: of(Phase::PostHandshake),
            free: of(Phase::Free),
            send: of(Phase::Send),
            receive: of(Phase::Receive),
            close: of(Phase::Close),
        };
        let calls = (0..CALLS).map(|call| self.phases[Phase::Handshake(call).index()]);
        let made = calls.take_while(|call| call.base_bytes.is_some());
        SideWeight {
            handshake_calls: made.map(|call| call.weight).collect(),
            held: self.done,
            left: self.live,
            peak_bytes: self.peak_bytes,
            peak_blocks: self.peak_blocks,
            stack_bytes: phases.total().stack_bytes,
            phases,
        }
    }
}

impl Booked {
    fn add(&mut self, since: &Totals, now: &Totals, peak_bytes: i64, stack_bytes: u64) {
        let Self { weight, base_bytes } = self;
        let above = u64::try_from(peak_bytes - base_bytes.unwrap_or(0)).unwrap_or(0);
        weight.allocated_blocks += now.allocated_blocks - since.allocated_blocks;
        weight.allocated_bytes += now.allocated_bytes - since.allocated_bytes;
        weight.freed_blocks += now.freed_blocks - since.freed_blocks;
        weight.freed_bytes += now.freed_bytes - since.freed_bytes;
        weight.peak_bytes = weight.peak_bytes.max(above);
        weight.stack_bytes = weight.stack_bytes.max(stack_bytes);
    }
}

impl Meter for MemoryMeter {
    #[inline(always)]
    fn enter(&mut self, side: Side, phase: Phase) {
        self.switch(Some((side, phase)), stack::pointer());
    }

    #[inline(always)]
    fn leave(&mut self) {
        self.switch(None, stack::pointer());
    }

    /// Records what each side holds now as what it held when its work was done.
    fn done(&mut self) {
        for side in Side::BOTH {
            let memory = self.sides.of_mut(side);
            memory.done = memory.live;
        }
    }
}

/// FNV-1a hash (Fowler, Noll and Vo), 64 bits, of the bytes on the wire: shows whether two weighings did the
/// same work.
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    /// The hash of no bytes.
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds bytes.
    pub(crate) fn see(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The hash in hex.
    pub(crate) fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

impl Wiretap for Fingerprint {
    fn flight(&mut self, _: Side, _: Step, wire: &mut Buffer) {
        self.see(wire.filled());
    }
}
