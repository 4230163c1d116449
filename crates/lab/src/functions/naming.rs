//! Counts by address, assigned to the functions there.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use tlslab_binaries::{Frame, Symbols};
use tlslab_profile::{Function, Named, Profile, parse_naming};

/// The name of a function without a symbol, as in valgrind.
const NAMELESS: &str = "???";

/// Rewrites the files of a folder: counts by address get the name of the function at that address.
pub fn name_functions(folder: &Path, symbols: &mut Symbols) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let described = || path.display().to_string();
        let text = std::fs::read_to_string(&path).with_context(described)?;
        let named = name_frames(&text, &mut |object, address| outermost(symbols, object, address));
        std::fs::write(&path, named).with_context(described)?;
    }
    Ok(())
}

/// A file's costs by function: inlined code belongs to its caller.
pub fn by_symbol(text: &str, symbols: &mut Symbols) -> anyhow::Result<Profile> {
    // Names are discarded, so that all are looked up.
    let nameless: String =
        text.lines()
            .map(|line| {
                if line.starts_with("fn=") {
                    "fn=UnknownInlinedFun\n".to_owned()
                } else {
                    format!("{line}\n")
                }
            })
            .collect();
    let found = parse_naming(&nameless, &mut |object, address| {
        let Frame { function, file, line } = outermost(symbols, object, address);
        vec![Named { name: function, file, line: line.into() }]
    })?;
    let mut profile = Profile { events: found.events.clone(), ..Profile::default() };
    for (function, costs) in found.functions {
        let name = if function.name == "UnknownInlinedFun" { NAMELESS.to_owned() } else { function.name };
        let one = Function { object: function.object, file: String::new(), name };
        let functions = BTreeMap::from([(one, costs)]);
        profile.add(&Profile { events: found.events.clone(), functions, ..Profile::default() });
    }
    Ok(profile)
}

fn outermost(symbols: &mut Symbols, object: &str, address: u64) -> Frame {
    symbols.frames(Path::new(object), address).pop().unwrap_or_default()
}

/// An object, a file and a function.
type Place<'t> = (&'t str, String, String);

/// Lines of an address and a cost below their object become lines below their function.
fn name_frames(text: &str, frame: &mut dyn FnMut(&str, u64) -> Frame) -> String {
    let mut out = String::new();
    let mut functions: BTreeMap<Place<'_>, Vec<(u64, u32, &str)>> = BTreeMap::new();
    let mut object = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("ob=") {
            object = name;
        } else if let Some((at, cost)) = line.strip_prefix("0x").and_then(|line| line.split_once(' '))
            && let Ok(at) = u64::from_str_radix(at, 16)
        {
            let Frame { function, file, line } = frame(object, at);
            let name = if function.is_empty() { NAMELESS.to_owned() } else { function };
            functions.entry((object, file, name)).or_default().push((at, line, cost));
        } else if line == "positions: instr" {
            out.push_str("positions: instr line\n");
        } else if !line.starts_with("fn=") {
            out.push_str(line);
            out.push('\n');
        }
    }
    for ((object, file, name), mut costs) in functions {
        costs.sort_unstable();
        // Writing to a string cannot fail.
        let _ = write!(out, "\nob={object}\nfl={file}\nfn={name}\n");
        for (at, line, cost) in costs {
            let _ = writeln!(out, "{at:#x} {line} {cost}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use tlslab_profile::parse;

    use super::*;

    const BY_ADDRESS: &str = "# callgrind format\nversion: 1\npositions: instr\nevents: Ir\nob=/bin/x\nfn=???\n0x10 5\n0x20 7\n\
                              ob=/lib/y\nfn=???\n0x10 11\n0x18 13\n";

    #[test]
    fn costs_are_the_functions_that_are_there() {
        let text = name_frames(BY_ADDRESS, &mut |object, address| match (object, address) {
            ("/bin/x", _) => Frame { function: "f".into(), file: "/s/x.c".into(), line: 3 },
            (_, 0x10) => Frame { function: "g".into(), ..Frame::default() },
            _ => Frame::default(),
        });
        let profile = parse(&text).unwrap();
        let costs: Vec<(String, String, u64)> = profile
            .functions
            .iter()
            .map(|(function, costs)| (function.object.clone(), function.name.clone(), costs[0]))
            .collect();
        let row = |object: &str, name: &str, cost| (object.to_owned(), name.to_owned(), cost);
        assert_eq!(costs, [row("/bin/x", "f", 12), row("/lib/y", "???", 13), row("/lib/y", "g", 11)]);
    }
}
