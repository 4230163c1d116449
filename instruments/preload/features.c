/* A program that prints which features the processor that it runs on shows: the words of CPUID in hex, without a space.
 * With an argument it prints whether the kernel lets a program have its own CPUID instructions fault: `yes`, or why not. */
#define _GNU_SOURCE
#include "cpuid.h"
#include "faulting.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
  (void)arguments;
  if (count > 1) {
    puts(cpuid_faults(1) == 0 ? "yes" : strerror(errno));
    return 0;
  }
  for (unsigned at = 0; at < CPUID_WORDS; at++) {
    uint32_t words[4];
    cpuid(cpuid_words[at].leaf, cpuid_words[at].part, words);
    printf("%08x", words[cpuid_words[at].word]);
  }
  puts("");
  return 0;
}
