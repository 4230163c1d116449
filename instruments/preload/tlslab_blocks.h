/* The counters of Frida's agent, and a driver's requests to it: a process that runs under the agent has this library.
 *
 * The agent rewrites the code that the first thread runs, a block at a time. It gives each block a number, says in `known`
 * where it came from and how many instructions it has, and lets it add 1 to `current[number]` whenever it runs. The program begins when the agent is there. */
#ifndef TLSLAB_BLOCKS_H
#define TLSLAB_BLOCKS_H

#include <stdint.h>

#define TLSLAB_BLOCKS_ABI 1
#define TLSLAB_BUCKETS 64
#define TLSLAB_MOST_BLOCKS (UINT64_C(1) << 18)

typedef struct tlslab_block {
  uint64_t address;      /* where the program has it */
  uint32_t instructions; /* one with a `rep` or `lock` before it is one */
  uint32_t padding;
} tlslab_block;

typedef struct tlslab_blocks {
  /* How often each block has run in the current bucket. */
  uint64_t *volatile current;
  tlslab_block *known;
  /* Blocks that have a number; 0 is what there was no more room for. */
  volatile uint64_t blocks;
  /* Whether an agent is there. */
  volatile uint64_t followed;
} tlslab_blocks;

/* Its address. */
tlslab_blocks *tlslab_blocks_place(void);

uint32_t tlslab_blocks_abi(void);

/* From here on, blocks are booked to this bucket. The caller's block and this function's are booked to the one before. */
void tlslab_blocks_switch(uint64_t bucket);

/* Empties all buckets. */
void tlslab_blocks_zero(void);

/* Instructions in a bucket; all ones where there were more blocks than there is room for. */
uint64_t tlslab_blocks_read(uint64_t bucket);

/* Restarts the RNG and the deterministic clocks. */
void tlslab_blocks_seed(uint64_t seed);

/* The next word of forged chance, for instructions that ask the processor for one. */
uint64_t tlslab_blocks_word(void);

/* The next time stamp of the forged processor. */
uint64_t tlslab_blocks_stamp(void);

/* Block `number` in a bucket: how often it ran. */
uint64_t tlslab_blocks_runs(uint64_t bucket, uint64_t number);

#endif
