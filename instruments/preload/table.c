#include "table.h"

#include <stdlib.h>
#include <sys/mman.h>

#define FIRST_PLACES ((size_t)1 << 16)

static entry *entries;
static size_t places; /* a power of two */
static size_t used;

static size_t home_of(uintptr_t address) {
  /* Blocks are aligned to 16 bytes, so the lowest bits say nothing. */
  return (size_t)((address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (places - 1);
}

static void insert(uintptr_t address, size_t bytes) {
  size_t at = home_of(address);
  while (entries[at].address != 0 && entries[at].address != address) at = (at + 1) & (places - 1);
  if (entries[at].address == 0) used++;
  entries[at] = (entry){address, bytes};
}

static void grow(void) {
  entry *old = entries;
  size_t old_places = places;
  places = old_places == 0 ? FIRST_PLACES : 2 * old_places;
  entries = mmap(NULL, places * sizeof(entry), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (entries == MAP_FAILED) abort();
  used = 0;
  for (size_t at = 0; at < old_places; at++) {
    if (old[at].address != 0) insert(old[at].address, old[at].bytes);
  }
  if (old != NULL) munmap(old, old_places * sizeof(entry));
}

void table_put(uintptr_t address, size_t bytes) {
  if (2 * used >= places) grow();
  insert(address, bytes);
}

bool table_take(uintptr_t address, size_t *bytes) {
  if (places == 0) return false;
  size_t at = home_of(address);
  while (entries[at].address != address) {
    if (entries[at].address == 0) return false;
    at = (at + 1) & (places - 1);
  }
  *bytes = entries[at].bytes;
  used--;
  /* Later entries move up, as far as their own positions allow, so that every search still ends at an empty place. */
  size_t hole = at;
  for (;;) {
    at = (at + 1) & (places - 1);
    if (entries[at].address == 0) break;
    size_t home = home_of(entries[at].address);
    if (((at - home) & (places - 1)) >= ((at - hole) & (places - 1))) {
      entries[hole] = entries[at];
      hole = at;
    }
  }
  entries[hole].address = 0;
  return true;
}
