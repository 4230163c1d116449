/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The requests of a program that runs under the counter. Without valgrind every request is a few instructions that do
 * nothing; under another tool of valgrind's, too. */
#ifndef TLSLAB_COUNTER_H
#define TLSLAB_COUNTER_H

#include <stddef.h>
#include <stdint.h>

/* The version of everything below, as `tlslab_counter_version` tells it. */
#define TLSLAB_COUNTER_VERSION 1

/* Buckets are numbered from 0. A process begins in bucket 0; a thread in its creator's. */
#define TLSLAB_COUNTER_BUCKETS 64

/* The first word of each request's arguments; two letters say whose requests they are. */
#define TLSLAB_COUNTER_REQUEST(number) (((uint64_t)'T' << 24) | ((uint64_t)'L' << 16) | (number))
#define TLSLAB_COUNTER_WHO_AM_I TLSLAB_COUNTER_REQUEST(0)
#define TLSLAB_COUNTER_SWITCH TLSLAB_COUNTER_REQUEST(1)
#define TLSLAB_COUNTER_READ TLSLAB_COUNTER_REQUEST(2)
#define TLSLAB_COUNTER_ZERO TLSLAB_COUNTER_REQUEST(3)
#define TLSLAB_COUNTER_SEED TLSLAB_COUNTER_REQUEST(4)
#define TLSLAB_COUNTER_DUMP TLSLAB_COUNTER_REQUEST(5)
#define TLSLAB_COUNTER_DUMP_CONTENTION TLSLAB_COUNTER_REQUEST(6)

/* Valgrind's own question: how many valgrinds the program runs under. */
#define TLSLAB_COUNTER_RUNNING_ON_VALGRIND UINT64_C(0x1001)

/* The counts of one bucket. */
typedef struct tlslab_counts {
  uint64_t instructions;
  uint64_t loads;  /* accesses to data, not bytes */
  uint64_t stores; /* accesses to data, not bytes */
} tlslab_counts;

#if defined(__x86_64__) && defined(__GNUC__)

/* Rotations by 128 bits in all, and an exchange of a register with itself: valgrind takes them for a request. */
#define TLSLAB_COUNTER_MAGIC                  \
  "rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"     \
  "rolq $61, %%rdi\n\trolq $51, %%rdi\n\t"    \
  "xchgq %%rbx, %%rbx\n\t"

static inline uint64_t tlslab_counter_request(uint64_t otherwise, uint64_t code, uint64_t first, uint64_t second) {
  uint64_t arguments[6] = {code, first, second, 0, 0, 0};
  uint64_t answer = otherwise;
  __asm__ volatile(TLSLAB_COUNTER_MAGIC : "+d"(answer) : "a"(arguments) : "cc", "memory");
  return answer;
}

/* From here on, what the calling thread runs is booked to this bucket. Returns the bucket before, or UINT64_MAX where there
 * is no such bucket, and then nothing changes. Meaningless without the counter. The request is three instructions, of which
 * the old bucket gets all three and the new one none, whatever they are; its arguments are constant and its bucket is in
 * rdx, so that no data is touched. */
static inline uint64_t tlslab_counter_switch(uint64_t bucket) {
  uint64_t answer;
  __asm__ volatile(
      ".pushsection .rodata\n\t.balign 8\n"
      "77:\t.quad 0x544c0001, 0, 0, 0, 0, 0\n\t.popsection\n\t"
      "movq %1, %%rdx\n\tleaq 77b(%%rip), %%rax\n\t" TLSLAB_COUNTER_MAGIC
      : "=&d"(answer)
      : "r"(bucket)
      : "rax", "cc", "memory");
  return answer;
}

#else

static inline uint64_t tlslab_counter_request(uint64_t otherwise, uint64_t code, uint64_t first, uint64_t second) {
  (void)code, (void)first, (void)second;
  return otherwise;
}

static inline uint64_t tlslab_counter_switch(uint64_t bucket) {
  (void)bucket;
  return 0;
}

#endif

/* The counter's version; 0 without a counter. */
static inline uint64_t tlslab_counter_version(void) {
  return tlslab_counter_request(0, TLSLAB_COUNTER_WHO_AM_I, 0, 0);
}

/* Whether valgrind runs the program, with whatever tool. */
static inline int tlslab_counter_on_valgrind(void) {
  return tlslab_counter_request(0, TLSLAB_COUNTER_RUNNING_ON_VALGRIND, 0, 0) != 0;
}

/* Reads a bucket. Returns 0, or an error number: ENOSYS without the counter. */
static inline int tlslab_counter_read(uint64_t bucket, tlslab_counts *counts) {
  return (int)tlslab_counter_request(38, TLSLAB_COUNTER_READ, bucket, (uint64_t)(uintptr_t)counts);
}

/* Empties all buckets, the counts of functions and calls among them. Calls that are under way stay so. */
static inline int tlslab_counter_zero(void) { return (int)tlslab_counter_request(38, TLSLAB_COUNTER_ZERO, 0, 0); }

/* Restarts the RNG from this seed, and the deterministic clocks from their beginning. */
static inline int tlslab_counter_seed(uint64_t seed) {
  return (int)tlslab_counter_request(38, TLSLAB_COUNTER_SEED, seed, 0);
}

/* Writes a bucket's functions to a file in the format of callgrind. Returns 0, or an error number: EINVAL where functions
 * are not counted or there is no such bucket. */
static inline int tlslab_counter_dump(uint64_t bucket, const char *path) {
  return (int)tlslab_counter_request(38, TLSLAB_COUNTER_DUMP, bucket, (uint64_t)(uintptr_t)path);
}

/* Writes the lines and locks that threads share to a file. Returns 0, or an error number: EINVAL where they are not noted, EFAULT
 * where they are and there is no path. */
static inline int tlslab_counter_dump_contention(const char *path) {
  return (int)tlslab_counter_request(38, TLSLAB_COUNTER_DUMP_CONTENTION, (uint64_t)(uintptr_t)path, 0);
}

#endif
