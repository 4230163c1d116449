//! The kit's own module, under the counter; without the counter, it reports that.

#[path = "../../../../driver-kit/src/count/counter.rs"]
mod counter;

use std::arch::asm;

use counter::{BUCKETS, Counter};

/// A hundred instructions between two switches.
#[inline(never)]
fn hundred(counter: Counter, bucket: u64) -> u64 {
    let before = counter.switch(bucket);
    // SAFETY: does nothing.
    unsafe { asm!(".rept 100", "nop", ".endr") };
    counter.switch(before);
    before
}

#[inline(never)]
fn nothing(counter: Counter, bucket: u64) -> u64 {
    let before = counter.switch(bucket);
    counter.switch(before);
    before
}

fn main() {
    let Some(counter) = Counter::find() else {
        println!("no counter");
        return;
    };
    counter.zero();
    counter.seed(3);
    hundred(counter, 1);
    nothing(counter, 2);
    for bucket in 3..BUCKETS {
        hundred(counter, bucket);
    }
    let [one, two] = [1, 2].map(|bucket| counter.read(bucket).unwrap());
    println!("{} {} {} {}", one.instructions - two.instructions, (3..=4).contains(&two.instructions), one.loads, one.stores);
    let others: Vec<_> = (3..BUCKETS).map(|bucket| counter.read(bucket).unwrap()).collect();
    println!("{}", others.iter().all(|counts| *counts == one));
    println!("{:?} {}", counter.read(BUCKETS), counter.switch(BUCKETS) == u64::MAX);
    println!("{:?}", counter.dump(1, c"/nowhere/x").unwrap_err().raw_os_error());
    let path = std::ffi::CString::new(std::env::args().nth(1).unwrap()).unwrap();
    println!("{:?}", counter.dump(1, &path).map_err(|error| error.raw_os_error()));
}
