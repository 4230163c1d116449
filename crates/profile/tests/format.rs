//! Files in the format of callgrind: the supported parts, the agreement with callgrind's own program, the
//! rejected files.

use std::collections::BTreeMap;
use std::process::Command;

use proptest::prelude::*;
use tlslab_profile::{Function, Named, Profile, parse, parse_naming, write};

const FILE: &str = "\
# callgrind format
version: 1
creator: by hand
positions: line
events: Ir Dr Dw
summary: 1175 40 12

ob=(1) /bin/program
fl=(1) src/main.c
fn=(1) main
16 400 10 2
fi=(2) include/inlined.h
+3 50 5
fe=(1)
20 25
cob=(2) /lib/libc.so
cfi=(3) malloc.c
cfn=(2) malloc
calls=3 50
* 600 20 8

ob=(2)
fl=(3)
fn=(2)
50 600 20 8
- 100 5 2
";

fn function(object: &str, file: &str, name: &str) -> Function {
    Function { object: object.to_owned(), file: file.to_owned(), name: name.to_owned() }
}

#[test]
fn costs_are_each_functions_own() {
    let text = FILE.replace("- 100", "-1 100");
    let profile = parse(&text).unwrap();
    assert_eq!(profile.events, ["Ir", "Dr", "Dw"]);
    let main = function("/bin/program", "src/main.c", "main");
    let malloc = function("/lib/libc.so", "malloc.c", "malloc");
    assert_eq!(profile.functions[&main], [425, 10, 2]);
    assert_eq!(profile.functions[&function("/bin/program", "include/inlined.h", "main")], [50, 5, 0]);
    assert_eq!(profile.functions[&malloc], [700, 25, 10]);
    assert_eq!(profile.totals(), [1175, 40, 12], "as its summary says");
    assert_eq!(profile.by(0)[0].0, &malloc);
    assert_eq!(profile.by(2)[1].0, &main);
}

#[test]
fn what_was_inlined_is_named_by_who_knows() {
    let text = "positions: instr line\nevents: Ir\nob=/bin/p\nfl=alloc.rs\nfn=UnknownInlinedFun\n0x10 7 3\n\
                fl=vec.rs\nfn=UnknownInlinedFun\ncob=/bin/p\ncfi=alloc.rs\ncfn=UnknownInlinedFun\ncalls=1 0x10 0\n0x10 20 3\n\
                fl=main.rs\nfn=outer\ncob=/bin/p\ncfi=vec.rs\ncfn=UnknownInlinedFun\ncalls=1 0x10 0\n0x10 30 3\n\
                fl=other.rs\nfn=UnknownInlinedFun\n+2 1 5\n";
    let known =
        [("alloc", "/x/alloc.rs", 7), ("with_capacity", "/x/vec.rs", 20), ("outer", "/x/main.rs", 30)];
    let mut asked = Vec::new();
    let mut namer = |object: &str, address: u64| {
        asked.push((object.to_owned(), address));
        let known = known.iter().filter(|_| address == 0x10);
        known
            .map(|(name, file, line)| Named { name: (*name).into(), file: (*file).into(), line: *line })
            .collect()
    };
    let profile = parse_naming(text, &mut namer).unwrap();
    let of = |file: &str, name: &str| function("/bin/p", file, name);
    assert_eq!(profile.functions[&of("alloc.rs", "alloc")], [3]);
    assert_eq!(profile.functions[&of("other.rs", "UnknownInlinedFun")], [5], "nobody knows");
    let calls: Vec<(&str, &str)> =
        profile.calls.keys().map(|(caller, callee)| (&*caller.name, &*callee.name)).collect();
    assert_eq!(calls, [("outer", "with_capacity"), ("with_capacity", "alloc")]);
    assert_eq!(asked.last(), Some(&("/bin/p".to_owned(), 0x12)));
}

#[test]
fn two_profiles_add_up_by_the_names_of_events() {
    let mut sum = parse("events: Ir\nfn=f\n1 10\n").unwrap();
    sum.add(&parse("events: Dr Ir\nfn=f\n1 2 5\nfn=g\n1 3 4\n").unwrap());
    assert_eq!(sum.events, ["Ir", "Dr"]);
    assert_eq!(sum.functions[&function("", "", "f")], [15, 2]);
    assert_eq!(sum.functions[&function("", "", "g")], [4, 3]);
}

#[test]
fn what_is_not_in_the_format_is_reported_with_its_line() {
    let said = |text: &str| parse(text).unwrap_err().to_string();
    assert_eq!(said(""), "line 1: there is no line events:");
    assert_eq!(said("fn=f\n1\nevents: Ir\n"), "line 2: costs before any events:");
    assert_eq!(said("events: Ir\n1 2\n"), "line 2: costs before any fn=");
    assert_eq!(said("events: Ir\nfn=f\n1 2 3\n"), "line 3: 2 costs, and events: names 1");
    assert_eq!(said("events: Ir\nfn=(4)\n"), "line 2: the name (4) was not given before");
    assert_eq!(said("events: Ir\nfn=f\n1 many\n"), "line 3: \"many\" is not a cost");
    assert_eq!(said("events: Ir\nfn=f\n0xzz 1\n"), "line 3: \"0xzz\" is not a position");
    assert_eq!(said("events: Ir\nhello\n"), "line 2: \"hello\" is not a line of the format");
    assert_eq!(said("events: Ir\nxy=1\n"), "line 2: xy= is not a line of the format");
    assert_eq!(said("events: Ir\n\nevents: Dr\n"), "line 3: another part counted other events");
}

