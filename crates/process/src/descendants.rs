//! The child processes of a process.

use std::fs;

/// A process and its descendants at this moment, but no more than this many.
pub(crate) fn descendants(process: u32, most: usize) -> Vec<u32> {
    let mut processes = Vec::new();
    let mut next = vec![process];
    while let (Some(process), true) = (next.pop(), processes.len() < most) {
        next.extend(children(process));
        processes.push(process);
    }
    processes
}

/// The unreaped children of a process.
pub(crate) fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect()
}
