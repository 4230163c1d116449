//! The filters of system calls. Namespaces hide everything outside from a program; these filters make the
//! kernel itself a smaller target and prevent that namespaces are made or left.

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompCmpOp, SeccompFilter, SeccompRule, sock_filter};

use crate::modes::identities;
use crate::rule::rule;

/// A filter in the kernel's format.
pub(crate) type Filter = Vec<u8>;

/// The filters of a sandbox. `traces` allows its processes to trace each other, as needed by an instrument
/// that injects its code into a driver through files in memory.
pub(crate) fn filters(traces: bool) -> Result<Vec<Filter>, String> {
    let mut unknown: BTreeMap<i64, Vec<SeccompRule>> =
        UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
    if traces {
        unknown.remove(&libc::SYS_memfd_create);
    }
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    if !traces {
        refused.extend(TRACING.iter().map(|call| (*call, Vec::new())));
    }
    refused.insert(libc::SYS_clone, new_namespaces()?);
    refused.insert(libc::SYS_socket, other_families()?);
    refused.insert(libc::SYS_socketpair, other_families()?);
    refused.insert(libc::SYS_ioctl, terminal_input()?);
    refused.extend(identities()?);
    let refused = compiled(refused, libc::EPERM)?;
    let unknown = compiled(unknown, libc::ENOSYS)?;
    Ok(vec![bytes(&x32_is_unknown(refused)), bytes(&unknown)])
}

/// Calls that appear to be missing, so that programs fall back to older ones: `clone3` and `openat2` hide
/// their flags from filters, `io_uring` bypasses them, and memory held by a file descriptor or a System V key
/// is counted for no process.
const UNKNOWN: [i64; 10] = [
    libc::SYS_clone3,
    libc::SYS_openat2,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_memfd_create,
    MEMFD_SECRET,
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
];

/// The same number on all architectures.
const MEMFD_SECRET: i64 = 447;

/// Calls that neither a compiler nor a TLS library needs: namespaces and mounts, keys of the kernel, its
/// modules and clocks, counters and programs in the kernel.
const REFUSED: [i64; 46] = [
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_nfsservctl,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_vhangup,
    libc::SYS_syslog,
    libc::SYS_lookup_dcookie,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_mbind,
    libc::SYS_set_mempolicy,
    libc::SYS_fanotify_init,
];

/// Calls by which processes access each other.
const TRACING: [i64; 5] = [
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
];

const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// A `clone` that makes a namespace: one rule for each, as any of them suffices.
fn new_namespaces() -> Result<Vec<SeccompRule>, String> {
    let flags = (0..32).map(|bit| 1_u64 << bit).filter(|flag| *flag & u64::from(NAMESPACES as u32) != 0);
    flags.map(|flag| rule(&[(0, SeccompCmpOp::MaskedEq(flag), flag)])).collect()
}

/// Sockets, except those within the machine, of the internet, and those by which a program lists its
/// interfaces.
fn other_families() -> Result<Vec<SeccompRule>, String> {
    let allowed = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    let conditions = allowed.map(|family| (0, SeccompCmpOp::Ne, family as u64));
    Ok(vec![rule(&conditions)?])
}

/// Typing into a terminal, and the console's own call for that.
fn terminal_input() -> Result<Vec<SeccompRule>, String> {
    const TIOCLINUX: u64 = 0x541c;
    [libc::TIOCSTI, TIOCLINUX].into_iter().map(|request| rule(&[(1, SeccompCmpOp::Eq, request)])).collect()
}

fn compiled(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> Result<BpfProgram, String> {
    let architecture = std::env::consts::ARCH.try_into().map_err(|error| format!("{error}"))?;
    let action = SeccompAction::Errno(errno as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, action, architecture)
        .and_then(BpfProgram::try_from)
        .map_err(|error| error.to_string())
}

/// On x86-64 each call has a second number, for programs with short pointers, that the rules do not name.
fn x32_is_unknown(filter: BpfProgram) -> BpfProgram {
    if !cfg!(target_arch = "x86_64") {
        return filter;
    }
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_NOT_BELOW: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const X32: u32 = 0x4000_0000;
    const ERRNO: u32 = 0x0005_0000;
    let begin = [
        sock_filter { code: LOAD_WORD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_IF_NOT_BELOW, jt: 0, jf: 1, k: X32 },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: ERRNO | libc::ENOSYS as u32 },
    ];
    begin.into_iter().chain(filter).collect()
}

fn bytes(filter: &[sock_filter]) -> Filter {
    let instruction =
        |i: &sock_filter| [&i.code.to_ne_bytes()[..], &[i.jt, i.jf], &i.k.to_ne_bytes()].concat();
    filter.iter().flat_map(instruction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_whole_instructions_and_fit_the_kernel() {
        for traces in [false, true] {
            for filter in filters(traces).unwrap() {
                assert_eq!(filter.len() % 8, 0);
                assert!(filter.len() / 8 <= 4096);
            }
        }
        assert!(filters(false).unwrap()[0].len() > filters(true).unwrap()[0].len());
    }
}
