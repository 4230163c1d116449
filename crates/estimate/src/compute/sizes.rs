//! The size of each stack, as read when the run was planned.

use tlslab_record::{RunRecord, StackSize};

use crate::model::Size;

/// One for each stack that was built.
pub(super) fn sizes(record: &RunRecord) -> Vec<Size> {
    let named = |size: &StackSize| {
        let StackSize { stack, text, data, shared, build_s } = size.clone();
        let stack = record.plan.stacks.get(stack)?.name.clone();
        Some(Size { stack, text, data, shared, build_s })
    };
    record.plan.sizes.iter().filter_map(named).collect()
}

/// The note on all sizes.
pub(super) fn note() -> String {
    "Sizes are of the library in the lab's driver program, as its recipe builds it and with all that the linker kept for the parts of \
     the API that the driver uses: size.text is its code, size.data its constants and initialised variables. Debug information, \
     symbols, relocations, unwind tables, zero-filled memory and the language's own library are excluded. A program that uses \
     less of the API, or optimises for size, is smaller."
        .to_owned()
}
