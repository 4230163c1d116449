//! The structures of `include/tlslab_endpoint.h`, field by field.
//!
//! A test compiles C that compares every field's offset and every structure's size with those declared here.

use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;

/// The header's `TLSLAB_ABI`, which changes with the layout.
pub const ABI: u32 = 6;
/// The header's `TLSLAB_HEADER_MOST`.
pub const HEADER_MOST: usize = 16;
/// The length of an identity's list of notes, which ends with a null pointer like the other lists.
const NOTES: usize = 8;
const DETAILS: usize = 16;
const OFFERS: usize = 4;

/// Declares structures of the header, each with its name there.
macro_rules! layouts {
    ($($(#[$of:meta])* struct $name:ident as $c:literal { $($field:ident: $type:ty,)* })*) => {
        $(
            $(#[$of])*
            #[repr(C)]
            pub struct $name {
                $(pub $field: $type,)*
            }
        )*

        /// For every structure: its name in the header, its size, and the offset of each field.
        #[cfg(test)]
        pub fn layouts() -> Vec<(&'static str, usize, Vec<(&'static str, usize)>)> {
            vec![$(($c, size_of::<$name>(), vec![$((stringify!($field), std::mem::offset_of!($name, $field)),)*]),)*]
        }
    };
}

/// Makes an object and sets a handle to it.
type New = unsafe extern "C" fn(*mut c_void, *mut *mut c_void, *mut CError) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void);
/// Processes input and appends output.
pub type DataCall = unsafe extern "C" fn(*mut c_void, CBytes, *mut CBuffer, *mut CError) -> c_int;
type ContextCall =
    unsafe extern "C" fn(c_int, *const CScenario, *const CMaterial, *mut *mut c_void, *mut CError) -> c_int;
type EarlyCall = unsafe extern "C" fn(*mut c_void, CBytes, *mut CBuffer, *mut CBuffer, *mut CError) -> c_int;
type ResumeCall = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut *mut c_void, *mut CError) -> c_int;
type PrimitiveCall =
    unsafe extern "C" fn(*const CAssignment, *const CMaterial, *mut *mut c_void, *mut CError) -> c_int;
/// Does one operation.
pub type Run =
    unsafe extern "C" fn(*mut c_void, c_int, u64, *mut CBuffer, *mut CBuffer, *mut CError) -> c_int;
/// Appends the result that an operation left elsewhere.
pub type Collect = unsafe extern "C" fn(*mut c_void, CBytes, *mut CBuffer);
/// Describes a connection.
pub type Negotiated = unsafe extern "C" fn(*mut c_void, *mut c_char, usize);

layouts! {
    /// A reason.
    struct CError as "tlslab_error" {
        text: [MaybeUninit<c_char>; 512],
    }

    /// A slice of bytes that belongs to the caller.
    #[derive(Clone, Copy)]
    struct CBytes as "tlslab_bytes" {
        data: *const u8,
        len: usize,
    }

    /// A buffer that an endpoint appends to.
    struct CBuffer as "tlslab_buffer" {
        data: *mut u8,
        len: usize,
        capacity: usize,
        flush: Option<unsafe extern "C" fn(*mut CBuffer)>,
        kit: *mut c_void,
    }

    /// One value of one axis.
    struct CValue as "tlslab_value" {
        point: u16,
        operation: u16,
        bits: u32,
        is_claimed: u32,
        name: *const c_char,
        iana: *const c_char,
        dashed: *const c_char,
        exchange: *const c_char,
        cipher: *const c_char,
    }

    /// The parameters that a scenario pins.
    struct CScenario as "tlslab_scenario" {
        version: u16,
        suite: u16,
        group: u16,
        signature_scheme: u16,
        key_bits: u32,
        verification: u32,
        tickets: u32,
        resumption: u32,
        mutual: u32,
        retry_group: u32,
        early_data: u32,
        pregenerated: u32,
        certificate_curve: u32,
        defaults: u32,
    }

    /// Keys and certificates.
    struct CMaterial as "tlslab_material" {
        root: CBytes,
        chain: *const CBytes,
        chain_len: usize,
        key: CBytes,
        server_name: *const c_char,
        psk_identity: *const c_char,
        psk: CBytes,
        roots_file: *const c_char,
    }

    /// What a library reports about a connection.
    struct CFacts as "tlslab_facts" {
        version: u16,
        suite: u16,
        group: u16,
        signature_scheme: u16,
        resumed: i32,
        tickets_received: i32,
        peer_certificate: *mut u8,
        peer_certificate_len: usize,
        early_data_accepted: i32,
    }

    /// The operation and inputs that a primitive is prepared for.
    struct CAssignment as "tlslab_assignment" {
        operation: u32,
        algorithm: u16,
        key_bits: u16,
        bytes: usize,
        key: CBytes,
        iv: [u8; 12],
        header: [u8; HEADER_MOST],
        header_len: usize,
        message: CBytes,
    }

    /// The identity of a library.
    struct CIdentity as "tlslab_identity" {
        driver: *const c_char,
        library: *const c_char,
        library_version: *const c_char,
        max_tickets: u32,
        max_early_data: u32,
        has_psk_suites: u32,
        record_plaintext_bytes: u32,
        record_padding_bytes: u32,
        record_filled_to_bytes: u32,
        renews_no_tickets: u32,
        threads: u32,
        flushes: u32,
        settles_ms: u32,
        reads_roots: u32,
        leaves_defaults: u32,
        offers_more: [*const c_char; OFFERS],
        notes: [*const c_char; NOTES],
        details: [*const c_char; DETAILS],
    }

    /// The calls of an endpoint.
    struct CEndpoint as "tlslab_endpoint" {
        abi: u32,
        identity: unsafe extern "C" fn(*mut CIdentity),
        can: unsafe extern "C" fn(c_int, *const CValue, *mut CError) -> c_int,
        context: ContextCall,
        context_free: Free,
        create: New,
        connection_free: Free,
        handshake: DataCall,
        send: DataCall,
        receive: DataCall,
        facts: unsafe extern "C" fn(*mut c_void, *mut CFacts),
        close: Option<DataCall>,
        session: Option<New>,
        session_free: Option<Free>,
        resume: Option<ResumeCall>,
        session_copy: Option<New>,
        make_key_share: Option<unsafe extern "C" fn(*mut c_void, *mut CError) -> c_int>,
        send_early: Option<DataCall>,
        handshake_early: Option<EarlyCall>,
        primitive: Option<PrimitiveCall>,
        primitive_run: Option<Run>,
        primitive_free: Option<Free>,
        primitive_collect: Option<Collect>,
        primitive_negotiated: Option<Negotiated>,
    }
}

