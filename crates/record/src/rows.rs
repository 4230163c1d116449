//! What a run's cells are called in files of their own.

use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

/// The rows of a run. Cells that no row is of are no part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowPlan {
    /// Every row, in the order of its name.
    pub rows: Vec<RowRecord>,
    /// The files that have them.
    pub files: Vec<RowFileRecord>,
}

/// One side of a cell, by a name of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowRecord {
    /// The name.
    pub name: String,
    /// The scenario, as an index into the plan's.
    pub scenario: usize,
    /// The stack, as an index into the plan's.
    pub stack: usize,
    /// The side.
    pub side: Side,
}

/// A file with a line for each row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowFileRecord {
    /// The file's name.
    pub name: String,
    /// Its columns, after the name.
    pub columns: Vec<RowColumnRecord>,
}

/// A column of such a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowColumnRecord {
    /// The figure, by its name in results.
    pub metric: String,
    /// How many iterations each row has, in the rows' order.
    pub times: Vec<u32>,
}
