//! A system call as the processor's registers have it, and the one instruction from which it is let through.

use libc::ucontext_t;

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".hidden tlslab_kernel_call",
    ".globl tlslab_kernel_call",
    ".hidden tlslab_kernel_called",
    ".globl tlslab_kernel_called",
    "tlslab_kernel_call:",
    "mov rax, rdi",
    "mov r11, rsi",
    "mov rdi, [r11]",
    "mov rsi, [r11 + 8]",
    "mov rdx, [r11 + 16]",
    "mov r10, [r11 + 24]",
    "mov r8, [r11 + 32]",
    "mov r9, [r11 + 40]",
    "syscall",
    "tlslab_kernel_called:",
    "ret",
);

#[cfg(target_arch = "aarch64")]
std::arch::global_asm!(
    ".hidden tlslab_kernel_call",
    ".globl tlslab_kernel_call",
    ".hidden tlslab_kernel_called",
    ".globl tlslab_kernel_called",
    "tlslab_kernel_call:",
    "mov x8, x0",
    "mov x9, x1",
    "ldp x0, x1, [x9]",
    "ldp x2, x3, [x9, #16]",
    "ldp x4, x5, [x9, #32]",
    "svc #0",
    "tlslab_kernel_called:",
    "ret",
);

unsafe extern "C" {
    fn tlslab_kernel_call(number: usize, arguments: *const [usize; 6]) -> isize;
    fn tlslab_kernel_called();
}

/// Makes a system call that is neither trapped nor counted; its result, negative for an error.
///
/// # Safety
/// As for the call.
#[inline(always)]
pub(super) unsafe fn make(number: usize, arguments: &[usize; 6]) -> isize {
    // SAFETY: the caller vouches for the call; the code above reads six words.
    unsafe { tlslab_kernel_call(number, arguments) }
}

/// The address after the instruction of [`make`], as the kernel reports where a call comes from.
pub(super) fn let_through() -> u64 {
    tlslab_kernel_called as *const () as u64
}

/// The architecture as the kernel reports it with each call.
#[cfg(target_arch = "x86_64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_003e;
/// The architecture as the kernel reports it with each call.
#[cfg(target_arch = "aarch64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_00b7;

/// The number of a trapped call, and its arguments.
#[cfg(target_arch = "x86_64")]
pub(super) fn call_of(context: &ucontext_t) -> (usize, [usize; 6]) {
    use libc::{REG_R8, REG_R9, REG_R10, REG_RAX, REG_RDI, REG_RDX, REG_RSI};
    let of = |register: libc::c_int| context.uc_mcontext.gregs[register as usize] as usize;
    (of(REG_RAX), [REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9].map(of))
}

/// Sets the result that the program sees.
#[cfg(target_arch = "x86_64")]
pub(super) fn set_result(context: &mut ucontext_t, result: isize) {
    context.uc_mcontext.gregs[libc::REG_RAX as usize] = result as libc::greg_t;
}

/// The number of a trapped call, and its arguments.
#[cfg(target_arch = "aarch64")]
pub(super) fn call_of(context: &ucontext_t) -> (usize, [usize; 6]) {
    let of = |register: usize| context.uc_mcontext.regs[register] as usize;
    (of(8), [0, 1, 2, 3, 4, 5].map(of))
}

/// Sets the result that the program sees.
#[cfg(target_arch = "aarch64")]
pub(super) fn set_result(context: &mut ucontext_t, result: isize) {
    context.uc_mcontext.regs[0] = result as u64;
}
