//! Fields by their names.

/// Each named field of a value with its name, in this order.
macro_rules! named_fields {
    ($of:expr, $($field:ident),*) => { [$((stringify!($field), $of.$field)),*] };
}

pub(crate) use named_fields;
