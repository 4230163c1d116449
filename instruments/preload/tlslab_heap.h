/* The preloaded library's interface to a driver that is weighed. The driver finds the functions by name at run time, so
 * that nothing of this is linked into any driver. */
#ifndef TLSLAB_HEAP_H
#define TLSLAB_HEAP_H

#include <stdint.h>

/* The version of the structure and the functions below. */
#define TLSLAB_HEAP_ABI 2

/* All totals are since the process began. A reallocation is an allocation of the new size and a release of the old. */
typedef struct tlslab_heap {
  uint64_t allocated_blocks;
  uint64_t allocated_bytes; /* as asked for */
  uint64_t freed_blocks;
  uint64_t freed_bytes;          /* what had been asked for */
  uint64_t allocated_room_bytes; /* what the allocator set aside for them, its own header among it */
  uint64_t freed_room_bytes;
  uint64_t peak_bytes;     /* the most that was live at once since the last mark, as asked for */
  uint64_t peak_blocks;    /* blocks that were live when it was reached */
  uint64_t unknown_blocks; /* released or measured blocks that were never seen being allocated */
} tlslab_heap;

#ifdef __cplusplus
extern "C" {
#endif

/* The version that this library has. */
uint32_t tlslab_heap_abi(void);

/* Writes the totals, and begins a new peak at what is live now. */
void tlslab_heap_mark(tlslab_heap *heap);

#ifdef __cplusplus
}
#endif

#endif
