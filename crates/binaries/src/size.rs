//! The part of a program that is the library that it was linked with.

use std::collections::BTreeMap;

use iced_x86::{Decoder, DecoderOptions, Instruction};
use object::elf::R_X86_64_RELATIVE;
use object::{
    Architecture, BinaryFormat, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget,
    SectionKind, SymbolKind,
};

use crate::owners::{Owners, Unit};

/// Bytes of a library within a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LibrarySize {
    /// Code, bytes.
    pub text: u64,
    /// Constants, and variables with an initial value, bytes.
    pub data: u64,
}

/// Why the size cannot be determined.
#[derive(Debug, thiserror::Error)]
pub enum SizeError {
    /// The file is not an ELF program.
    #[error("its driver is a script or another format, not an ELF program, so its code is not in it")]
    NotElf,
    /// Its instructions are for another processor.
    #[error("its driver is not for x86-64")]
    OtherArchitecture,
    /// It has no symbols.
    #[error("its driver is stripped: without symbols it is unknown which code is the library's")]
    Stripped,
    /// Its library is the language's own.
    #[error("its driver is a Go program, whose runtime and TLS library are one standard library")]
    Go,
    /// It was compiled with link-time optimisation.
    #[error(
        "its driver has link-time optimisation by GCC, whose debug information does not say which code is the library's"
    )]
    Mixed,
    /// No code in it is the library's.
    #[error("its driver has no code of the library")]
    Nothing,
}

/// Finds the part of a program that belongs to the library that it was linked with: functions by the
/// compilation units of their debug information, constants and variables by the functions that refer to them.
///
/// # Errors
/// Fails if the file does not identify the library's code.
pub fn library_size(file: &[u8], is_library: &dyn Fn(&Unit) -> bool) -> Result<LibrarySize, SizeError> {
    let object = object::File::parse(file).map_err(|_| SizeError::NotElf)?;
    if object.format() != BinaryFormat::Elf {
        return Err(SizeError::NotElf);
    }
    if object.architecture() != Architecture::X86_64 {
        return Err(SizeError::OtherArchitecture);
    }
    if object.section_by_name(".go.buildinfo").is_some() {
        return Err(SizeError::Go);
    }
    let owners = Owners::of(&object, is_library);
    if object.symbols().next().is_none() || owners.ranges.is_empty() {
        return Err(SizeError::Stripped);
    }
    if owners.is_mixed {
        return Err(SizeError::Mixed);
    }
    let code: Vec<Code<'_>> = object
        .sections()
        .filter(|section| section.kind() == SectionKind::Text)
        .filter_map(|section| Code::of(&object, &section, &owners))
        .collect();
    let text = code.iter().map(Code::library).sum();
    if text == 0 {
        return Err(SizeError::Nothing);
    }
    Ok(LibrarySize { text, data: Data::of(&object, &code).library() })
}

/// The loaded bytes of a shared library in the same parts: code, and constants with initial values.
///
/// # Errors
/// Fails if it is not an ELF file.
pub fn whole_size(file: &[u8]) -> Result<LibrarySize, SizeError> {
    let object = object::File::parse(file).map_err(|_| SizeError::NotElf)?;
    let mut size = LibrarySize::default();
    for section in object.sections() {
        match section.kind() {
            SectionKind::Text => size.text += section.size(),
            _ if is_data(&section) => size.data += section.size(),
            _ => {}
        }
    }
    Ok(size)
}

/// The owner of a byte of code.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    /// Between functions.
    Unclaimed,
    Other,
    Library,
}

/// A section of code.
struct Code<'f> {
    address: u64,
    bytes: &'f [u8],
    owners: Vec<Owner>,
    /// Functions as address and end.
    functions: Vec<(u64, u64)>,
}

