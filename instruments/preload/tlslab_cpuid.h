/* What the preloaded library that hides features tells a driver. The driver finds the functions by name at run time, so
 * that nothing of this is linked into any driver. */
#ifndef TLSLAB_CPUID_REPORT_H
#define TLSLAB_CPUID_REPORT_H

#include <stddef.h>
#include <stdint.h>

/* The version of the functions below. */
#define TLSLAB_CPUID_ABI 1

/* The version that this library has. */
uint32_t tlslab_cpuid_abi(void);

/* Writes up to `room` bytes of text: a line with the way in which features are hidden, `faulting`, `replaced` or `counter`, then one
 * for each place whose CPUID was answered: how often, its address in its file in hex, and the file's name. Returns the
 * length, without the zero byte at the end. */
size_t tlslab_cpuid_report(char *to, size_t room);

#endif
