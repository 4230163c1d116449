//! The names of system calls.

/// The name of a system call on this architecture; `call_` with its number if it has none here.
pub(super) fn name_of(number: usize) -> String {
    let known = NAMES.iter().find(|(_, known)| *known == number as libc::c_long);
    known.map_or_else(|| format!("call_{number}"), |(name, _)| (*name).to_owned())
}

macro_rules! names {
    ($($name:ident = $number:ident),* $(,)?) => { &[$((stringify!($name), libc::$number)),*] };
}

/// Calls that a library may make.
const NAMES: &[(&str, libc::c_long)] = names![
    accept4 = SYS_accept4,
    bind = SYS_bind,
    brk = SYS_brk,
    clock_getres = SYS_clock_getres,
    clock_gettime = SYS_clock_gettime,
    clock_nanosleep = SYS_clock_nanosleep,
    close = SYS_close,
    connect = SYS_connect,
    dup = SYS_dup,
    dup3 = SYS_dup3,
    epoll_ctl = SYS_epoll_ctl,
    epoll_pwait = SYS_epoll_pwait,
    eventfd2 = SYS_eventfd2,
    faccessat = SYS_faccessat,
    fcntl = SYS_fcntl,
    fstat = SYS_fstat,
    fsync = SYS_fsync,
    ftruncate = SYS_ftruncate,
    futex = SYS_futex,
    get_mempolicy = SYS_get_mempolicy,
    getcpu = SYS_getcpu,
    getdents64 = SYS_getdents64,
    getegid = SYS_getegid,
    geteuid = SYS_geteuid,
    getgid = SYS_getgid,
    getpid = SYS_getpid,
    getppid = SYS_getppid,
    getrandom = SYS_getrandom,
    getrusage = SYS_getrusage,
    getsockopt = SYS_getsockopt,
    gettid = SYS_gettid,
    gettimeofday = SYS_gettimeofday,
    getuid = SYS_getuid,
    ioctl = SYS_ioctl,
    lseek = SYS_lseek,
    madvise = SYS_madvise,
    membarrier = SYS_membarrier,
    mincore = SYS_mincore,
    mlock = SYS_mlock,
    mmap = SYS_mmap,
    mprotect = SYS_mprotect,
    mremap = SYS_mremap,
    munlock = SYS_munlock,
    munmap = SYS_munmap,
    nanosleep = SYS_nanosleep,
    newfstatat = SYS_newfstatat,
    openat = SYS_openat,
    ppoll = SYS_ppoll,
    prctl = SYS_prctl,
    pread64 = SYS_pread64,
    prlimit64 = SYS_prlimit64,
    pselect6 = SYS_pselect6,
    read = SYS_read,
    readlinkat = SYS_readlinkat,
    readv = SYS_readv,
    recvfrom = SYS_recvfrom,
    recvmsg = SYS_recvmsg,
    rt_sigaction = SYS_rt_sigaction,
    rt_sigprocmask = SYS_rt_sigprocmask,
    sched_getaffinity = SYS_sched_getaffinity,
    sched_yield = SYS_sched_yield,
    sendmsg = SYS_sendmsg,
    sendto = SYS_sendto,
    set_robust_list = SYS_set_robust_list,
    setsockopt = SYS_setsockopt,
    sigaltstack = SYS_sigaltstack,
    socket = SYS_socket,
    statx = SYS_statx,
    sysinfo = SYS_sysinfo,
    tgkill = SYS_tgkill,
    times = SYS_times,
    uname = SYS_uname,
    write = SYS_write,
    writev = SYS_writev,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_one_name() {
        assert_eq!(name_of(libc::SYS_getpid as usize), "getpid");
        assert_eq!(name_of(500), "call_500");
        let mut numbers: Vec<_> = NAMES.iter().map(|(_, number)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), NAMES.len());
    }
}
