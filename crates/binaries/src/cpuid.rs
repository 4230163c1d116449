//! Where a program or library for x86-64 queries the processor's features: the addresses of its CPUID
//! instructions.
//!
//! Found by disassembling each function from its beginning, never by searching bytes: the same two bytes
//! occur within other instructions and in constants. A file without symbols has no known functions, so
//! nothing is found in it.

use std::collections::BTreeSet;

use iced_x86::{Code, Decoder, DecoderOptions, Instruction};
use object::{Architecture, Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum DisassemblyError {
    /// The file is neither a program nor a library.
    #[error("it is not a program or library: {0}")]
    NoObject(#[from] object::Error),
    /// Its instructions are for another processor.
    #[error("it is not for x86-64")]
    OtherArchitecture,
}

/// The findings in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Addresses of the instructions, ascending, as in the file.
    pub cpuid: Vec<u64>,
    /// Whether the file has symbols for its own functions, including local ones.
    pub has_symbols: bool,
    /// Addresses at which its code has the bytes of the instruction outside of all functions that were read,
    /// in order: each may be one, or a constant.
    pub unexplained: Vec<u64>,
}

/// Finds the CPUID instructions of a file's functions.
///
/// # Errors
/// Fails if the file is not an ELF file for x86-64.
pub fn find_cpuid(file: &[u8]) -> Result<Found, DisassemblyError> {
    let object = object::File::parse(file)?;
    if object.architecture() != Architecture::X86_64 {
        return Err(DisassemblyError::OtherArchitecture);
    }
    let mut found = Found { has_symbols: object.symbols().next().is_some(), ..Found::default() };
    let mut within_others = BTreeSet::new();
    let mut looks_so = Vec::new();
    for section in object.sections().filter(|section| section.kind() == SectionKind::Text) {
        let Ok(code) = section.data() else { continue };
        let first = section.address();
        let end = first.saturating_add(code.len() as u64);
        let is_here = |address: u64| (first..end).contains(&address);
        // Labels within a function are not beginnings; assembly often has functions without a size.
        let mut begins: Vec<(u64, u64)> = object
            .symbols()
            .chain(object.dynamic_symbols())
            .filter(|symbol| symbol.kind() == SymbolKind::Text && is_here(symbol.address()))
            .map(|symbol| (symbol.address(), symbol.size()))
            .collect();
        begins.sort_unstable();
        begins.dedup_by_key(|(address, _)| *address);
        for (at, &(address, size)) in begins.iter().enumerate() {
            let next = begins.get(at + 1).map_or(end, |(next, _)| *next);
            let until = if size == 0 { next } else { address.saturating_add(size).min(end) };
            let (from, to) = ((address - first) as usize, (until - first) as usize);
            if let Some(function) = code.get(from..to) {
                in_function(function, address, &mut found.cpuid, &mut within_others);
            }
        }
        let bytes = code.windows(2).zip(first..).filter(|(pair, _)| *pair == BYTES);
        looks_so.extend(bytes.map(|(_, address)| address));
    }
    found.cpuid.sort_unstable();
    found.cpuid.dedup();
    looks_so
        .retain(|address| found.cpuid.binary_search(address).is_err() && !within_others.contains(address));
    found.unexplained = looks_so;
    Ok(found)
}

/// The instruction.
const BYTES: [u8; 2] = [0x0f, 0xa2];

/// Those of one function, and the addresses within other instructions of it. What follows an instruction that
/// does not exist is not known to be code.
fn in_function(code: &[u8], address: u64, found: &mut Vec<u64>, within_others: &mut BTreeSet<u64>) {
    // Nearly no function has one.
    if !code.windows(2).any(|pair| pair == BYTES) {
        return;
    }
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        match instruction.code() {
            Code::Cpuid if instruction.len() == 2 => found.push(instruction.ip()),
            Code::INVALID => return,
            _ => within_others.extend(instruction.ip() + 1..instruction.next_ip()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_instruction_is_found_and_the_same_bytes_elsewhere_are_not() {
        let code = [
            0xb8, 0x0f, 0xa2, 0x00, 0x00, // mov eax, 0xa20f
            0x0f, 0xa2, // cpuid
            0xc3, // ret
        ];
        let (mut found, mut others) = (Vec::new(), BTreeSet::new());
        in_function(&code, 0x1000, &mut found, &mut others);
        assert_eq!(found, [0x1005]);
        assert!(others.contains(&0x1001) && !others.contains(&0x1005));
    }

    #[test]
    fn what_follows_no_instruction_is_not_code() {
        // 06 is invalid in this mode.
        let mut found = Vec::new();
        in_function(&[0x90, 0x06, 0x0f, 0xa2], 0, &mut found, &mut BTreeSet::new());
        assert!(found.is_empty());
    }

    #[test]
    fn a_program_is_searched_function_by_function() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source.c");
        let text = "static const unsigned char table[] __attribute__((used, section(\".text#\"))) = {0x0f, 0xa2, 0x0f, 0xa2};\n\
                    __attribute__((noinline)) int asks(void) { int a = 0, b, c = 0, d;\n\
                    __asm__ volatile(\"cpuid\" : \"+a\"(a), \"=b\"(b), \"+c\"(c), \"=d\"(d)); return b; }\n\
                    int main(void) { return asks() + table[0]; }\n";
        std::fs::write(&source, text).unwrap();
        let program = folder.path().join("program");
        let compiled =
            std::process::Command::new("cc").args(["-O1", "-o"]).args([&program, &source]).status().unwrap();
        assert!(compiled.success());
        let found = find_cpuid(&std::fs::read(&program).unwrap()).unwrap();
        assert_eq!(found.cpuid.len(), 1, "{found:?}");
        assert!(found.has_symbols);
        assert_eq!(found.unexplained.len(), 2, "the table is in no function: {found:?}");
        assert!(std::process::Command::new("strip").arg(&program).status().unwrap().success());
        let found = find_cpuid(&std::fs::read(&program).unwrap()).unwrap();
        assert_eq!((found.cpuid.len(), found.has_symbols, found.unexplained.len()), (0, false, 3));
    }

    proptest! {
        #[test]
        fn no_file_panics(mut bytes: Vec<u8>, begins_well: bool) {
            if begins_well {
                bytes.splice(0..0, *b"\x7fELF\x02\x01\x01");
            }
            let _ = find_cpuid(&bytes);
        }
    }
}
