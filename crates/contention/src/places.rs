//! Where a side contends, so that two builds can be compared place by place.

use std::collections::BTreeMap;

use tlslab_text::clean;

use crate::model::{Contention, Owner};

/// Functions of a call stack that name a place.
const FUNCTIONS: usize = 3;

impl Contention {
    /// One side's atomic operations on contended lines, for one connection, by the functions that execute
    /// them and the object.
    pub fn atomics_by_place(&self, side: &str) -> BTreeMap<String, f64> {
        let mut places = BTreeMap::new();
        for line in self.lines.iter().filter(|line| line.owner != Owner::Allocator) {
            for touch in line.touches.iter().filter(|touch| is_of(&touch.step, side)) {
                let sharing = if line.is_truly_shared { "" } else { ", false sharing" };
                let place = format!("{}{}{sharing}", calls(&touch.functions), object(&line.owner));
                *places.entry(place).or_default() += self.of_each(touch.accesses.atomics);
            }
        }
        places
    }

    /// One side's instructions under locks, for one connection, by the functions that take the lock.
    pub fn serial_by_place(&self, side: &str) -> BTreeMap<String, f64> {
        let mut places = BTreeMap::new();
        for lock in &self.locks {
            let held = lock.held.iter().filter(|(step, _)| is_of(step, side));
            let instructions: u64 = held.map(|(_, held)| held.instructions).sum();
            let place = format!("{}{}", calls(&lock.taken_in), object(&lock.owner));
            *places.entry(place).or_default() += self.of_each(instructions);
        }
        places
    }

    fn of_each(&self, number: u64) -> f64 {
        number as f64 / self.connections.max(1) as f64
    }
}

fn is_of(step: &str, side: &str) -> bool {
    step.split_once('.').is_some_and(|(of, _)| of == side)
}

/// The functions from the innermost on, without those of the C library and of the library itself that take
/// and release locks for others: their callers are more informative.
fn calls(functions: &[String]) -> String {
    let locking = functions.iter().take_while(|name| is_locking(name)).count();
    let callers = functions.get(locking..).filter(|callers| !callers.is_empty()).unwrap_or(functions);
    let names: Vec<String> = callers.iter().take(FUNCTIONS).map(|name| clean(name)).collect();
    if names.is_empty() { "unknown function".to_owned() } else { names.join(" < ") }
}

/// The object of the line or the lock, if it has a name.
fn object(owner: &Owner) -> String {
    match owner {
        Owner::Static { variable, .. } => format!(" on {}", clean(variable)),
        Owner::Heap { allocated_by, .. } => match allocated_by.iter().find(|name| !is_part(name)) {
            Some(function) => format!(" on a block of {}", clean(function)),
            None => String::new(),
        },
        Owner::Allocator | Owner::Other { .. } => String::new(),
    }
}

/// Whether a function only allocates, or makes a lock, by its name.
fn is_part(name: &str) -> bool {
    ["alloc", "operator new", "memalign"].iter().any(|word| name.contains(word)) || is_locking(name)
}

/// Whether a function's name is that of a lock operation: `pthread_mutex_lock`, `CRYPTO_THREAD_unlock`,
/// `wc_LockMutex`, `drop_in_place<MutexGuard<…>>`. The word `block` is not.
fn is_locking(name: &str) -> bool {
    const WORDS: [&str; 9] =
        ["lock", "unlock", "mutex", "rdlock", "wrlock", "trylock", "rwlock", "spinlock", "pthread"];
    words(name).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// The words of a name in `snake_case`, `camelCase` or both.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let begins = letter.is_uppercase() && before.is_lowercase();
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use crate::parse;

    #[test]
    fn places_have_functions_and_objects_and_a_side_its_own() {
        let file = "contention\t1\nline\ttrue\theap\t8+128\tCRYPTO_zalloc;make_key\n\
            touch\t2\t60\t0\t0\tup_ref;use;handshake;serve\ntouch\t1\t8\t0\t0\tup_ref\n\
            line\tfalse\tstatic\tcounters+16\t\ntouch\t2\t4\t8\t0\tcount\n\
            lock\tstatic\tticketer+0\t\tpthread_mutex_lock;lock;roll;produce;serve\nheld\t2\t2\t0\t210\n";
        let mut found = parse(file, "2\tserver.handshake.1\n1\tclient.free\n").unwrap();
        found.connections = 2;
        let atomics: Vec<(String, f64)> = found.atomics_by_place("server").into_iter().collect();
        let expected = [
            ("count on counters, false sharing".to_owned(), 2.0),
            ("up_ref < use < handshake on a block of make_key".to_owned(), 30.0),
        ];
        assert_eq!(atomics, expected);
        let serial: Vec<(String, f64)> = found.serial_by_place("server").into_iter().collect();
        assert_eq!(serial, [("roll < produce < serve on ticketer".to_owned(), 105.0)]);
        assert!(found.serial_by_place("client").values().all(|instructions| *instructions == 0.0));
    }

    #[test]
    fn a_name_about_locks_is_told_from_one_about_blocks() {
        for name in [
            "pthread_rwlock_rdlock",
            "__pthread_mutex_unlock_usercnt",
            "CRYPTO_THREAD_write_lock",
            "CRYPTO_THREAD_lock_new",
            "wc_LockMutex",
            "CRYPTO_MUTEX_unlock_read",
            "std::sync::poison::mutex::Mutex<T>::lock",
            "core::ptr::drop_in_place<std::sync::poison::mutex::MutexGuard<u64>>",
        ] {
            assert!(super::is_locking(name), "{name}");
        }
        for name in [
            "sha256_block_data_order",
            "rustls::ticketer::TicketSwitcher::maybe_roll",
            "EVP_MD_up_ref",
            "clock_gettime",
        ] {
            assert!(!super::is_locking(name), "{name}");
        }
    }
}
