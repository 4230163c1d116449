//! The format of callgrind, line by line.

use std::collections::HashMap;

use crate::whole::{Sums, numbers};
use crate::{Function, Profile};

/// An error in a file, and its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The error.
    pub what: String,
}

/// Reads a file.
///
/// # Errors
/// Fails on the first line that is not in the format.
pub fn parse(text: &str) -> Result<Profile, ParseError> {
    parse_naming(text, &mut |_, _| Vec::new())
}

/// A function at an address, from another source than the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The source file of its code at the address.
    pub file: String,
    /// The line in that.
    pub line: u64,
}

/// Who knows the functions at an address of an object, the innermost first, each but the last inlined into
/// the next.
pub type Namer<'n> = dyn FnMut(&str, u64) -> Vec<Named> + 'n;

/// Reads a file in which some functions have no name, and calls `name` for these if the file has the address.
/// Valgrind does not know names of code that was inlined from another unit of compilation.
///
/// # Errors
/// Fails on the first line that is not in the format.
pub fn parse_naming(text: &str, namer: &mut Namer<'_>) -> Result<Profile, ParseError> {
    let mut reader = Reader {
        profile: Profile::default(),
        namer,
        objects: Names::default(),
        files: Names::default(),
        functions: Names::default(),
        positions: Positions { line: true, instruction: false },
        address: 0,
        source_line: 0,
        object: String::new(),
        file: String::new(),
        function: None,
        callee: Function::default(),
        of_call: None,
        sums: Sums::default(),
    };
    for (at, line) in text.lines().enumerate() {
        reader.line(line.trim_end()).map_err(|what| ParseError { line: at + 1, what })?;
    }
    let Reader { profile, sums, .. } = reader;
    let at_end = |what: String| ParseError { line: text.lines().count().max(1), what };
    if profile.events.is_empty() {
        return Err(at_end("there is no line events:".to_owned()));
    }
    sums.check(&profile.events, &profile.totals()).map_err(at_end)?;
    Ok(profile)
}

/// Numbers stand for names that came before; objects, files and functions are numbered separately.
#[derive(Default)]
struct Names(HashMap<u64, String>);

impl Names {
    /// `(3) name` gives a name a number, `(3)` is that name again, anything else is a name.
    fn read(&mut self, text: &str) -> Result<String, String> {
        let Some((number, name)) = text.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
            return Ok(text.to_owned());
        };
        let Ok(number) = number.parse::<u64>() else { return Ok(text.to_owned()) };
        match name.trim_start() {
            "" => self
                .0
                .get(&number)
                .cloned()
                .ok_or_else(|| format!("the name ({number}) was not given before")),
            name => {
                self.0.insert(number, name.to_owned());
                Ok(name.to_owned())
            }
        }
    }
}

/// The positions before the costs.
struct Positions {
    instruction: bool,
    line: bool,
}

struct Reader<'n, 'm> {
    profile: Profile,
    namer: &'n mut Namer<'m>,
    objects: Names,
    files: Names,
    functions: Names,
    positions: Positions,
    /// Of the last instruction that was reported.
    address: u64,
    /// Of the last line of source that was reported.
    source_line: u64,
    object: String,
    file: String,
    function: Option<Function>,
    /// The callee; object and file are the caller's unless given.
    callee: Function,
    /// The target of the call whose costs the next line has, if it has a call's.
    of_call: Option<u64>,
    /// The totals that the file states.
    sums: Sums,
}

