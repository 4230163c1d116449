//! The substitute for Apache Parquet if it was not compiled in.

use tlslab_estimate::Report;

/// The error of a program that was compiled without Parquet.
#[derive(Debug)]
pub struct WithoutParquet;

impl std::fmt::Display for WithoutParquet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "this program was compiled without Parquet; compile one with it: cargo build --release -p tlslab --features parquet",
        )
    }
}

impl std::error::Error for WithoutParquet {}

/// Refuses.
pub fn parquet(_: &Report) -> Result<Vec<u8>, WithoutParquet> {
    Err(WithoutParquet)
}
