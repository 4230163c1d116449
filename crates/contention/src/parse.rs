//! The counter's file.

use std::collections::BTreeMap;

use crate::model::{Accesses, Contention, Held, Line, Lock, Owner, Touch};

/// A file that the counter did not write, or another version of it did.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ParseError {
    /// Which line, from 1.
    pub line: usize,
    /// The error.
    pub what: String,
}

const VERSION: &str = "1";

/// Reads the file, and the one with its names of places.
///
/// # Errors
/// Fails on the first invalid line.
pub fn parse(text: &str, places: &str) -> Result<Contention, ParseError> {
    let names = names(places)?;
    let mut found = Contention::default();
    for (at, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        read(&mut found, &fields, &names, at).map_err(|what| ParseError { line: at + 1, what })?;
    }
    if text.is_empty() {
        return Err(ParseError { line: 1, what: "the file is empty".to_owned() });
    }
    found.steps.retain(|_, step| *step != Default::default());
    for line in &mut found.lines {
        line.touches = merged(std::mem::take(&mut line.touches));
    }
    Ok(found)
}

fn names(places: &str) -> Result<BTreeMap<&str, &str>, ParseError> {
    let named = |(at, line): (usize, &'_ str)| ParseError {
        line: at + 1,
        what: format!("a place has a number, a tab and a name; here is {line:?}"),
    };
    places.lines().enumerate().map(|line| line.1.split_once('\t').ok_or_else(|| named(line))).collect()
}

fn read(
    found: &mut Contention,
    fields: &[&str],
    names: &BTreeMap<&str, &str>,
    at: usize,
) -> Result<(), String> {
    let step = |place: &str| {
        names.get(place).map(|name| (*name).to_owned()).ok_or_else(|| format!("there is no place {place:?}"))
    };
    match fields {
        ["contention", version] if at == 0 => match *version {
            VERSION => Ok(()),
            other => Err(format!("version {other:?} of the file; this program reads {VERSION}")),
        },
        _ if at == 0 => Err("a file of contention begins with `contention` and its version".to_owned()),
        ["bucket", place, counts @ .., serial] if counts.len() == 3 => {
            let step = found.steps.entry(step(place)?).or_default();
            step.library = accesses(counts)?;
            step.serial_instructions = number(serial)?;
            Ok(())
        }
        ["allocator", place, counts @ ..] => {
            found.steps.entry(step(place)?).or_default().allocator = accesses(counts)?;
            Ok(())
        }
        ["line", sharing, owned @ ..] => {
            let is_truly_shared = match *sharing {
                "true" => true,
                "false" => false,
                other => return Err(format!("whether sharing is true is `true` or `false`, not {other:?}")),
            };
            found.lines.push(Line { is_truly_shared, owner: owner(owned)?, touches: vec![] });
            Ok(())
        }
        ["touch", place, counts @ .., names] => {
            let line = found.lines.last_mut().ok_or("an access without a line before it")?;
            line.touches.push(Touch {
                step: step(place)?,
                accesses: accesses(counts)?,
                functions: functions(names),
            });
            Ok(())
        }
        ["lock", owned @ .., taken_in] => {
            let (owner, taken_in) = (owner(owned)?, functions(taken_in));
            found.locks.push(Lock { owner, taken_in, held: BTreeMap::new() });
            Ok(())
        }
        ["held", place, alone, together, instructions] => {
            let held = Held {
                alone: number(alone)?,
                together: number(together)?,
                instructions: number(instructions)?,
            };
            let lock = found.locks.last_mut().ok_or("a lock is held that is not named before")?;
            lock.held.insert(step(place)?, held);
            Ok(())
        }
        _ => Err(format!("unknown or incomplete: {:?}", fields.join(" "))),
    }
}

fn accesses(fields: &[&str]) -> Result<Accesses, String> {
    let [atomics, stores, loads] = fields else {
        return Err(format!("3 numbers are needed, not {}", fields.len()));
    };
    Ok(Accesses { atomics: number(atomics)?, stores: number(stores)?, loads: number(loads)? })
}

fn number(field: &str) -> Result<u64, String> {
    field.parse().map_err(|_| format!("{field:?} is not a number"))
}

