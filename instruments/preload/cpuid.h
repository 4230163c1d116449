/* The words of CPUID that features are told in, in the order in which masks and answers have them. */
#ifndef TLSLAB_CPUID_H
#define TLSLAB_CPUID_H

#include <stdint.h>

enum { EAX, EBX, ECX, EDX };

static const struct {
  uint32_t leaf, part;
  int word;
} cpuid_words[] = {
    {1, 0, ECX}, {1, 0, EDX}, {7, 0, EBX}, {7, 0, ECX}, {7, 0, EDX}, {7, 1, EAX}, {0x80000001, 0, ECX}, {0x80000001, 0, EDX},
    {7, 1, EDX},
};

#define CPUID_WORDS (sizeof cpuid_words / sizeof *cpuid_words)

static inline void cpuid(uint32_t leaf, uint32_t part, uint32_t words[4]) {
  __asm__ volatile("cpuid" : "=a"(words[EAX]), "=b"(words[EBX]), "=c"(words[ECX]), "=d"(words[EDX]) : "a"(leaf), "c"(part));
}

#endif