impl CBuffer {
    /// Memory that is lent until the call returns.
    #[inline(always)]
    pub fn over(data: *mut u8, len: usize, capacity: usize) -> Self {
        Self { data, len, capacity, flush: None, kit: ptr::null_mut() }
    }
}

impl CBytes {
    #[inline(always)]
    pub fn of(slice: &[u8]) -> Self {
        Self { data: slice.as_ptr(), len: slice.len() }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const INCLUDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/include");

    fn compile(program: &str, arguments: &[&str], name: &str, text: &str) {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join(name);
        std::fs::write(&source, text).unwrap();
        let made = Command::new(program).args(arguments).arg("-I").arg(INCLUDE).arg(&source).output();
        let made = made.unwrap_or_else(|cause| panic!("{program}: {cause}"));
        assert!(made.status.success(), "{text}\n{}", String::from_utf8_lossy(&made.stderr));
    }

    #[test]
    fn the_header_has_the_same_shapes() {
        let mut text = format!(
            "#include \"tlslab_driver.h\"\n_Static_assert(TLSLAB_ABI == {ABI} && TLSLAB_HEADER_MOST == {HEADER_MOST}, \"abi\");\n"
        );
        for (name, size, fields) in layouts() {
            text += &format!("_Static_assert(sizeof({name}) == {size}, \"{name}\");\n");
            for (field, place) in fields {
                text +=
                    &format!("_Static_assert(offsetof({name}, {field}) == {place}, \"{name}.{field}\");\n");
            }
        }
        let strict = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"];
        compile("cc", &strict, "layout.c", &text);
    }

    /// C++ wants designated fields in the structure's order.
    #[test]
    fn a_driver_in_cpp_can_have_all_groups_of_calls() {
        let header = std::fs::read_to_string(format!("{INCLUDE}/tlslab_driver.h")).unwrap();
        let (_, groups) = header.split_once("Groups of an endpoint's fields").unwrap();
        let groups: Vec<&str> = groups
            .lines()
            .filter_map(|line| line.strip_prefix("#define ")?.split_whitespace().next())
            .filter(|name| !name.contains('('))
            .collect();
        assert!(groups.len() >= 8 && groups.contains(&"TLSLAB_CLOSE"), "{groups:?}");
        let text = format!(
            "#include \"tlslab_driver.h\"\nstatic const tlslab_endpoint endpoint = {{{}}};\n",
            groups.join(", ")
        );
        let strict = ["-std=c++20", "-Wall", "-Werror", "-Wno-unused-variable", "-fsyntax-only"];
        compile("c++", &strict, "groups.cc", &text);
    }
}