/// By `callgrind_annotate`, which comes with valgrind: cost of instructions by `file:function`. It names the object only of
/// code that is not inlined.
fn annotated(text: &str) -> BTreeMap<String, u64> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callgrind.out");
    std::fs::write(&path, text).unwrap();
    let mut command = Command::new("callgrind_annotate");
    let output =
        command.args(["--threshold=100", "--auto=no"]).arg(&path).output().expect("valgrind is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let rows = said.split("file:function").nth(1).expect("a table of functions");
    let row = |line: &str| {
        let name = line.rsplit_once("  ").filter(|(_, name)| name.contains(':'))?.1.trim();
        let name = name.split_once(" [").map_or(name, |(name, _)| name);
        let cost = line.split_whitespace().next()?.replace(',', "");
        Some((name.trim_start_matches(". ").trim().to_owned(), cost.parse().ok()?))
    };
    rows.lines().filter_map(row).collect()
}

#[test]
fn callgrinds_own_program_reads_the_same() {
    let text = FILE.replace("- 100", "-1 100");
    let profile: Profile = parse(&text).unwrap();
    let ours: BTreeMap<String, u64> = profile
        .functions
        .iter()
        .map(|(function, costs)| (format!("{}:{}", function.file, function.name), costs[0]))
        .collect();
    assert_eq!(annotated(&text), ours);
    assert_eq!(annotated(&write(&profile, "program")), ours);
}

#[test]
fn what_is_written_has_every_name_once() {
    let text = write(&parse(&FILE.replace("- 100", "-1 100")).unwrap(), "program -x");
    assert!(
        text.contains("cmd: program -x\npositions: line\nevents: Ir Dr Dw\nsummary: 1175 40 12\n"),
        "{text}"
    );
    assert!(
        text.contains("\nob=(1) /bin/program\nfl=(1) include/inlined.h\nfn=(1) main\n0 50 5 0\n"),
        "{text}"
    );
    assert!(text.contains("\nob=(1)\nfl=(2) src/main.c\nfn=(1)\n0 425 10 2\n"), "{text}");
}

proptest! {
    #[test]
    fn no_input_makes_it_panic(text in "(?s).{0,400}") {
        let _ = parse(&text);
    }

    #[test]
    fn what_is_written_is_read_as_it_was(costs in prop::collection::btree_map(
        ("[a-c/]{0,3}", "[a-c/]{0,3}", "[(]?[a-c1-3]{1,3}[)]?[ :<a]{0,3}[b>]"),
        prop::array::uniform2(0_u64..1_000_000),
        0..12,
    )) {
        let named = |name: &str| if name.is_empty() { "???".to_owned() } else { name.to_owned() };
        let mut profile = Profile { events: vec!["Ir".to_owned(), "Dr".to_owned()], ..Profile::default() };
        for ((object, file, name), costs) in &costs {
            let function = Function { object: named(object), file: named(file), name: name.clone() };
            profile.functions.insert(function, costs.to_vec());
        }
        let nameless = |name: &str| if name == "???" { String::new() } else { name.to_owned() };
        let mut shorter = Profile { events: profile.events.clone(), ..Profile::default() };
        for (function, costs) in &profile.functions {
            let [object, file] = [&function.object, &function.file].map(|name| nameless(name));
            shorter.functions.insert(Function { object, file, name: function.name.clone() }, costs.clone());
        }
        prop_assert_eq!(&parse(&write(&shorter, "")).unwrap(), &profile);
        prop_assert_eq!(&parse(&write(&profile, "")).unwrap(), &profile);
    }

    #[test]
    fn lines_of_the_format_in_any_order_neither(lines in prop::collection::vec(prop::sample::select(vec![
        "events: Ir Dr", "positions: instr line", "positions: line", "fn=(1) f", "fn=(1)", "fn=g", "ob=(1) o", "fl=(2) a",
        "fi=(2)", "calls=1 2", "+1 3", "0x10 * 3 4", "* 18446744073709551615", "-2 1 1", "summary: 3", "",
    ]), 0..30)) {
        if let Ok(profile) = parse(&lines.join("\n")) {
            prop_assert!(profile.functions.values().all(|costs| costs.len() == profile.events.len()));
        }
    }
}

#[test]
fn names_get_their_numbers_wherever_they_come_first() {
    let file = |cost: u64| {
        format!(
            "version: 1\npositions: line\nevents: Ir\n\nfl=(1) a.c\nfn=(1) outer\n10 5\njfi=(2) b.h\njfn=(2) helper\ncob=(3) lib.so\n\
             jump=1 20\n10\n11 2\ncfn=(2)\ncalls=1 20\n12 {cost}\n\nfl=(2)\nfn=(2)\n20 {cost}\n\ntotals: 107\n"
        )
    };
    let profile = parse(&file(100)).unwrap();
    assert_eq!(profile.functions[&function("", "a.c", "outer")], [7]);
    assert_eq!(profile.functions[&function("", "b.h", "helper")], [100]);
    // The object of the jump's target is not the next call's.
    let call = (function("", "a.c", "outer"), function("", "a.c", "helper"));
    assert_eq!(profile.calls[&call], [100]);
}
