/* Counts what a process asks of its allocator, and changes nothing of what the allocator does. */
#define _GNU_SOURCE
#include "tlslab_heap.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "table.h"

/* The allocator that would serve the process without us. */
static struct {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void (*free)(void *);
  int (*posix_memalign)(void **, size_t, size_t);
  void *(*aligned_alloc)(size_t, size_t);
  void *(*memalign)(size_t, size_t);
  size_t (*usable)(void *);
  size_t header_bytes;
} real;

/* glibc's own, by its other name; absent elsewhere. */
extern void *__libc_malloc(size_t) __attribute__((weak));

static atomic_flag lock = ATOMIC_FLAG_INIT;
static tlslab_heap totals;

/* While the real functions are looked up, the loader itself may allocate. Such blocks are never given back. */
static _Alignas(16) char early[4096];
static size_t early_used;
static __thread bool looking_up;

static void acquire(void) {
  while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
  }
}

static void release(void) { atomic_flag_clear_explicit(&lock, memory_order_release); }

static bool is_early(const void *block) {
  return (const char *)block >= early && (const char *)block < early + sizeof early;
}

static void *early_block(size_t bytes) {
  size_t room = (bytes + 15) & ~(size_t)15;
  if (room > sizeof early - early_used) abort();
  void *block = early + early_used;
  early_used += room;
  return block;
}

static void *next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    static const char text[] = "tlslab_heap: no allocator below this library\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(126);
    _exit(127);
  }
  return found;
}

static void look_up(void) {
  looking_up = true;
  real.calloc = next("calloc");
  real.realloc = next("realloc");
  real.free = next("free");
  real.posix_memalign = next("posix_memalign");
  real.aligned_alloc = next("aligned_alloc");
  real.memalign = next("memalign");
  real.usable = next("malloc_usable_size");
  void *(*found)(size_t) = next("malloc");
  /* glibc keeps a word before each block, of which malloc_usable_size says nothing. */
  real.header_bytes = found == __libc_malloc ? sizeof(size_t) : 0;
  real.malloc = found;
  looking_up = false;
}

/* Whether the real functions can be called; else the loader is asking from within the look-up. The first call comes
 * before the process has a second thread. */
static bool ready(void) {
  if (__builtin_expect(real.malloc != NULL, 1)) return true;
  if (looking_up) return false;
  look_up();
  return true;
}

static size_t room_of(void *block) { return real.usable(block) + real.header_bytes; }

/* Books a new block. */
static void *born(void *block, size_t bytes) {
  if (block == NULL) return NULL;
  size_t room = room_of(block);
  acquire();
  table_put((uintptr_t)block, bytes);
  totals.allocated_blocks++;
  totals.allocated_bytes += bytes;
  totals.allocated_room_bytes += room;
  uint64_t live = totals.allocated_bytes - totals.freed_bytes;
  if (live > totals.peak_bytes) {
    totals.peak_bytes = live;
    totals.peak_blocks = totals.allocated_blocks - totals.freed_blocks;
  }
  release();
  return block;
}

/* Books the end of a block that still exists. Returns what had been asked for. */
static bool dies(void *block, size_t *bytes, size_t *room) {
  *room = room_of(block);
  acquire();
  bool known = table_take((uintptr_t)block, bytes);
  if (known) {
    totals.freed_blocks++;
    totals.freed_bytes += *bytes;
    totals.freed_room_bytes += *room;
  } else {
    totals.unknown_blocks++;
  }
  release();
  return known;
}

/* Takes back what `dies` has booked. */
static void lives_on(void *block, size_t bytes, size_t room) {
  acquire();
  table_put((uintptr_t)block, bytes);
  totals.freed_blocks--;
  totals.freed_bytes -= bytes;
  totals.freed_room_bytes -= room;
  release();
}

void *malloc(size_t bytes) {
  if (!ready()) return early_block(bytes);
  return born(real.malloc(bytes), bytes);
}

void *calloc(size_t count, size_t each) {
  if (!ready()) return early_block(count * each);
  /* If the product overflows, the real function fails. */
  return born(real.calloc(count, each), count * each);
}

void free(void *block) {
  if (block == NULL || is_early(block)) return;
  size_t bytes, room;
  if (!ready()) return;
  int kept = errno;
  dies(block, &bytes, &room);
  real.free(block);
  errno = kept;
}

void *realloc(void *block, size_t bytes) {
  if (block == NULL) return malloc(bytes);
  if (is_early(block)) {
    void *moved = malloc(bytes);
    size_t most = (size_t)(early + sizeof early - (char *)block);
    return moved == NULL ? NULL : memcpy(moved, block, bytes < most ? bytes : most);
  }
  if (!ready()) return NULL;
  /* Booked before it happens: once the old block is gone, another thread may be given its address. */
  size_t old_bytes, old_room;
  bool known = dies(block, &old_bytes, &old_room);
  void *moved = real.realloc(block, bytes);
  if (moved != NULL) return born(moved, bytes);
  /* A size of 0 is a release in glibc, and no failure. */
  if (bytes != 0 && known) lives_on(block, old_bytes, old_room);
  return NULL;
}

void *reallocarray(void *block, size_t count, size_t each) {
  size_t bytes;
  if (__builtin_mul_overflow(count, each, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(block, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes) {
  if (!ready()) return ENOMEM;
  void *made = NULL;
  int status = real.posix_memalign(&made, alignment, bytes);
  if (status == 0) *block = born(made, bytes);
  return status;
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  return ready() ? born(real.aligned_alloc(alignment, bytes), bytes) : NULL;
}

void *memalign(size_t alignment, size_t bytes) {
  return ready() ? born(real.memalign(alignment, bytes), bytes) : NULL;
}

void *valloc(size_t bytes) { return memalign((size_t)sysconf(_SC_PAGESIZE), bytes); }

void *pvalloc(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return memalign(page, (bytes + page - 1) / page * page);
}

uint32_t tlslab_heap_abi(void) { return TLSLAB_HEAP_ABI; }

void tlslab_heap_mark(tlslab_heap *heap) {
  acquire();
  *heap = totals;
  totals.peak_bytes = totals.allocated_bytes - totals.freed_bytes;
  totals.peak_blocks = totals.allocated_blocks - totals.freed_blocks;
  release();
}
