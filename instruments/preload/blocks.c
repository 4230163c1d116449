/* The figures of a block counter. Its agent is injected, and finds them by name. */
#include "tlslab_blocks.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "forge.h"

/* The starter of the process waits here until it is ready. */
#define GATE 3

static tlslab_blocks shared;

static uint64_t *counts;

/* Most of it is never touched, and so takes no memory. */
static void *room(size_t bytes) {
  void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room == MAP_FAILED ? NULL : room;
}

/* Waits for the agent. */
static void wait_at_gate(void) {
  char word = 'r';
  ssize_t done;
  do done = write(GATE, &word, 1);
  while (done < 0 && errno == EINTR);
  if (done != 1) return;
  do done = read(GATE, &word, 1);
  while (done < 0 && errno == EINTR);
  close(GATE);
}

/* Before the program's own code, and so before it draws on chance. */
__attribute__((constructor)) static void begin(void) {
  counts = room(TLSLAB_BUCKETS * TLSLAB_MOST_BLOCKS * sizeof *counts);
  shared.known = room(TLSLAB_MOST_BLOCKS * sizeof *shared.known);
  shared.current = counts;
  shared.blocks = 1;
  if (counts != NULL && shared.known != NULL) wait_at_gate();
}

tlslab_blocks *tlslab_blocks_place(void) { return &shared; }

uint32_t tlslab_blocks_abi(void) { return TLSLAB_BLOCKS_ABI; }

void tlslab_blocks_switch(uint64_t bucket) {
  shared.current = counts + (bucket % TLSLAB_BUCKETS) * TLSLAB_MOST_BLOCKS;
}

void tlslab_blocks_zero(void) {
  for (uint64_t bucket = 0; bucket < TLSLAB_BUCKETS; bucket++) {
    memset(counts + bucket * TLSLAB_MOST_BLOCKS, 0, shared.blocks * sizeof *counts);
  }
}

uint64_t tlslab_blocks_runs(uint64_t bucket, uint64_t number) {
  return counts[bucket % TLSLAB_BUCKETS * TLSLAB_MOST_BLOCKS + number % TLSLAB_MOST_BLOCKS];
}

uint64_t tlslab_blocks_read(uint64_t bucket) {
  uint64_t sum = 0;
  if (shared.blocks >= TLSLAB_MOST_BLOCKS) return UINT64_MAX;
  for (uint64_t number = 1; number < shared.blocks; number++) {
    sum += tlslab_blocks_runs(bucket, number) * shared.known[number].instructions;
  }
  return sum;
}

void tlslab_blocks_seed(uint64_t seed) { forge_seed(seed); }

uint64_t tlslab_blocks_word(void) { return forge_word(); }

uint64_t tlslab_blocks_stamp(void) { return forge_stamp(); }
