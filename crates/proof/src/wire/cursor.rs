//! Parses fields from the front of a message.

use std::collections::BTreeSet;

use super::WireError;

/// The rest of a message's bytes. Every method takes the next field, or fails and names it.
pub(super) struct Cursor<'a> {
    message: &'static str,
    left: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(message: &'static str, bytes: &'a [u8]) -> Self {
        Self { message, left: bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    pub(super) fn take(&mut self, field: &str, length: usize) -> Result<&'a [u8], WireError> {
        let Some((taken, left)) = self.left.split_at_checked(length) else {
            return Err(self.malformed(format!("{field}: {length} bytes needed, {} left", self.left.len())));
        };
        self.left = left;
        Ok(taken)
    }

    pub(super) fn u8(&mut self, field: &str) -> Result<u8, WireError> {
        self.take(field, 1).map(|bytes| bytes[0])
    }

    pub(super) fn u16(&mut self, field: &str) -> Result<u16, WireError> {
        self.take(field, 2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    /// A length of three bytes.
    pub(super) fn u24(&mut self, field: &str) -> Result<usize, WireError> {
        let bytes = self.take(field, 3)?;
        Ok(bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
    }

    /// A vector whose length is one byte.
    pub(super) fn vector8(&mut self, field: &str) -> Result<Cursor<'a>, WireError> {
        let length = self.u8(field)?;
        self.part(field, usize::from(length))
    }

    /// A vector whose length is two bytes.
    pub(super) fn vector16(&mut self, field: &str) -> Result<Cursor<'a>, WireError> {
        let length = self.u16(field)?;
        self.part(field, usize::from(length))
    }

    /// The rest, as code points of two bytes each.
    pub(super) fn code_points<T>(mut self, field: &str, make: fn(u16) -> T) -> Result<Vec<T>, WireError> {
        let mut points = Vec::new();
        while !self.is_empty() {
            points.push(make(self.u16(field)?));
        }
        Ok(points)
    }

    /// The rest, as extensions: type and content, each type at most once.
    pub(super) fn extensions(mut self) -> Result<Vec<(u16, Cursor<'a>)>, WireError> {
        let mut extensions = Vec::new();
        let mut seen = BTreeSet::new();
        while !self.is_empty() {
            let extension_type = self.u16("an extension's type")?;
            let content = self.vector16("an extension")?;
            if !seen.insert(extension_type) {
                return Err(self.malformed(format!("extension {extension_type} comes twice")));
            }
            extensions.push((extension_type, content));
        }
        Ok(extensions)
    }

    /// The rest, as bytes.
    pub(super) fn rest(self) -> &'a [u8] {
        self.left
    }

    /// Fails if bytes are left over.
    pub(super) fn finish(&self, field: &str) -> Result<(), WireError> {
        if self.is_empty() {
            return Ok(());
        }
        Err(self.malformed(format!("{} bytes are left over after {field}", self.left.len())))
    }

    pub(super) fn malformed(&self, what: String) -> WireError {
        WireError::Malformed { message: self.message, what }
    }

    fn part(&mut self, field: &str, length: usize) -> Result<Cursor<'a>, WireError> {
        Ok(Cursor { message: self.message, left: self.take(field, length)? })
    }
}
