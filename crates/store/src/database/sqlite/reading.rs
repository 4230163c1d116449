//! Reading a SQLite database with any access rights.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags};

/// A connection that only reads.
///
/// To read a database in WAL mode, SQLite needs its `-wal` and `-shm` files. If they are missing, a
/// read-write connection creates and later removes them, and a read-only connection leaves them behind. If
/// the folder is not writable, the file is opened as immutable; if it has a log, a copy of both is read.
pub(crate) fn reading(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let log = log_of(path);
    let has_log = std::fs::metadata(&log).is_ok_and(|log| log.len() > 0);
    if !has_log {
        let opened = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_WRITE);
        if let Ok(connection) = opened
            && !connection.is_readonly(MAIN_DB)?
            && connection.execute_batch("PRAGMA query_only = ON").and_then(|()| looks(&connection)).is_ok()
        {
            return Ok(connection);
        }
    }
    let opened = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_ONLY);
    match opened.and_then(|connection| looks(&connection).map(|()| connection)) {
        // On a read-only mount a file cannot be created; in a folder that only others may write to, SQLite
        // calls the database read-only.
        Err(cause) if needs_files(&cause) => match has_log {
            false => immutable(path),
            true => copied(path, &log).unwrap_or(Err(cause)),
        },
        tried => tried,
    }
}

fn looks(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))
}

fn needs_files(cause: &rusqlite::Error) -> bool {
    matches!(cause.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

/// A connection to a file that no process changes: no other file is needed.
pub(crate) fn immutable(path: &Path) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_READ_ONLY;
    Connection::open_with_flags(format!("file:{}?immutable=1", uri_path(path)), flags)
}

/// A connection to a copy of the file and its log, as only the log has the latest commits. The copy is
/// removed with the connection.
fn copied(path: &Path, log: &Path) -> std::io::Result<rusqlite::Result<Connection>> {
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("copy.sqlite");
    std::fs::copy(path, &copy)?;
    std::fs::copy(log, log_of(&copy))?;
    for file in [&copy, &log_of(&copy)] {
        let mut rights = std::fs::metadata(file)?.permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o600);
        std::fs::set_permissions(file, rights)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_WRITE;
    Ok(Connection::open_with_flags(&copy, flags).and_then(|connection| {
        // The log becomes part of the file, which stays open.
        connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
        connection.execute_batch("PRAGMA query_only = ON")?;
        looks(&connection)?;
        Ok(connection)
    }))
}

/// A path in a URI: reserved bytes are percent-encoded.
fn uri_path(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes
        .map(|byte| if plain(*byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_log_alone_is_read_from_a_copy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sqlite");
        let writing = Connection::open(&path).unwrap();
        writing
            .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (7)")
            .unwrap();
        let connection = copied(&path, &log_of(&path)).unwrap().unwrap();
        let read = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u32>(0));
        assert_eq!(read("SELECT x FROM t"), Ok(7));
        assert!(connection.execute_batch("INSERT INTO t VALUES (8)").is_err());
        assert_eq!(read("SELECT count(*) FROM t"), Ok(1));
    }
}
