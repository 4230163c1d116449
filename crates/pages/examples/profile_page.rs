//! Writes the page of a small profile, or of what changed in it: `profile_page FILE [diff]`.

use tlslab_pages::{Alone, functions};
use tlslab_profile::{Counted, Part, Parts, Sheet, Side, Stacks, parse};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("profile_page FILE [diff]");
    let compares = arguments.next().is_some();
    let profile = |seal: u64| {
        let text = format!(
            "events: Ir\nfl=src/record.c\nfn=seal\n1 {seal}\nfn=write<a, \"b\">\n2 30\nfl=mem.c\nfn=memcpy\n3 20\n"
        );
        parse(&text).expect("it is in the format")
    };
    let stacks = |seal: u64| {
        let text = format!(
            "write<a, \"b\">;seal {seal}\nwrite<a, \"b\"> 30\nwrite<a, \"b\">;seal;memcpy 15\nwrite<a, \"b\">;memcpy 5\n"
        );
        Stacks::parse(&text).expect("these are stacks")
    };
    let part = |name: &str, function: &str| Part {
        name: name.into(),
        functions: vec![function.into()],
        files: vec![],
        objects: vec![],
        booked_to_callers: false,
        of_callers_part: false,
    };
    let parts = Parts::new([part("cryptography", "seal"), part("memory operations", "mem*")])
        .expect("these are rules");
    let (old, new) = ((profile(50), stacks(50)), (profile(80), stacks(80)));
    let side = |name: &str| {
        let after = Counted { profile: &new.0, stacks: &new.1, iterations: 1 };
        if compares {
            let before = Counted { profile: &old.0, stacks: &old.1, iterations: 1 };
            Side::between(name, (before, after), "Ir", &parts, 10)
        } else {
            Side::of(name, after, "Ir", &parts, 10)
        }
    };
    let sheet = Sheet {
        title: "new: transfer".into(),
        baseline: compares.then(|| "old: transfer".into()),
        notes: vec!["Counted by hand.".into()],
        sides: vec![side("client"), side("server")],
    };
    std::fs::write(&file, functions(&sheet, &Alone).html(&Alone)).expect("the file can be written");
}
