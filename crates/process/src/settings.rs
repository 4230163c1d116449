//! Settings that the program's process applies to itself before the execution.
//!
//! This runs in a fork of a fork of the lab: nothing here allocates or locks.

use std::io;
use std::os::fd::RawFd;

use crate::channel::{Channel, ChannelEnd};
use crate::descriptors;
use crate::message::Step;
use crate::program::Program;
use crate::raw;

/// The kernel's part of a [`Program`]: the requested settings, ready to be applied.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    cpu: Option<libc::cpu_set_t>,
    fixed_addresses: bool,
    nice: Option<i32>,
    channel: Option<RawFd>,
}

impl Settings {
    pub(crate) fn of(program: &Program) -> Result<Self, (Step, io::Error)> {
        let cpu = program.cpu.map(cpu_set).transpose().map_err(|error| (Step::Cpu, error))?;
        let channel = program.channel.as_ref().map(ChannelEnd::descriptor);
        Ok(Self { cpu, fixed_addresses: program.fixed_addresses, nice: program.nice, channel })
    }

    /// Leaves the keeper's session and applies the requested settings.
    pub(crate) fn apply(&self, keeper_id: i32) -> Result<(), (Step, io::Error)> {
        let refused = |step| move |error| (step, error);
        die_with_parent(keeper_id).map_err(refused(Step::Session))?;
        // A session of its own and not the keeper's, so that `kill 0` in the program does not reach the keeper.
        raw::new_session().map_err(refused(Step::Session))?;
        if let Some(cpus) = &self.cpu {
            bind(cpus).map_err(refused(Step::Cpu))?;
        }
        if self.fixed_addresses {
            fix_addresses().map_err(refused(Step::Addresses))?;
        }
        if let Some(nice) = self.nice {
            set_nice(nice).map_err(refused(Step::Nice))?;
        }
        // The lab's own are closed on exec anyway; this is for those that the lab itself was started with.
        descriptors::close_from_on_exec(libc::STDERR_FILENO + 1);
        if let Some(channel) = self.channel {
            hand_over(channel).map_err(refused(Step::Channel))?;
        }
        // The keeper has reset the dispositions; the mask goes last, when no later step can be disturbed.
        raw::block_signals(false);
        Ok(())
    }
}

/// Duplicates a descriptor to the number that programs know, which must be free: it may be the one by which
/// the standard library reports that a program cannot be executed.
fn hand_over(channel: RawFd) -> io::Result<()> {
    // SAFETY: this command takes integers.
    let given = raw::check(unsafe { libc::fcntl(channel, libc::F_DUPFD, Channel::NUMBER) })?;
    if given == Channel::NUMBER { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::EBUSY)) }
}

fn cpu_set(cpu: usize) -> io::Result<libc::cpu_set_t> {
    set_of(&[cpu])
}

fn set_of(cpus: &[usize]) -> io::Result<libc::cpu_set_t> {
    if cpus.iter().any(|cpu| *cpu >= libc::CPU_SETSIZE as usize) {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    // SAFETY: all zeroes is the empty set, and every CPU is within its bounds.
    unsafe {
        let mut set = std::mem::zeroed();
        for cpu in cpus {
            libc::CPU_SET(*cpu, &mut set);
        }
        Ok(set)
    }
}

/// Binds a running process's first thread, and threads that it starts from now on, to these CPUs.
pub(crate) fn rebind(process: u32, cpus: &[usize]) -> io::Result<()> {
    let set = set_of(cpus)?;
    // SAFETY: the pointer and the size describe `set`.
    raw::check(unsafe {
        libc::sched_setaffinity(process as libc::pid_t, size_of::<libc::cpu_set_t>(), &raw const set)
    })
    .map(drop)
}

fn die_with_parent(parent: i32) -> io::Result<()> {
    // SAFETY: this option takes an integer and touches no memory of ours.
    raw::check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) })?;
    // A keeper that died before that call sends no message.
    if raw::parent_id() == parent { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
}

fn bind(cpus: &libc::cpu_set_t) -> io::Result<()> {
    // SAFETY: the pointer and the size describe `cpus`.
    raw::check(unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), cpus) }).map(drop)
}

fn fix_addresses() -> io::Result<()> {
    const ASK: libc::c_ulong = 0xffff_ffff;
    // SAFETY: personality takes an integer and touches no memory of ours.
    let current = raw::check(unsafe { libc::personality(ASK) })?;
    let fixed = (current | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong;
    // SAFETY: as above.
    raw::check(unsafe { libc::personality(fixed) }).map(drop)
}

fn set_nice(nice: i32) -> io::Result<()> {
    // SAFETY: setpriority takes integers and touches no memory of ours.
    raw::check(unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) })?;
    set_session_nice(nice);
    Ok(())
}

/// If the kernel shares the CPU among sessions first, a nice value counts only within the program's own
/// session, so the session has to be nice as well. Some kernels do not, and the setting works without it.
fn set_session_nice(nice: i32) {
    let Ok(file) = raw::open_at(libc::AT_FDCWD, b"/proc/self/autogroup\0", libc::O_WRONLY) else { return };
    let magnitude = nice.unsigned_abs().min(99) as u8;
    let text = [if nice < 0 { b'-' } else { b'+' }, b'0' + magnitude / 10, b'0' + magnitude % 10];
    // The kernel's parser accepts a minus but no plus.
    let _ = raw::write(file, if nice < 0 { &text } else { &text[1..] });
    raw::close(file);
}
