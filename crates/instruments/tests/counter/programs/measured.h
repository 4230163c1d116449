/* Measures functions against an empty one, so that nothing of the compiler's is in what is reported. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "tlslab_counter.h"

typedef void function(void);

/* In assembly, with nothing but a return. */
function nothing;
__asm__(".text\nnothing: ret\n");

static tlslab_counts empty;

__attribute__((noinline)) static tlslab_counts measured(function *f) {
  tlslab_counts before = {0}, after = {0};
  tlslab_counter_read(1, &before);
  uint64_t outside = tlslab_counter_switch(1);
  f();
  tlslab_counter_switch(outside);
  tlslab_counter_read(1, &after);
  after.instructions -= before.instructions + empty.instructions;
  after.loads -= before.loads + empty.loads;
  after.stores -= before.stores + empty.stores;
  return after;
}

/* Instructions, loads and stores without the return and its load. */
static void tell(const char *name, function *f) {
  tlslab_counts counts = measured(f);
  printf("%s %ld %ld %ld\n", name, (long)counts.instructions, (long)counts.loads, (long)counts.stores);
}

static void begin(void) {
  static char buffer[1 << 16];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  if (tlslab_counter_version() != TLSLAB_COUNTER_VERSION) {
    printf("no counter\n");
    exit(3);
  }
  empty = (tlslab_counts){0};
  empty = measured(nothing);
}