impl<'f> Code<'f> {
    fn of(object: &object::File<'f>, section: &object::Section<'f, '_>, owners: &Owners) -> Option<Self> {
        let bytes = section.data().ok()?;
        let address = section.address();
        let end = address.checked_add(bytes.len() as u64)?;
        let is_here = |at: u64| (address..end).contains(&at);
        let mut code =
            Self { address, bytes, owners: vec![Owner::Unclaimed; bytes.len()], functions: Vec::new() };
        // Assembly may have functions without a size, and code outside of functions.
        for &(from, to, is_library) in owners.ranges.iter().filter(|(from, _, _)| is_here(*from)) {
            code.paint(from, to, is_library);
        }
        let mut symbols: Vec<(u64, u64, &str)> = object
            .symbols()
            .filter(|symbol| symbol.kind() == SymbolKind::Text && is_here(symbol.address()))
            .filter_map(|symbol| Some((symbol.address(), symbol.size(), symbol.name().ok()?)))
            .collect();
        symbols.sort_unstable();
        for &(from, size, name) in &symbols {
            let to = from.saturating_add(size).min(end);
            if size > 0 {
                code.paint(from, to, owners.is_library(name, from));
                code.functions.push((from, to));
            }
        }
        code.add_unsized(&symbols, owners);
        code.functions.sort_unstable();
        code.functions.dedup();
        Some(code)
    }

    /// Functions without a size extend to the next one.
    fn add_unsized(&mut self, symbols: &[(u64, u64, &str)], owners: &Owners) {
        let end = self.address + self.bytes.len() as u64;
        for (at, &(from, size, name)) in symbols.iter().enumerate() {
            if size > 0 {
                continue;
            }
            let next =
                symbols[at..].iter().find(|(next, _, _)| *next > from).map_or(end, |(next, _, _)| *next);
            if self.owner(from) == Some(Owner::Unclaimed) {
                self.paint(from, next, owners.is_library(name, from));
            }
            self.functions.push((from, next));
        }
    }

    fn paint(&mut self, from: u64, to: u64, is_library: bool) {
        let place = |at: u64| at.saturating_sub(self.address).min(self.bytes.len() as u64) as usize;
        let (from, to) = (place(from), place(to));
        if let Some(bytes) = self.owners.get_mut(from..to) {
            bytes.fill(if is_library { Owner::Library } else { Owner::Other });
        }
    }

    fn owner(&self, at: u64) -> Option<Owner> {
        self.owners.get(usize::try_from(at.checked_sub(self.address)?).ok()?).copied()
    }

    fn library(&self) -> u64 {
        self.owners.iter().filter(|owner| **owner == Owner::Library).count() as u64
    }

    /// The addresses to which its instructions refer, each with whether the library refers to it.
    fn for_each_reference(&self, each: &mut dyn FnMut(u64, bool)) {
        let mut instruction = Instruction::default();
        let mut done = self.address;
        for &(from, to) in &self.functions {
            // Two names of one function.
            if from < done {
                continue;
            }
            done = to;
            let is_library = self.owner(from) == Some(Owner::Library);
            let (first, last) = ((from - self.address) as usize, (to - self.address) as usize);
            let Some(bytes) = self.bytes.get(first..last) else { continue };
            let mut decoder = Decoder::with_ip(64, bytes, from, DecoderOptions::NONE);
            while decoder.can_decode() {
                decoder.decode_out(&mut instruction);
                if instruction.is_ip_rel_memory_operand() {
                    each(instruction.ip_rel_memory_address(), is_library);
                }
            }
        }
    }
}

/// Whether a section contains constants or initialised variables.
fn is_data<'f>(section: &impl ObjectSection<'f>) -> bool {
    let kinds = [SectionKind::Data, SectionKind::ReadOnlyData, SectionKind::ReadOnlyString, SectionKind::Tls];
    let is_kind = kinds.contains(&section.kind()) || section.kind() == SectionKind::ReadOnlyDataWithRel;
    let is_named = section.name().is_ok_and(|name| {
        [".rodata", ".data", ".tdata", ".lrodata", ".ldata"].iter().any(|start| name.starts_with(start))
    });
    is_kind && is_named
}

