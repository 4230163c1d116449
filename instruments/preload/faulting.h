/* CPUID instructions of this thread, and of those that it starts, that fault. */
#ifndef TLSLAB_FAULTING_H
#define TLSLAB_FAULTING_H

#include <sys/syscall.h>
#include <unistd.h>

/* Whether they fault from now on: 0, or -1 with `errno` where the processor or the kernel cannot do that. */
static inline long cpuid_faults(int on) {
  enum { SET_CPUID = 0x1012 };
  return syscall(SYS_arch_prctl, SET_CPUID, on ? 0UL : 1UL);
}

#endif
