//! Access to fields by name.

/// Makes an array of each named field with its name, in this order.
macro_rules! named_fields {
    ($of:expr, $($field:ident),*) => { [$((stringify!($field), $of.$field)),*] };
}

pub(crate) use named_fields;
