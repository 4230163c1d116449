//! Differences between two programs that do the same work: a comparison must not report them as changes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use tlslab_lab::compare::Places;
use tlslab_lab::{Session, Workshop};
use tlslab_recipe::{Layouts, LinkChange};

use crate::ledger::FOLDER;

/// A difference between two programs that is not the work of their code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NullChange {
    /// A block of 40 bytes that is allocated before anything else, as one more field of a structure does.
    Allocation,
    /// A longer environment.
    Environment,
    /// A longer path of the program.
    Path,
    /// Constants before all others.
    Constants,
    /// A function that is never called.
    Function,
    /// Data in another order.
    DataOrder,
}

/// The size of the kit's first allocation, bytes.
const ALLOCATION: &str = "TLSLAB_ALLOCATION";
/// A variable that is never read.
const ENVIRONMENT: &str = "TLSLAB_NULL_CHANGE";
/// No multiple of a cache line or of a page.
const ENVIRONMENT_BYTES: usize = 1000;
/// By how much a path is longer.
const PATH_BYTES: usize = 40;
/// No name of a file can be much longer.
const LONGEST_NAME: usize = 200;

impl NullChange {
    /// All of them.
    pub(crate) const ALL: [Self; 6] =
        [Self::Allocation, Self::Environment, Self::Path, Self::Constants, Self::Function, Self::DataOrder];

    /// Its name in files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Allocation => "one more allocation",
            Self::Environment => "longer environment",
            Self::Path => "longer path",
            Self::Constants => "more constants",
            Self::Function => "unused function",
            Self::DataOrder => "data in another order",
        }
    }

    /// Variables of the baseline's driver and of the new one's.
    pub(crate) fn variables(self) -> [BTreeMap<String, String>; 2] {
        let one = |name: &str, value: String| BTreeMap::from([(name.to_owned(), value)]);
        match self {
            // Equally long, so that only the block differs.
            Self::Allocation => ["00", "40"].map(|bytes| one(ALLOCATION, bytes.to_owned())),
            Self::Environment => [BTreeMap::new(), one(ENVIRONMENT, "x".repeat(ENVIRONMENT_BYTES))],
            _ => Default::default(),
        }
    }

    fn link_change(self) -> Option<LinkChange> {
        match self {
            Self::Constants => Some(LinkChange::Constants),
            Self::Function => Some(LinkChange::Function),
            Self::DataOrder => Some(LinkChange::DataOrder),
            Self::Allocation | Self::Environment | Self::Path => None,
        }
    }

    /// The programs of both, in the same orders of their code.
    ///
    /// # Errors
    /// Fails if the stack has no layouts, or the folder cannot be written.
    pub(crate) fn programs(self, session: &Session<'_>, stack: &str) -> anyhow::Result<[Vec<PathBuf>; 2]> {
        let layouts = Layouts::new(0, session.policy().examination.layouts);
        let baseline = linked(&session.workshop, stack, layouts)?;
        let candidate = match self.link_change() {
            Some(change) => linked(&session.workshop, stack, Layouts { change: Some(change), ..layouts })?,
            None if self == Self::Path => by_longer_paths(&baseline, &session.results.out.join(FOLDER))?,
            None => baseline.clone(),
        };
        Ok([baseline, candidate])
    }
}

/// The layouts of a stack.
///
/// # Errors
/// Fails if the stack has no layouts.
pub(crate) fn linked(workshop: &Workshop<'_>, stack: &str, layouts: Layouts) -> anyhow::Result<Vec<PathBuf>> {
    let recipe = workshop.environment.recipe_index()?.named(stack)?.with_layouts(layouts);
    let built = workshop.build_one(&recipe)?;
    built.layouts.map_err(|reason| anyhow!("{stack}: its code layout cannot be randomised: {reason}"))
}

/// The same programs below a folder, with paths that are longer than theirs.
fn by_longer_paths(programs: &[PathBuf], below: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let below = std::path::absolute(below)?;
    let copied = |program: &PathBuf| {
        let folder = program.parent().unwrap_or(Path::new("/")).as_os_str().len() + PATH_BYTES;
        let name = folder.saturating_sub(below.as_os_str().len() + 1).clamp(1, LONGEST_NAME);
        let folder = below.join("x".repeat(name));
        let copy = folder.join(program.file_name().unwrap_or_default());
        fs::create_dir_all(&folder)
            .and_then(|()| fs::copy(program, &copy))
            .with_context(|| format!("cannot copy a program to {}", folder.display()))?;
        Ok(copy)
    };
    programs.iter().map(copied).collect()
}

/// Programs of both in the same orders of their code, from the one that a job begins with.
pub(crate) struct SameOrders {
    programs: [Vec<PathBuf>; 2],
    first: usize,
}

impl SameOrders {
    /// From both's programs; each job begins elsewhere.
    pub(crate) fn new(programs: [Vec<PathBuf>; 2], first: usize) -> Self {
        Self { programs, first }
    }
}

impl Places for SameOrders {
    fn layouts(&self, from: u32, count: u32) -> anyhow::Result<Vec<Vec<PathBuf>>> {
        let first = self.first + from as usize;
        let of = |programs: &Vec<PathBuf>| {
            let from = first % programs.len().max(1);
            programs.iter().cycle().skip(from).take(count as usize).cloned().collect()
        };
        Ok(self.programs.iter().map(of).collect())
    }

    fn moves(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn both_have_the_same_order_in_each_round() {
        let named = |name: &str| (0..4).map(|at| PathBuf::from(format!("{name}{at}"))).collect::<Vec<_>>();
        let orders = SameOrders::new([named("a"), named("b")], 3);
        let texts =
            |of: &[PathBuf]| of.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ");
        let dealt = orders.layouts(0, 3).unwrap();
        assert_eq!([texts(&dealt[0]), texts(&dealt[1])], ["a3 a0 a1", "b3 b0 b1"]);
        assert_eq!(texts(&orders.layouts(3, 2).unwrap()[0]), "a2 a3");
    }

    #[test]
    fn each_change_has_a_name_and_alters_one_thing() {
        let names: HashSet<&str> = NullChange::ALL.iter().map(|change| change.name()).collect();
        assert_eq!(names.len(), NullChange::ALL.len());
        let lengths = |change: NullChange| {
            change
                .variables()
                .map(|of| of.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>())
        };
        let [baseline, candidate] = lengths(NullChange::Allocation);
        assert_eq!(baseline, candidate, "the environment is as long");
        assert_eq!(lengths(NullChange::Environment), [0, ENVIRONMENT.len() + ENVIRONMENT_BYTES]);
        assert_eq!(lengths(NullChange::Path), [0, 0]);
    }

    #[test]
    fn a_program_is_the_same_by_a_longer_path() {
        let folder = tempfile::tempdir().unwrap();
        let built = folder.path().join("a-product-of-some-length");
        fs::create_dir(&built).unwrap();
        let program = built.join("layout-0");
        fs::write(&program, "x").unwrap();
        let copies = by_longer_paths(std::slice::from_ref(&program), folder.path()).unwrap();
        assert_eq!(fs::read(&copies[0]).unwrap(), b"x");
        assert_eq!(copies[0].as_os_str().len(), program.as_os_str().len() + PATH_BYTES);
        assert_eq!(by_longer_paths(&[program], folder.path()).unwrap(), copies);
    }
}