impl Reader<'_, '_> {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let first = line.as_bytes()[0];
        if first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'*') {
            return self.costs(line);
        }
        if let Some((key, value)) = line.split_once('=')
            && key.bytes().all(|byte| byte.is_ascii_lowercase())
        {
            return self.place(key, value);
        }
        if let Some((key, value)) = line.split_once(':') {
            return self.header(key, value.trim());
        }
        Err(format!("\"{}\" is not a line of the format", shortened(line)))
    }

    fn header(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "events" => {
                let events: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
                if events.is_empty() {
                    return Err("events: names none".to_owned());
                }
                if !self.profile.events.is_empty() && self.profile.events != events {
                    return Err("another part counted other events".to_owned());
                }
                self.profile.events = events;
            }
            "positions" => {
                let (instruction, line) = match value.split_whitespace().collect::<Vec<_>>()[..] {
                    ["line"] => (false, true),
                    ["instr"] => (true, false),
                    ["instr", "line"] => (true, true),
                    _ => return Err(format!("positions: \"{}\" is invalid", shortened(value))),
                };
                self.positions = Positions { instruction, line };
            }
            "totals" => self.sums.totals.push(numbers(value)),
            "summary" => self.sums.summaries.push(numbers(value)),
            // Other lines on the run are not needed.
            _ => {}
        }
        Ok(())
    }

    fn place(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "ob" => self.object = self.objects.read(value)?,
            "fl" => self.file = self.files.read(value)?,
            // Code that was inlined from elsewhere is still the function's, and another file's.
            "fi" | "fe" => {
                let file = self.files.read(value)?;
                if let Some(function) = &mut self.function {
                    function.file = file;
                }
            }
            "fn" => {
                let name = self.functions.read(value)?;
                self.function = Some(Function { object: self.object.clone(), file: self.file.clone(), name });
                self.callee = self.function.clone().unwrap_or_default();
            }
            "cob" => self.callee.object = self.objects.read(value)?,
            "cfi" | "cfl" => self.callee.file = self.files.read(value)?,
            "cfn" => self.callee.name = self.functions.read(value)?,
            "calls" => {
                let target = value.split_whitespace().nth(1).unwrap_or_default();
                self.of_call = Some(position(target, self.address).unwrap_or_default());
            }
            // The target of a jump. Names get their numbers here, too; the target is of this jump alone.
            "jfi" => drop(self.files.read(value)?),
            "jfn" => drop(self.functions.read(value)?),
            "jump" | "jcnd" => {
                let caller = self.function.clone().unwrap_or_default();
                self.callee = Function { name: String::new(), ..caller };
            }
            other => return Err(format!("{other}= is not a line of the format")),
        }
        Ok(())
    }

    fn costs(&mut self, line: &str) -> Result<(), String> {
        let mut columns = line.split_whitespace();
        if self.positions.instruction {
            self.address = position(columns.next().unwrap_or_default(), self.address)?;
        }
        if self.positions.line {
            self.source_line = position(columns.next().ok_or("a position is missing")?, self.source_line)?;
        }
        let number =
            |text: &str| text.parse::<u64>().map_err(|_| format!("\"{}\" is not a cost", shortened(text)));
        let costs: Vec<u64> = columns.map(number).collect::<Result<_, _>>()?;
        let wanted = self.profile.events.len();
        if wanted == 0 {
            return Err("costs before any events:".to_owned());
        }
        if costs.len() > wanted {
            return Err(format!("{} costs, and events: names {wanted}", costs.len()));
        }
        let function = self.function.as_ref().ok_or("costs before any fn=")?;
        let target = self.of_call.take();
        let mut callee = match target {
            Some(_) => {
                std::mem::replace(&mut self.callee, Function { name: String::new(), ..function.clone() })
            }
            None => Function::default(),
        };
        let mut named = None;
        if self.positions.instruction && (function.name == NAMELESS || callee.name == NAMELESS) {
            let known = (self.namer)(&function.object, self.address);
            // Inlined code is written as a call to its own address, from a line of the function around it.
            let is_inlining = target == Some(self.address);
            let is_caller = |one: &&Named| {
                one.line == self.source_line && file_name(&one.file) == file_name(&function.file)
            };
            let level = if is_inlining {
                known.iter().skip(1).position(|one| is_caller(&one)).map(|at| at + 1)
            } else {
                Some(0)
            };
            if let Some(level) = level {
                let name_of = |level: usize| {
                    known.get(level).map(|one| one.name.clone()).filter(|name| !name.is_empty())
                };
                if function.name == NAMELESS {
                    named = name_of(level).map(|name| Function { name, ..function.clone() });
                }
                if callee.name == NAMELESS && is_inlining {
                    callee.name = name_of(level - 1).unwrap_or(callee.name);
                }
            }
        }
        let function = named.as_ref().unwrap_or(function);
        if target.is_some() {
            let sums =
                self.profile.calls.entry((function.clone(), callee)).or_insert_with(|| vec![0; wanted]);
            add(sums, &costs);
            return Ok(());
        }
        match self.profile.functions.get_mut(function) {
            Some(sums) => add(sums, &costs),
            None => {
                add(self.profile.functions.entry(function.clone()).or_insert_with(|| vec![0; wanted]), &costs)
            }
        }
        Ok(())
    }
}

fn add(sums: &mut [u64], costs: &[u64]) {
    for (sum, cost) in sums.iter_mut().zip(costs) {
        *sum = sum.saturating_add(*cost);
    }
}

/// A line's number or an address, absolute or relative to the one before.
fn position(text: &str, before: u64) -> Result<u64, String> {
    let wrong = || format!("\"{}\" is not a position", shortened(text));
    if text == "*" {
        return Ok(before);
    }
    let number = |digits: &str| {
        // Parsing would accept a second sign.
        if digits.starts_with('+') {
            return Err(wrong());
        }
        match digits.strip_prefix("0x") {
            Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16),
            _ => digits.parse::<u64>(),
        }
        .map_err(|_| wrong())
    };
    match (text.strip_prefix('+'), text.strip_prefix('-')) {
        (Some(digits), _) => Ok(before.wrapping_add(number(digits)?)),
        (_, Some(digits)) => Ok(before.wrapping_sub(number(digits)?)),
        _ => number(text),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Valgrind's name for functions without one.
const NAMELESS: &str = "UnknownInlinedFun";

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}