fn functions(field: &str) -> Vec<String> {
    field.split(';').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn owner(fields: &[&str]) -> Result<Owner, String> {
    match fields {
        ["heap", place, asked] => {
            let (offset, bytes) =
                place.split_once('+').ok_or_else(|| format!("{place:?} is not a place in a block"))?;
            let (offset, bytes) = (number(offset)?, number(bytes)?);
            Ok(Owner::Heap { offset, bytes, allocated_by: functions(asked) })
        }
        ["static", place, _] => {
            let wrong = || format!("{place:?} is not a place in a variable");
            let (variable, offset) = place.rsplit_once('+').ok_or_else(wrong)?;
            let variable = format!("{:#}", rustc_demangle::demangle(variable));
            Ok(Owner::Static { variable, offset: offset.parse().map_err(|_| wrong())? })
        }
        ["allocator", _, _] => Ok(Owner::Allocator),
        ["other", file, _] => Ok(Owner::Other { file: (*file).to_owned() }),
        _ => Err(format!("not an owner of memory: {:?}", fields.join(" "))),
    }
}

/// One for each step and functions, those that write most first.
fn merged(touches: Vec<Touch>) -> Vec<Touch> {
    let mut sums: BTreeMap<(String, Vec<String>), Accesses> = BTreeMap::new();
    for Touch { step, functions, accesses } in touches {
        let sum = sums.entry((step, functions)).or_default();
        *sum = sum.plus(accesses);
    }
    let touch = |((step, functions), accesses)| Touch { step, accesses, functions };
    let mut merged: Vec<Touch> = sums.into_iter().map(touch).collect();
    merged.sort_by_key(|touch| std::cmp::Reverse(touch.accesses.writes()));
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PLACES: &str = "1\tclient.create\n2\tserver.handshake.1\n";
    const FILE: &str = "contention\t1\nbucket\t2\t64\t8\t9\t105\nallocator\t2\t1\t0\t4\nbucket\t1\t0\t0\t0\t0\n\
        line\ttrue\theap\t8+128\tmalloc;make_key\ntouch\t2\t30\t0\t0\tup_ref;use\ntouch\t2\t2\t0\t0\tup_ref;use\ntouch\t2\t0\t0\t5\tuse\n\
        line\tfalse\tstatic\t_ZN4drop8counters17h949d2b5d83488b20E.llvm.93+16\t\nlock\tother\t/lib/x.so\t\tpthread_mutex_lock;roll\nheld\t2\t2\t0\t105\n";

    #[test]
    fn a_file_is_read() {
        let found = parse(FILE, PLACES).unwrap();
        assert_eq!(
            found.steps.keys().collect::<Vec<_>>(),
            ["server.handshake.1"],
            "an empty step is omitted"
        );
        let server = found.side("server");
        assert_eq!(server.library, Accesses { atomics: 64, stores: 8, loads: 9 });
        assert_eq!((server.allocator.atomics, server.serial_instructions), (1, 105));
        assert_eq!(found.side("client"), Default::default());
        let [first, second] = &found.lines[..] else { panic!("{found:?}") };
        assert_eq!(first.touches[0].accesses.atomics, 32, "equal stacks are one");
        assert_eq!(first.accesses(), Accesses { atomics: 32, stores: 0, loads: 5 });
        let allocated_by = vec!["malloc".to_owned(), "make_key".to_owned()];
        assert_eq!(first.owner, Owner::Heap { offset: 8, bytes: 128, allocated_by });
        assert_eq!(second.owner, Owner::Static { variable: "drop::counters".to_owned(), offset: 16 });
        assert_eq!(found.locks[0].in_all(), Held { alone: 2, together: 0, instructions: 105 });
        assert_eq!(found.locks[0].taken_in, ["pthread_mutex_lock", "roll"]);
    }

    #[test]
    fn what_is_kept_of_a_run_has_every_line_with_atomic_operations() {
        let line = |name: &str, atomics: u64, stores: u64| {
            format!("line\ttrue\tstatic\t{name}+0\t\ntouch\t2\t{atomics}\t{stores}\t0\tf\n")
        };
        let lines =
            [line("first", 9, 0), line("stores", 0, 8), line("others", 0, 7), line("last", 1, 0)].concat();
        let allocator = "line\ttrue\tallocator\t\t\ntouch\t2\t30\t0\t0\tmalloc\n";
        let found = parse(&format!("contention\t1\n{allocator}{lines}"), PLACES).unwrap().shortened(2);
        let named = |line: &Line| match &line.owner {
            Owner::Static { variable, .. } => variable.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(found.lines.iter().map(named).collect::<Vec<_>>(), ["first", "stores", "last"]);
        assert_eq!(found.others, 2);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let wrong = |text: &str| parse(text, PLACES).unwrap_err().to_string();
        assert_eq!(wrong(""), "line 1: the file is empty");
        assert_eq!(
            wrong("bucket\t1"),
            "line 1: a file of contention begins with `contention` and its version"
        );
        assert_eq!(wrong("contention\t2"), "line 1: version \"2\" of the file; this program reads 1");
        let after = |line: &str| wrong(&format!("contention\t1\n{line}\n"));
        assert_eq!(after("bucket\t9\t0\t0\t0\t0"), "line 2: there is no place \"9\"");
        assert_eq!(after("bucket\t1\t0\tx\t0\t0"), "line 2: \"x\" is not a number");
        assert_eq!(after("touch\t1\t0\t0\t0\tf"), "line 2: an access without a line before it");
        assert_eq!(after("held\t1\t0\t0\t0"), "line 2: a lock is held that is not named before");
        assert_eq!(after("line\ttrue\theap\t8\tf"), "line 2: \"8\" is not a place in a block");
        assert_eq!(
            after("line\tmaybe\tallocator\t\t"),
            "line 2: whether sharing is true is `true` or `false`, not \"maybe\""
        );
        assert_eq!(after("nothing"), "line 2: unknown or incomplete: \"nothing\"");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(contention\t1\n)?[a-z0-9\t\n;+-]{0,200}", places in "[0-9a-z\t\n.]{0,40}") {
            let _ = parse(&text, &places);
        }
    }
}
