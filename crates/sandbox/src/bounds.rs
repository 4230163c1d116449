//! Limits of a program in the sandbox.

use std::ffi::OsString;

/// The kernel's limits for each process of a sandbox. Core dumps are always off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Private memory that a process may write to, bytes.
    pub data_bytes: u64,
    /// Processes and threads of the sandbox at once.
    pub processes: u64,
    /// Files that a process has open.
    pub open_files: u64,
    /// The size of a file that is written, bytes.
    pub file_bytes: u64,
    /// Processor time of each process, seconds.
    pub processor_seconds: u64,
    /// The size of each folder in memory, bytes: `/tmp` and `/dev/shm`.
    pub scratch_bytes: u64,
}

impl Bounds {
    /// For compilers and their child processes.
    pub const BUILD: Self = Self {
        data_bytes: 16 << 30,
        processes: 4096,
        open_files: 4096,
        file_bytes: 8 << 30,
        processor_seconds: 4 * 3600,
        scratch_bytes: 4 << 30,
    };
    /// For a driver, which writes no files.
    pub const MEASURE: Self = Self {
        data_bytes: 8 << 30,
        processes: 1024,
        open_files: 1024,
        file_bytes: 64 << 20,
        processor_seconds: 4 * 3600,
        scratch_bytes: 64 << 20,
    };

    /// As options of `prlimit`.
    pub(crate) fn options(&self) -> Vec<OsString> {
        let Self { data_bytes, processes, open_files, file_bytes, processor_seconds, scratch_bytes: _ } =
            self;
        // A limit of 1 also keeps a dump from a program that the system hands dumps to; 0 does not.
        let options = [
            "--core=1:1".to_owned(),
            format!("--data={data_bytes}"),
            format!("--nproc={processes}"),
            format!("--nofile={open_files}"),
            format!("--fsize={file_bytes}"),
            format!("--cpu={processor_seconds}"),
            "--memlock=65536".to_owned(),
            "--msgqueue=0".to_owned(),
            "--rtprio=0".to_owned(),
        ];
        options.map(OsString::from).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_an_option() {
        let options: Vec<_> =
            Bounds::MEASURE.options().iter().map(|o| o.to_str().unwrap().to_owned()).collect();
        for expected in ["--core=1:1", "--data=8589934592", "--nproc=1024", "--cpu=14400"] {
            assert!(options.iter().any(|option| option == expected), "{expected} in {options:?}");
        }
    }
}
