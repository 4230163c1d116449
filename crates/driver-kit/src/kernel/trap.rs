//! Every system call of this process raises a signal, whose handler counts the call and makes it.
//!
//! A filter of system calls (seccomp) needs no privileges, sees calls that are made without the C library,
//! and is the same for every driver. It lets through what comes from one instruction, the handler's own, and
//! calls that cannot be made from a handler: those that start a process or a thread, or end one.

use std::ffi::{c_int, c_void};
use std::io::Error;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use libc::{siginfo_t, ucontext_t};

use super::registers::{ARCHITECTURE, call_of, let_through, make, set_result};
use super::tables;
use crate::count::places::PLACES;

/// Calls that pass the filter uncounted.
const UNTRAPPED: &[libc::c_long] = &[
    libc::SYS_rt_sigreturn,
    libc::SYS_clone,
    libc::SYS_clone3,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Room for the handler: its own frames, and the processor's registers, of which some take 11 KiB.
const STACK_BYTES: usize = 256 * 1024;
/// The code of a signal that a filter raised.
const BY_FILTER: c_int = 1;

/// The thread whose calls are counted, and the size of a page.
static THREAD: AtomicUsize = AtomicUsize::new(0);
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(4096);

/// The trap, which is set.
#[derive(Clone, Copy)]
pub(crate) struct Trap(());

/// Page faults of a thread since it began.
#[derive(Clone, Copy, Default)]
pub(super) struct Faults {
    pub minor: u64,
    pub major: u64,
}

impl Trap {
    /// Sets the trap for this thread and all that it starts; it stays for good.
    ///
    /// # Errors
    /// Fails if the system has no such filters, or if a call is not seen.
    pub(crate) fn set() -> Result<Self, String> {
        if THREAD.load(Relaxed) == 0 {
            let missing =
                |what: &str, cause: Error| format!("system calls cannot be counted here: {what}: {cause}");
            // SAFETY: neither call has side effects.
            let (page_bytes, heap_end) =
                unsafe { (libc::sysconf(libc::_SC_PAGESIZE), make(libc::SYS_brk as usize, &[0; 6])) };
            PAGE_BYTES.store(usize::try_from(page_bytes).unwrap_or(4096), Relaxed);
            tables::begin(heap_end as usize);
            handle().map_err(|cause| missing("no handler", cause))?;
            filter().map_err(|cause| missing("no filter", cause))?;
            THREAD.store(thread(), Relaxed);
        }
        let trap = Self(());
        trap.check()?;
        Ok(trap)
    }

    /// Checks that a call is seen, and that it still does what it is for.
    fn check(self) -> Result<(), String> {
        const PLACE: usize = PLACES - 1;
        tables::reset();
        tables::attribute_to(PLACE);
        // SAFETY: the call has no side effects.
        let parent = unsafe { libc::syscall(libc::SYS_getppid) };
        tables::attribute_to(crate::count::places::OFF);
        let mut seen = 0;
        tables::take(PLACE, |_, calls| {
            seen += calls;
            Ok(())
        })?;
        // SAFETY: as above.
        let really = unsafe { make(libc::SYS_getppid as usize, &[0; 6]) };
        match (seen, parent as isize == really) {
            (1, true) => Ok(()),
            (seen, _) => Err(format!(
                "system calls cannot be counted here: {seen} of 1 call was seen, with {parent} for {really}"
            )),
        }
    }

    /// This thread's page faults so far. The call itself is not counted.
    pub(super) fn faults(self) -> Faults {
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        let arguments = [libc::RUSAGE_THREAD as usize, usage.as_mut_ptr() as usize, 0, 0, 0, 0];
        // SAFETY: the structure is the one that the call fills in; zeroes are one, too.
        let usage = unsafe {
            make(libc::SYS_getrusage as usize, &arguments);
            usage.assume_init()
        };
        Faults { minor: usage.ru_minflt as u64, major: usage.ru_majflt as u64 }
    }
}

fn thread() -> usize {
    // SAFETY: the call has no side effects.
    unsafe { make(libc::SYS_gettid as usize, &[0; 6]) as usize }
}

/// Installs the handler on a stack of its own, all of which is in memory.
fn handle() -> Result<(), Error> {
    let done = |result: c_int| if result == 0 { Ok(()) } else { Err(Error::last_os_error()) };
    // SAFETY: the mapping is new and stays; both structures are filled in; the handler is of the kind that
    // the flags say.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE;
        let stack = libc::mmap(std::ptr::null_mut(), STACK_BYTES, protection, kind, -1, 0);
        if stack == libc::MAP_FAILED {
            return Err(Error::last_os_error());
        }
        let stack = libc::stack_t { ss_sp: stack, ss_flags: 0, ss_size: STACK_BYTES };
        done(libc::sigaltstack(&raw const stack, std::ptr::null_mut()))?;
        let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        action.sa_sigaction = on_call as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigfillset(&raw mut action.sa_mask);
        done(libc::sigaction(libc::SIGSYS, &raw const action, std::ptr::null_mut()))?;
        let mut own = MaybeUninit::<libc::sigset_t>::zeroed().assume_init();
        libc::sigaddset(&raw mut own, libc::SIGSYS);
        done(libc::sigprocmask(libc::SIG_UNBLOCK, &raw const own, std::ptr::null_mut()))
    }
}

/// Installs the filter.
fn filter() -> Result<(), Error> {
    let program = instructions();
    let program = libc::sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut() };
    // SAFETY: the program outlives the calls, which only read it.
    unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) != 0
        {
            return Err(Error::last_os_error());
        }
    }
    Ok(())
}

