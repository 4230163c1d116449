//! A text as a file of stacks: what is read has as many instructions in its boxes as in its lines.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_profile::{Flame, Stacks};

fuzz_target!(|text: &str| {
    if let Ok(stacks) = Stacks::parse(text) {
        let total = stacks.total();
        assert_eq!(stacks.clone().within(&|name| name.contains('a')).total(), total);
        let flame = Flame::between("all", (&stacks, 1), (&stacks, 1));
        assert_eq!((flame.before, flame.after), (Some(total as f64), total as f64));
    }
});
