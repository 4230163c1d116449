/* The sizes of live blocks: a table from addresses to sizes in separate memory, so that the allocator
 * below sees exactly the requests that it would see without us. The caller holds the lock. */
#ifndef TLSLAB_TABLE_H
#define TLSLAB_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct entry {
  uintptr_t address; /* 0 for an empty place */
  size_t bytes;      /* as asked for */
} entry;

/* Takes a block in. The process ends where the system has no memory for the table. */
void table_put(uintptr_t address, size_t bytes);

/* Takes a block out. False where it is not there. */
bool table_take(uintptr_t address, size_t *bytes);

#endif
