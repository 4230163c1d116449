//! The state of the heap that processes are in.

use tlslab_record::Plan;

/// How a record says with which variables a driver runs.
const VARIABLE: &str = "run with ";

/// The state of all stacks in a sentence: what holds by default, and each stack that differs.
pub(super) fn note(plan: &Plan) -> String {
    let others = plan.stacks.iter().filter_map(|stack| {
        let flags = &stack.identity.as_ref()?.flags;
        Some(format!("{} {}", stack.name, other_state(flags.iter().map(String::as_str))?))
    });
    let others: Vec<String> = others.collect();
    let differ = if others.is_empty() { String::new() } else { format!("; {}", others.join("; ")) };
    format!(
        "Heap: freed memory stays in the process, in native drivers with the C library's allocator{differ}."
    )
}

/// What a stack's variables say, unless its heap is in the default state.
fn other_state<'f>(flags: impl Iterator<Item = &'f str>) -> Option<String> {
    let mut state = None;
    for variable in flags.filter_map(|flag| flag.strip_prefix(VARIABLE)) {
        match variable.split_once('=') {
            Some(("LD_PRELOAD", file)) => {
                let name = file.rsplit('/').next().unwrap_or(file);
                return Some(format!("has the allocator of {name}"));
            }
            Some(("GLIBC_TUNABLES", tunables)) => {
                state = Some(format!("gives memory back as the C library does with {tunables}"));
            }
            Some(("TLSLAB_HEAP", "default")) if state.is_none() => {
                state = Some("gives memory back at the C library's own thresholds".to_owned());
            }
            _ => {}
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_from_the_variables_of_a_driver() {
        let state = |flags: &[&str]| other_state(flags.iter().copied());
        assert_eq!(state(&["-O3", "run with OPENSSL_ia32cap=0"]), None);
        assert_eq!(
            state(&["run with TLSLAB_HEAP=default"]).unwrap(),
            "gives memory back at the C library's own thresholds"
        );
        let both = ["run with GLIBC_TUNABLES=glibc.malloc.trim_threshold=0", "run with TLSLAB_HEAP=default"];
        assert_eq!(
            state(&both).unwrap(),
            "gives memory back as the C library does with glibc.malloc.trim_threshold=0"
        );
        assert_eq!(
            state(&["run with LD_PRELOAD={jemalloc}/lib/libjemalloc.so.2"]).unwrap(),
            "has the allocator of libjemalloc.so.2"
        );
    }
}