/// The filter: traps every call of this architecture, except [`UNTRAPPED`] ones and those of [`make`].
fn instructions() -> Vec<libc::sock_filter> {
    const LOAD: u16 = 0x20;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    // The offsets of a call's number, its architecture, and the two halves of the address it comes from.
    const NUMBER: u32 = 0;
    const ARCHITECTURE_OF: u32 = 4;
    const LOW: u32 = 8;
    const HIGH: u32 = 12;
    let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let from = let_through();
    let allow_after = |steps: usize| u8::try_from(steps).unwrap_or(u8::MAX);
    let calls = UNTRAPPED.len();
    let mut all = vec![
        step(LOAD, 0, 0, ARCHITECTURE_OF),
        step(JUMP_IF_EQUAL, 0, allow_after(calls + 6), ARCHITECTURE),
        step(LOAD, 0, 0, NUMBER),
    ];
    for (at, call) in UNTRAPPED.iter().enumerate() {
        all.push(step(JUMP_IF_EQUAL, allow_after(calls - at - 1 + 5), 0, *call as u32));
    }
    all.extend([
        step(LOAD, 0, 0, LOW),
        step(JUMP_IF_EQUAL, 0, 2, from as u32),
        step(LOAD, 0, 0, HIGH),
        step(JUMP_IF_EQUAL, 1, 0, (from >> 32) as u32),
        step(RETURN, 0, 0, libc::SECCOMP_RET_TRAP),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]);
    all
}

/// Counts a trapped call and makes it.
extern "C" fn on_call(_: c_int, information: *const siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes both structures to a handler of this kind.
    let (code, context) = unsafe { ((*information).si_code, &mut *context.cast::<ucontext_t>()) };
    if code != BY_FILTER {
        return;
    }
    let (number, arguments) = call_of(context);
    let result = match number as libc::c_long {
        // It would change the handler's mask instead of the program's.
        // SAFETY: the arguments are those of the program's own call.
        libc::SYS_rt_sigprocmask => unsafe { change_mask(context, &arguments) },
        // The handler stays.
        libc::SYS_rt_sigaction if arguments[0] == libc::SIGSYS as usize => 0,
        // SAFETY: it is the program's own call.
        _ => unsafe { make(number, &arguments) },
    };
    set_result(context, result);
    if thread() == THREAD.load(Relaxed) {
        tables::note(number, &arguments, result, PAGE_BYTES.load(Relaxed));
    }
}

/// Changes the mask that the program has after the handler, in which the trap's signal is never blocked: a
/// blocked one would end the process.
///
/// # Safety
/// The arguments are those of an `rt_sigprocmask` of the program.
unsafe fn change_mask(context: &mut ucontext_t, arguments: &[usize; 6]) -> isize {
    const SIGNAL: u64 = 1 << (libc::SIGSYS - 1);
    let [how, new, old, ..] = *arguments;
    let mask = (&raw mut context.uc_sigmask).cast::<u64>();
    // SAFETY: the kernel's part of the mask has 64 bits; the program's two pointers are null or to as many.
    unsafe {
        let before = mask.read();
        if new != 0 {
            let new = (new as *const u64).read_unaligned();
            let after = match how as c_int {
                libc::SIG_BLOCK => before | new,
                libc::SIG_UNBLOCK => before & !new,
                libc::SIG_SETMASK => new,
                _ => return -(libc::EINVAL as isize),
            };
            mask.write(after & !SIGNAL);
        }
        if old != 0 {
            (old as *mut u64).write_unaligned(before);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tlslab_protocol::{KernelUse, Side};

    use super::*;
    use crate::kernel::log::Log;
    use crate::kernel::meter::KernelMeter;
    use crate::timing::meter::Meter;
    use crate::timing::phase::Phase;

    const PAGE: usize = 4096;

    /// Touches three of five new pages, asks for the process six times, and frees the pages.
    fn known_work() {
        // SAFETY: the mapping is new and private, and is freed.
        unsafe {
            let (protection, kind) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let pages = libc::mmap(std::ptr::null_mut(), 5 * PAGE, protection, kind, -1, 0).cast::<u8>();
            (0..3).for_each(|page| pages.add(page * PAGE).write_volatile(1));
            for _ in 0..6 {
                libc::syscall(libc::SYS_getpid);
            }
            libc::munmap(pages.cast(), 5 * PAGE);
        }
    }

    #[test]
    fn known_work_is_counted_exactly_and_only_within_its_marks() {
        let _alone = tables::ONE_TEST.lock().unwrap();
        let trap = Trap::set().unwrap();
        let mut meter = KernelMeter::start(trap, Log::with_room());
        known_work();
        for _ in 0..2 {
            meter.enter(Side::Server, Phase::Send);
            known_work();
            meter.leave();
            known_work();
            meter.end_iteration().unwrap();
        }
        let calls = [("getpid", 6), ("mmap", 1), ("munmap", 1)];
        let calls: BTreeMap<String, u64> = calls.map(|(name, count)| (name.to_owned(), count)).into();
        let bytes = 5 * PAGE as u64;
        let used =
            KernelUse { calls, minor_faults: 3, grown_bytes: bytes, returned_bytes: bytes, major_faults: 0 };
        let all = meter.finish(2);
        for sides in all {
            assert!(sides.client.is_empty(), "{sides:?}");
            assert_eq!(sides.server, BTreeMap::from([("send".to_owned(), used.clone())]));
        }
        // The trap's signal stays open where a program blocks all; the rest of the mask is the program's.
        // SAFETY: sets of signals are plain data.
        let blocked = unsafe {
            let mut all = MaybeUninit::<libc::sigset_t>::zeroed().assume_init();
            let mut before = all;
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            let mut now = before;
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, &raw mut now);
            [libc::SIGSYS, libc::SIGUSR1].map(|signal| libc::sigismember(&raw const now, signal))
        };
        assert_eq!(blocked, [0, 1]);
    }
}
