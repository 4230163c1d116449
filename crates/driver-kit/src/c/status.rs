//! The status that a call returns, and the reason if it fails.

use std::ffi::{CStr, c_char, c_int};
use std::mem::MaybeUninit;

use super::layout::CError;

pub const OK: c_int = 0;
pub const CONTINUES: c_int = 1;
pub const UNSUPPORTED: c_int = -2;

impl CError {
    /// The empty text, without touching all 512 bytes inside the clock.
    #[inline(always)]
    pub fn none() -> Self {
        let mut text = [MaybeUninit::uninit(); 512];
        text[0] = MaybeUninit::new(0);
        Self { text }
    }

    /// The endpoint's reason.
    pub fn reason(&self) -> String {
        self.text().unwrap_or_else(|| "the library gave no reason".to_owned())
    }

    /// The endpoint's reason, if it gave one.
    pub fn text(&self) -> Option<String> {
        Some(read_text(self.text.as_ptr().cast::<c_char>()))
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    }
}

/// A text of the endpoint, as UTF-8.
pub fn read_text<'a>(pointer: *const c_char) -> &'a str {
    if pointer.is_null() {
        return "";
    }
    // SAFETY: the contract says that texts are terminated and outlive the call.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("(not UTF-8)")
}
