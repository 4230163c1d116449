//! Notes of users about versions.

use tlslab_record::Annotation;

use crate::StoreError;
use crate::database::Database;
use crate::database::value::{Row, values};
use crate::run::sql::SqlStore;

impl<D: Database> SqlStore<D> {
    pub(crate) fn write_annotation(&self, annotation: &Annotation) -> Result<(), StoreError> {
        let Annotation { stack, label, scenario, text, noted_unix_ms } = annotation;
        let written = match text.is_empty() {
            true => self.database.execute(
                "DELETE FROM annotation WHERE stack = ?1 AND label = ?2 AND scenario = ?3",
                values![stack, label, scenario],
            ),
            false => self.database.execute(
                "INSERT INTO annotation (stack, label, scenario, text, noted_unix_ms) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (stack, label, scenario)
                 DO UPDATE SET text = excluded.text, noted_unix_ms = excluded.noted_unix_ms",
                values![stack, label, scenario, text, *noted_unix_ms],
            ),
        };
        written.map(drop)
    }

    pub(crate) fn read_annotations(&self) -> Result<Vec<Annotation>, StoreError> {
        let sql = "SELECT stack, label, scenario, text, noted_unix_ms FROM annotation ORDER BY stack, label, scenario";
        let annotation = |row: &Row| -> Result<Annotation, String> {
            Ok(Annotation {
                stack: row.get(0)?,
                label: row.get(1)?,
                scenario: row.get(2)?,
                text: row.get(3)?,
                noted_unix_ms: row.get(4)?,
            })
        };
        let rows = self.database.rows(sql, values![])?;
        rows.iter().map(annotation).collect::<Result<_, _>>().map_err(|cause| self.broken(cause))
    }
}
