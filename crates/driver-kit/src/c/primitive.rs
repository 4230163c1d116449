//! Cryptographic operations in C, as `include/tlslab_endpoint.h` declares them.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use tlslab_protocol::{Algorithm, Operation, ProtocolVersion};

use super::layout::{
    CAssignment, CBuffer, CBytes, CEndpoint, CError, CMaterial, Collect, HEADER_MOST, Negotiated, Run,
};
use super::status::{OK, UNSUPPORTED};
use crate::{Assignment, Buffer, EndpointError, Material, Primitive, Unready};

/// A C object; its endpoint's `primitive_free` frees it.
struct CPrimitive {
    handle: *mut c_void,
    run: Run,
    free: Option<unsafe extern "C" fn(*mut c_void)>,
    collect: Option<Collect>,
    negotiated: Option<Negotiated>,
    /// The values that the object may refer to for its lifetime.
    _assignment: Box<Kept>,
}

/// An assignment, and the values that it refers to.
struct Kept {
    assignment: CAssignment,
    _key: Vec<u8>,
    _message: Vec<u8>,
}

impl Kept {
    fn new(assignment: &Assignment) -> Box<Self> {
        let (key, message) = (assignment.key.clone(), assignment.message.clone());
        let of_c = CAssignment {
            operation: code(assignment.operation) as u32,
            algorithm: code_point(assignment.algorithm),
            key_bits: match assignment.algorithm {
                Algorithm::Signature(key) => key.bits() as u16,
                _ => 0,
            },
            bytes: assignment.bytes,
            key: CBytes::of(&key),
            iv: assignment.iv,
            header: std::array::from_fn(|at| assignment.header.get(at).copied().unwrap_or(0)),
            header_len: assignment.header.len().min(HEADER_MOST),
            message: CBytes::of(&message),
        };
        Box::new(Self { assignment: of_c, _key: key, _message: message })
    }
}

impl Drop for CPrimitive {
    fn drop(&mut self) {
        if let Some(free) = self.free.filter(|_| !self.handle.is_null()) {
            // SAFETY: the handle came from the same endpoint and is freed once.
            unsafe { free(self.handle) }
        }
    }
}

/// Makes the object for an assignment.
pub fn make(
    endpoint: &CEndpoint,
    assignment: &Assignment,
    material: &Material,
) -> Result<Box<dyn Primitive>, Unready> {
    let (Some(make), Some(run)) = (endpoint.primitive, endpoint.primitive_run) else {
        return Err(Unready::Unsupported("this driver calls no cryptography on its own".to_owned()));
    };
    let chain: Vec<CBytes> = material.chain.iter().map(|der| CBytes::of(der)).collect();
    // SAFETY: all-zero is a valid value of this plain structure.
    let nothing: CMaterial = unsafe { std::mem::zeroed() };
    let material = CMaterial {
        root: CBytes::of(&material.root),
        chain: chain.as_ptr(),
        chain_len: chain.len(),
        key: CBytes::of(&material.key),
        ..nothing
    };
    let mut made = CPrimitive {
        handle: ptr::null_mut(),
        run,
        free: endpoint.primitive_free,
        collect: endpoint.primitive_collect,
        negotiated: endpoint.primitive_negotiated,
        _assignment: Kept::new(assignment),
    };
    let mut error = CError::none();
    // SAFETY: every pointer is to a value that lives until the call returns, and the assignment as long as the object.
    match unsafe { make(&made._assignment.assignment, &material, &mut made.handle, &mut error) } {
        OK => Ok(Box::new(made)),
        UNSUPPORTED => Err(Unready::Unsupported(error.reason())),
        _ => Err(Unready::Failed(error.reason())),
    }
}
impl Primitive for CPrimitive {
    #[inline]
    fn run(
        &mut self,
        operation: Operation,
        sequence: u64,
        input: &mut [u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        let mut given = CBuffer::over(input.as_mut_ptr(), input.len(), input.len());
        let room = output.room();
        let mut buffer = CBuffer::over(room.as_mut_ptr(), 0, room.len());
        let mut error = CError::none();
        // SAFETY: both buffers are the kit's own, and the endpoint respects their capacity.
        let status = unsafe {
            (self.run)(self.handle, code(operation), sequence, &mut given, &mut buffer, &mut error)
        };
        output.advance(buffer.len);
        if status == OK { Ok(()) } else { Err(EndpointError(error.reason())) }
    }

    fn collect(&mut self, input: &[u8], output: &mut Buffer) {
        let Some(collect) = self.collect else { return };
        let room = output.room();
        let mut buffer = CBuffer::over(room.as_mut_ptr(), 0, room.len());
        // SAFETY: the buffer is the kit's own, and the endpoint respects its capacity.
        unsafe { collect(self.handle, CBytes::of(input), &mut buffer) };
        output.advance(buffer.len);
    }

    fn negotiated(&mut self) -> Option<String> {
        let describe = self.negotiated?;
        let mut text = [0_u8; 256];
        // SAFETY: the endpoint respects the room that it is given, and leaves its last byte unchanged.
        unsafe { describe(self.handle, text.as_mut_ptr().cast(), text.len() - 1) };
        let end = CStr::from_bytes_until_nul(&text).ok()?;
        Some(end.to_string_lossy().into_owned()).filter(|text| !text.is_empty())
    }
}

/// The header's `tlslab_operation`.
#[inline(always)]
fn code(operation: Operation) -> c_int {
    operation as c_int + 1
}

fn code_point(algorithm: Algorithm) -> u16 {
    match algorithm {
        Algorithm::Hash(hash) => hash.code_point(),
        Algorithm::Aead(suite) => suite.0,
        Algorithm::Signature(key) => key.signature_scheme(ProtocolVersion::TLS13).0,
        Algorithm::Group(group) => group.0,
    }
}
