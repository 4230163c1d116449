//! Which features of the processor are hidden from this process, where a preloaded library hides some: asked
//! by an instruction of the driver's own, as a library in it asks.

use tlslab_protocol::HiddenFeatures;

/// What is hidden, and from whom; `None` in a process that sees the processor as it is.
#[cfg(target_arch = "x86_64")]
pub(crate) fn hidden() -> Option<HiddenFeatures> {
    on_x86::hidden()
}

/// Nothing is hidden on other processors.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn hidden() -> Option<HiddenFeatures> {
    None
}

#[cfg(target_arch = "x86_64")]
mod on_x86 {
    use std::arch::x86_64::__cpuid_count;
    use std::ffi::{CStr, c_char, c_void};

    use tlslab_protocol::{AnsweredCpuid, HiddenFeatures};

    /// The version of the functions below, as `instruments/preload/tlslab_cpuid.h` has it.
    const ABI: u32 = 1;

    /// Leaf, part and register (EAX is 0) of each word, as `instruments/preload/cpuid.h` orders them.
    const WORDS: [(u32, u32, usize); 9] = [
        (1, 0, 2),
        (1, 0, 3),
        (7, 0, 1),
        (7, 0, 2),
        (7, 0, 3),
        (7, 1, 0),
        (0x8000_0001, 0, 2),
        (0x8000_0001, 0, 3),
        (7, 1, 3),
    ];

    pub(super) fn hidden() -> Option<HiddenFeatures> {
        let abi = symbol(c"tlslab_cpuid_abi")?;
        // SAFETY: every version of the library declares it so.
        let found = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> u32>(abi)() };
        if found != ABI {
            return None;
        }
        let report = symbol(c"tlslab_cpuid_report")?;
        // SAFETY: this version of the library declares it so.
        let report = unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_char, usize) -> usize>(report)
        };
        // Answered like the library's own, and noted as the kit's.
        let words = WORDS.iter().map(|&(leaf, part, register)| {
            // SAFETY: every processor of this kind has the instruction. (Newer compilers know.)
            #[allow(unused_unsafe)]
            let answer = unsafe { __cpuid_count(leaf, part) };
            [answer.eax, answer.ebx, answer.ecx, answer.edx][register]
        });
        let words = words.collect();
        let mut text = vec![0_u8; 1 << 16];
        // SAFETY: it writes no more than it has room for, and returns how much it wrote.
        let length = unsafe { report(text.as_mut_ptr().cast(), text.len()) };
        let text = String::from_utf8_lossy(&text[..length.min(text.len())]).into_owned();
        let (way, answered) = read(&text);
        Some(HiddenFeatures { way, words, answered })
    }

    /// The way, and lines of a number, an address and a file's name.
    fn read(text: &str) -> (String, Vec<AnsweredCpuid>) {
        let mut lines = text.lines();
        let way = lines.next().unwrap_or_default().to_owned();
        let place = |line: &str| {
            let (times, rest) = line.split_once(' ')?;
            let (address, object) = rest.split_once(' ')?;
            Some(AnsweredCpuid {
                object: object.to_owned(),
                address: u64::from_str_radix(address, 16).ok()?,
                times: times.parse().ok()?,
            })
        };
        (way, lines.filter_map(place).collect())
    }

    fn symbol(name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the name ends with a zero byte.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_process_without_the_library_has_nothing_hidden() {
            assert_eq!(hidden(), None);
        }

        #[test]
        fn a_report_has_a_way_and_places() {
            let (way, answered) = read("faulting\n2 1cdb /tmp/a b.so\n1 zz /tmp/c\nnonsense\n1 10 \n");
            assert_eq!(way, "faulting");
            let place =
                |object: &str, address, times| AnsweredCpuid { object: object.to_owned(), address, times };
            assert_eq!(answered, [place("/tmp/a b.so", 0x1cdb, 2), place("", 0x10, 1)]);
            assert_eq!(read(""), (String::new(), vec![]));
        }
    }
}
