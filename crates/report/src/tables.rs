//! The figures of a report as rows of text, which every rendering shares: those here and pages.

pub use crate::render::cold;
pub use crate::render::cross;
pub use crate::render::defaults;
pub use crate::render::host::{leaves, scalar};
pub use crate::render::kernel::answer as kernel_answer;
pub use crate::render::processors::answers as processor_answers;
pub use crate::render::shares;
pub use crate::render::size::answer as size_answer;
pub use crate::render::table::{
    ExactRow, ExactTable, Hole, Row, SideWords, Subject, Table, Tone, all_of, describe_basis, headline,
    rests_on_two_speeds, tone, verdict,
};
pub use crate::render::together;
pub use crate::render::wire::answer as wire_answer;
pub use crate::render::words::{Relative, figure};
