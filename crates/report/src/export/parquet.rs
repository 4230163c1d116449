//! Apache Parquet: the rows of `results.csv`, with types.

use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use tlslab_estimate::Report;

use crate::render::{HEADER, rows};

/// One row per cell, in the columns of `results.csv`: numbers as numbers, text as text, and null for missing
/// fields. The file's metadata has the run's name under `tlslab.run`.
pub fn parquet(report: &Report) -> Result<Vec<u8>, ParquetError> {
    let rows: Vec<[String; HEADER.len()]> = rows(report).collect();
    let run = KeyValue::new("tlslab.run".to_owned(), report.run.id.clone());
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(vec![run]))
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema()?), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (at, name) in HEADER.iter().enumerate() {
        let Some(mut column) = group.next_column()? else { break };
        let texts = rows.iter().map(|row| row[at].as_str());
        match kind(name) {
            Physical::INT64 => put::<Int64Type>(&mut column, texts, |text| text.parse().ok())?,
            Physical::DOUBLE => put::<DoubleType>(&mut column, texts, |text| text.parse().ok())?,
            Physical::BOOLEAN => put::<BoolType>(&mut column, texts, |text| text.parse().ok())?,
            _ => put::<ByteArrayType>(&mut column, texts, |text| Some(ByteArray::from(text)))?,
        }
        column.close()?;
    }
    group.close()?;
    writer.into_inner()
}

fn schema() -> Result<Type, ParquetError> {
    let column = |name: &&str| {
        let kind = kind(name);
        let text = (kind == Physical::BYTE_ARRAY).then_some(LogicalType::String);
        let column = Type::primitive_type_builder(name, kind).with_repetition(Repetition::OPTIONAL);
        column.with_logical_type(text).build().map(Arc::new)
    };
    let columns = HEADER.iter().map(column).collect::<Result<_, _>>()?;
    Type::group_type_builder("cells").with_fields(columns).build()
}

/// The type of a column.
fn kind(column: &str) -> Physical {
    match column {
        "n" => Physical::INT64,
        "repeatable" => Physical::BOOLEAN,
        "estimate" | "lower" | "upper" | "confidence" | "ratio" | "ratio_lower" | "ratio_upper"
        | "ratio_confidence" | "minimum" | "maximum" => Physical::DOUBLE,
        _ => Physical::BYTE_ARRAY,
    }
}

/// A column; a text that is empty is null.
fn put<'t, T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    texts: impl Iterator<Item = &'t str>,
    value: fn(&str) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for text in texts {
        levels.push(i16::from(!text.is_empty()));
        if !text.is_empty() {
            let wrong = || ParquetError::General(format!("\"{text}\" does not fit its column's type"));
            values.push(value(text).ok_or_else(wrong)?);
        }
    }
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    Ok(())
}