/// Constants and variables: from each referenced address to the next one they belong to the owner of the
/// referring code.
#[derive(Default)]
struct Data {
    /// The beginning of each piece, its end, and whether the library refers to it.
    pieces: BTreeMap<u64, (u64, bool)>,
    /// Pointers within them: their addresses, and their targets, in order.
    pointers: Vec<(u64, u64)>,
}

impl Data {
    fn of(object: &object::File<'_>, code: &[Code<'_>]) -> Self {
        let mut data = Self::default();
        let sections: Vec<(u64, u64)> = object
            .sections()
            .filter(is_data)
            .map(|section| (section.address(), section.address().saturating_add(section.size())))
            .collect();
        let is_here = |at: u64| sections.iter().any(|(from, to)| (*from..*to).contains(&at));
        let mut references = Vec::new();
        for code in code {
            code.for_each_reference(&mut |at, is_library| {
                if is_here(at) {
                    references.push((at, is_library));
                }
            });
        }
        data.pointers = pointers(object).filter(|(at, to)| is_here(*at) && is_here(*to)).collect();
        data.pointers.sort_unstable();
        let named = object.symbols().filter(|symbol| symbol.kind() == SymbolKind::Data && symbol.size() > 0);
        let ends_of = |symbol: object::Symbol<'_, '_>| {
            [symbol.address(), symbol.address().saturating_add(symbol.size())]
        };
        let begins = named.flat_map(ends_of).filter(|at| is_here(*at));
        let begins = begins.chain(references.iter().map(|(at, _)| *at));
        for at in begins.chain(data.pointers.iter().map(|(_, to)| *to)).collect::<Vec<_>>() {
            data.pieces.insert(at, (0, false));
        }
        data.set_ends(&sections);
        let mut found: Vec<u64> = references.iter().filter(|(_, of)| *of).map(|(at, _)| *at).collect();
        while let Some(at) = found.pop() {
            found.extend(data.mark(at));
        }
        data
    }

    fn set_ends(&mut self, sections: &[(u64, u64)]) {
        let begins: Vec<u64> = self.pieces.keys().copied().collect();
        for (index, begin) in begins.iter().enumerate() {
            let section = sections.iter().find(|(from, to)| (from..to).contains(&begin));
            let end = section.map_or(*begin, |(_, to)| *to);
            let next = begins.get(index + 1).map_or(end, |next| end.min(*next));
            if let Some(piece) = self.pieces.get_mut(begin) {
                piece.0 = next;
            }
        }
    }

    /// Marks a piece as the library's. Returns the pieces that it points to, if it was not marked before.
    fn mark(&mut self, at: u64) -> Vec<u64> {
        let Some((begin, (end, is_library))) = self.pieces.range_mut(..=at).next_back() else {
            return Vec::new();
        };
        if *is_library {
            return Vec::new();
        }
        *is_library = true;
        let first = self.pointers.partition_point(|(at, _)| at < begin);
        self.pointers[first..].iter().take_while(|(at, _)| at < end).map(|(_, to)| *to).collect()
    }

    fn library(&self) -> u64 {
        self.pieces.iter().filter(|(_, (_, of))| *of).map(|(begin, (end, _))| end - begin).sum()
    }
}

/// The addresses at which a program's loader writes addresses of the program itself, and these.
fn pointers(object: &object::File<'_>) -> impl Iterator<Item = (u64, u64)> {
    object.dynamic_relocations().into_iter().flatten().filter_map(|(at, relocation)| {
        let is_relative = matches!(relocation.flags(), RelocationFlags::Elf { r_type: R_X86_64_RELATIVE });
        let is_absolute = relocation.target() == RelocationTarget::Absolute;
        (is_relative || is_absolute).then_some((at, relocation.addend().cast_unsigned()))
    })
}
