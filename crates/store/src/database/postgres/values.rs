//! Values in PostgreSQL's types.

use std::error::Error;

use postgres::types::private::BytesMut;
use postgres::types::{IsNull, ToSql, Type};

use crate::database::value::{Row, Value};

/// As parameters of a statement.
pub(super) fn parameters(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

impl ToSql for Value {
    fn to_sql(&self, to: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(number) if *to == Type::FLOAT8 => (*number as f64).to_sql(to, out),
            Value::Integer(number) => number.to_sql(to, out),
            Value::Real(number) => number.to_sql(to, out),
            Value::Text(text) => text.to_sql(to, out),
            Value::Blob(bytes) => bytes.to_sql(to, out),
        }
    }

    fn accepts(to: &Type) -> bool {
        [Type::INT8, Type::FLOAT8, Type::TEXT, Type::BYTEA].contains(to)
    }

    postgres::types::to_sql_checked!();
}

/// A row of an answer.
pub(super) fn row(row: &postgres::Row) -> Result<Row, postgres::Error> {
    let value = |(index, column): (usize, &postgres::Column)| {
        Ok(match *column.type_() {
            Type::FLOAT8 => row.try_get::<_, Option<f64>>(index)?.into(),
            Type::TEXT => row.try_get::<_, Option<String>>(index)?.into(),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(index)?.into(),
            _ => row.try_get::<_, Option<i64>>(index)?.into(),
        })
    };
    Ok(Row(row.columns().iter().enumerate().map(value).collect::<Result<_, postgres::Error>>()?))
}
