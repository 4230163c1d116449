/* A program that says which features the processor that it runs on shows: the words of CPUID in hex, without a space. */
#include "cpuid.h"

#include <stdio.h>

int main(void) {
  for (unsigned at = 0; at < CPUID_WORDS; at++) {
    uint32_t words[4];
    cpuid(cpuid_words[at].leaf, cpuid_words[at].part, words);
    printf("%08x", words[cpuid_words[at].word]);
  }
  puts("");
  return 0;
}
