//! Contention as text for a terminal.

use std::fmt::Write;

use tlslab_text::clean;
use tlslab_text::number::{counted, figure};

use crate::model::{Contention, Line, Lock, Owner};

/// At most so many places that access a line.
const MOST_PLACES: usize = 4;
/// At most so many functions of a stack.
const MOST_FUNCTIONS: usize = 5;
/// A part of the names of functions that make connections, whatever the library.
const DRIVER_KIT: &str = "tlslab_driver_kit::";

/// As text: each side's totals per connection, its steps, then so many of the hottest lines and of the
/// longest locks.
pub fn text(found: &Contention, top: usize) -> String {
    let mut text = String::new();
    let each = Each(found.connections.max(1));
    let (connections, threads) = (counted(found.connections, "connection"), counted(found.threads, "thread"));
    writeln!(text, "Per connection, of {connections} that {threads} made in turn:\n")
        .expect("writing to a string cannot fail");
    for side in ["client", "server"] {
        write_side(&mut text, found, side, each);
    }
    let lines: Vec<&Line> = found.lines.iter().filter(|line| line.owner != Owner::Allocator).collect();
    heading(&mut text, "contended line", lines.len(), top);
    for line in lines.into_iter().take(top) {
        write_line(&mut text, line, each);
    }
    let locks: Vec<&Lock> = found.locks.iter().filter(|lock| lock.in_all().alone > 0).collect();
    heading(&mut text, "shared lock", locks.len(), top);
    for lock in locks.into_iter().take(top) {
        write_lock(&mut text, lock, each);
    }
    text
}

/// The connections that figures are divided by.
#[derive(Clone, Copy)]
struct Each(u64);

impl Each {
    fn per(self, times: u64) -> String {
        figure(times as f64 / self.0 as f64)
    }
}

fn write_side(text: &mut String, found: &Contention, side: &str, each: Each) {
    let all = found.side(side);
    let mut line =
        |words: std::fmt::Arguments<'_>| writeln!(text, "{words}").expect("writing to a string cannot fail");
    line(format_args!(
        "{side}: {} contended atomic operations, {} stores, {} loads; {} instructions under locks held alone",
        each.per(all.library.atomics),
        each.per(all.library.stores),
        each.per(all.library.loads),
        each.per(all.serial_instructions)
    ));
    for (name, step) in &found.steps {
        let Some(name) = name.strip_prefix(side).and_then(|name| name.strip_prefix('.')) else { continue };
        let (atomics, serial) = (each.per(step.library.atomics), each.per(step.serial_instructions));
        line(format_args!("  {name:<16} {atomics:>8} atomic {serial:>10} under locks"));
    }
    let allocator = each.per(all.allocator.atomics);
    line(format_args!("  not included: {allocator} contended atomic operations of the allocator\n"));
}

fn heading(text: &mut String, what: &str, number: usize, top: usize) {
    let shown = if number > top { format!(", the first {top}") } else { String::new() };
    writeln!(text, "{}{shown}", counted(number, what)).expect("writing to a string cannot fail");
}

fn write_line(text: &mut String, line: &Line, each: Each) {
    let all = line.accesses();
    let sharing = if line.is_truly_shared { "" } else { ", false sharing: threads use different bytes" };
    let mut write =
        |words: std::fmt::Arguments<'_>| writeln!(text, "{words}").expect("writing to a string cannot fail");
    let (atomics, stores) = (each.per(all.atomics), each.per(all.stores));
    write(format_args!("{atomics:>9} atomic {stores:>8} stores  {}{sharing}", owner(&line.owner)));
    for (place, writes) in places(line).into_iter().take(MOST_PLACES) {
        write(format_args!("{:>15}  {place}", each.per(writes)));
    }
}

/// Places that write a line, with their writes, most first. Touches that differ only in callers that are not
/// shown are one place.
fn places(line: &Line) -> Vec<(String, u64)> {
    let mut places: Vec<(String, u64)> = Vec::new();
    for touch in line.touches.iter().filter(|touch| touch.accesses.writes() > 0) {
        let (place, writes) =
            (format!("{}: {}", touch.step, stack(&touch.functions)), touch.accesses.writes());
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, all)) => *all += writes,
            None => places.push((place, writes)),
        }
    }
    places.sort_by_key(|&(_, writes)| std::cmp::Reverse(writes));
    places
}

fn write_lock(text: &mut String, lock: &Lock, each: Each) {
    let all = lock.in_all();
    let (instructions, alone) = (each.per(all.instructions), each.per(all.alone));
    writeln!(
        text,
        "{instructions:>9} instructions, held alone ×{alone}  {}\n{:>15}  {}",
        owner(&lock.owner),
        "in",
        stack(&lock.taken_in)
    )
    .expect("writing to a string cannot fail");
}

/// The library's functions, from the innermost on: their callers are the same in all stacks.
fn stack(functions: &[String]) -> String {
    let driver = functions.iter().position(|name| name.contains(DRIVER_KIT));
    let of_library = functions.iter().take(driver.unwrap_or(functions.len()).min(MOST_FUNCTIONS));
    let mut shown: Vec<String> = of_library.map(|name| clean(name)).collect();
    if driver.is_some_and(|at| at < MOST_FUNCTIONS) {
        shown.push("the driver".to_owned());
    }
    shown.join(" < ")
}

fn owner(owner: &Owner) -> String {
    match owner {
        Owner::Heap { offset, bytes, allocated_by } => {
            format!("byte {offset} of {bytes}, allocated by {}", stack(allocated_by))
        }
        Owner::Static { variable, offset: 0 } => clean(variable),
        Owner::Static { variable, offset } => format!("{} + {offset}", clean(variable)),
        Owner::Allocator => "the allocator".to_owned(),
        Owner::Other { file } if file.is_empty() => "unknown memory".to_owned(),
        Owner::Other { file } => format!("memory of {}", clean(file)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn a_reader_sees_totals_steps_lines_and_locks() {
        let file = "contention\t1\nbucket\t2\t64\t8\t9\t210\nallocator\t2\t2\t0\t4\n\
            line\ttrue\theap\t8+128\tmalloc;make_key\ntouch\t2\t60\t0\t0\tup_ref;use\n\
            line\tfalse\tstatic\tcounters+16\t\ntouch\t2\t0\t8\t0\tcount\n\
            lock\tstatic\tticketer+0\t\tlock;roll\x1b[2J;produce;tlslab_driver_kit::serve\nheld\t2\t2\t0\t210\n";
        let mut found = parse(file, "2\tserver.handshake.1\n").unwrap();
        (found.connections, found.threads) = (2, 2);
        insta::assert_snapshot!(text(&found, 1));
    }

    #[test]
    fn touches_that_look_the_same_are_one_place() {
        let file = "contention\t1\nbucket\t2\t64\t8\t9\t210\nline\ttrue\tstatic\tcounter+0\t\n\
            touch\t2\t16\t0\t0\tfetch;a;b;c;d\n\
            touch\t2\t12\t0\t0\tfree;a;b;c;d;e\ntouch\t2\t10\t0\t0\tfree;a;b;c;d;f\n";
        let mut found = parse(file, "2\tserver.handshake.1\n").unwrap();
        (found.connections, found.threads) = (2, 2);
        let places = places(&found.lines[0]);
        assert_eq!(places[0], ("server.handshake.1: free < a < b < c < d".to_owned(), 22));
        assert_eq!(places[1], ("server.handshake.1: fetch < a < b < c < d".to_owned(), 16));
        assert_eq!(places.len(), 2);
    }
}
