/* Random numbers and clocks from a seed, for other files of the library. */
#ifndef TLSLAB_FORGE_H
#define TLSLAB_FORGE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the calling thread's random numbers and clocks are deterministic. When code is counted, an agent has threads in the
 * process, which need the true ones. */
bool forge_has(void);

/* Restarts both. */
void forge_seed(uint64_t seed);

/* The next word of the sequence that everything random comes from. */
uint64_t forge_word(void);

/* The next time stamp. Its steps vary as true ones do: collectors of jitter refuse a clock that is too regular. */
uint64_t forge_stamp(void);

/* Whether the calling thread reads the processor's own time stamp for now. Nothing where that is never forged. */
void forge_true_stamps(bool are_true);

#endif
