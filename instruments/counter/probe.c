/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run twice after the counter is built: its output must be the same each time, with the right version. Without a
 * library, so that it works wherever the counter does. */
#include "include/tlslab_counter.h"

#define CALL_WRITE 1
#define CALL_EXIT_GROUP 231
#define CALL_CLOCK_GETTIME 228
#define CALL_GETRANDOM 318

static long call(long number, long first, const void *second, long third) {
  long result = number;
  __asm__ volatile("syscall" : "+a"(result) : "D"(first), "S"(second), "d"(third) : "rcx", "r11", "memory");
  return result;
}

static void say(const char *name, uint64_t value) {
  char line[64];
  size_t length = 0;
  while (*name != 0) line[length++] = *name++;
  line[length++] = ' ';
  for (int shift = 60; shift >= 0; shift -= 4) line[length++] = "0123456789abcdef"[value >> shift & 15];
  line[length++] = '\n';
  call(CALL_WRITE, 1, line, (long)length);
}

static void features(uint32_t leaf, uint32_t *b, uint32_t *c) {
  uint32_t a = leaf, d;
  *c = 0;
  __asm__ volatile("cpuid" : "+a"(a), "=b"(*b), "+c"(*c), "=d"(d));
}

__attribute__((used)) static void probe(void) {
  uint64_t word = 0, high, low;
  tlslab_counts counts = {0};
  uint32_t b, c, extended_b;
  say("version", tlslab_counter_version());
  call(CALL_GETRANDOM, (long)&word, (const void *)sizeof word, 0);
  say("getrandom", word);
  uint64_t time[2] = {0};
  call(CALL_CLOCK_GETTIME, 1, time, 0);
  say("clock", time[1]);
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  say("rdtsc", high << 32 | low);
  __asm__ volatile("rdtscp" : "=a"(low), "=d"(high) : : "rcx");
  say("rdtscp", high << 32 | low);
  features(1, &b, &c);
  features(7, &extended_b, &b);
  if (c >> 30 & 1) {
    __asm__ volatile("rdrand %0" : "=r"(word) : : "cc");
    say("rdrand", word);
  }
  if (extended_b >> 18 & 1) {
    __asm__ volatile("rdseed %0" : "=r"(word) : : "cc");
    say("rdseed", word);
  }
  tlslab_counter_switch(1);
  __asm__ volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop");
  tlslab_counter_switch(0);
  tlslab_counter_read(1, &counts);
  /* Five, and the switch's own three; the bucket may take one more to come into a register. */
  say("counted", counts.instructions >= 8 && counts.instructions <= 9);
  call(CALL_EXIT_GROUP, 0, 0, 0);
}

__asm__(".globl _start\n_start:\n\txorl %ebp, %ebp\n\tandq $-16, %rsp\n\tcall probe\n");
