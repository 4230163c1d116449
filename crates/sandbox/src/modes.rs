//! Rules against set-user-ID files. If the lab is an ordinary user, such a file in the cache would run as
//! that user for everyone on the machine.

use std::collections::BTreeMap;

use seccompiler::SeccompCmpOp::MaskedEq;
use seccompiler::SeccompRule;

use crate::rule::rule;

/// The bits for set-user-ID and set-group-ID.
const IDENTITIES: [u64; 2] = [0o4000, 0o2000];
/// Flags of `open` with which it takes a mode.
const CREATES: [u64; 2] = [libc::O_CREAT as u64, (libc::O_TMPFILE & !libc::O_DIRECTORY) as u64];
/// Newer than the list of `libc`; the same number on all architectures.
const FCHMODAT2: i64 = 452;

/// The rules, by call.
pub(crate) fn identities() -> Result<BTreeMap<i64, Vec<SeccompRule>>, String> {
    let mut rules = BTreeMap::new();
    for (call, place) in MODES {
        let of_bit = |bit: u64| rule(&[(place, MaskedEq(bit), bit)]);
        rules.insert(call, IDENTITIES.into_iter().map(of_bit).collect::<Result<Vec<_>, _>>()?);
    }
    for (call, flags, mode) in OPENS {
        let both = CREATES.into_iter().flat_map(|flag| IDENTITIES.map(|bit| (flag, bit)));
        let of_both =
            |(flag, bit): (u64, u64)| rule(&[(flags, MaskedEq(flag), flag), (mode, MaskedEq(bit), bit)]);
        rules.insert(call, both.map(of_both).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(rules)
}

/// Calls with the index of their mode.
#[cfg(target_arch = "x86_64")]
const MODES: [(i64, u8); 7] = [
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
    (libc::SYS_chmod, 1),
    (libc::SYS_mknod, 1),
    (libc::SYS_creat, 1),
];
#[cfg(not(target_arch = "x86_64"))]
const MODES: [(i64, u8); 4] =
    [(libc::SYS_fchmod, 1), (libc::SYS_fchmodat, 2), (FCHMODAT2, 2), (libc::SYS_mknodat, 2)];

/// Calls with the indices of their flags and of their mode.
#[cfg(target_arch = "x86_64")]
const OPENS: [(i64, u8, u8); 2] = [(libc::SYS_openat, 2, 3), (libc::SYS_open, 1, 2)];
#[cfg(not(target_arch = "x86_64"))]
const OPENS: [(i64, u8, u8); 1] = [(libc::SYS_openat, 2, 3)];
