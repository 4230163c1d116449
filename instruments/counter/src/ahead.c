/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ahead.h"

#include "pages.h"

/* Valgrind's own, which its headers for tools leave out. */
extern Bool VG_(translate)(ThreadId thread, Addr block, Bool debugging, Int verbosity, ULong blocks_done, Bool redirect);

/* Translations by copies, in pages that they share with their original. */
typedef struct {
  UWord count; /* may pass the room there is */
  Addr blocks[(1 << 18) - 1];
} Shared;

static Shared *shared;
/* How many of them this process has looked at. */
static UWord looked_at;
/* Translations by this process, or by its original: nodes of valgrind's tables begin like this. */
typedef struct node {
  struct node *next;
  UWord block;
} Node;
static VgHashTable *known;
static Bool is_copy;

/* Pages stay private to each process unless the kernel is asked by hand. */
static Bool share(void *pages, SizeT bytes) {
  register UWord flags __asm__("r10") = 0x1 /* MAP_SHARED */ | 0x10 /* MAP_FIXED */ | 0x20 /* MAP_ANONYMOUS */;
  register Word descriptor __asm__("r8") = -1;
  register UWord offset __asm__("r9") = 0;
  UWord made;
  __asm__ volatile("syscall"
                   : "=a"(made)
                   : "a"(__NR_mmap), "D"(pages), "S"(bytes), "d"(0x3 /* PROT_READ | PROT_WRITE */), "r"(flags),
                     "r"(descriptor), "r"(offset)
                   : "rcx", "r11", "memory");
  return made == (UWord)pages;
}

static UWord shared_count(void) {
  UWord count = __atomic_load_n(&shared->count, __ATOMIC_ACQUIRE);
  UWord most = sizeof shared->blocks / sizeof shared->blocks[0];
  return count < most ? count : most;
}

/* Before a copy is made: what others have needed is translated here, if the code lies here, too. */
static void before_copy(ThreadId thread) {
  for (UWord count = shared_count(); looked_at < count; looked_at++) {
    Addr block = shared->blocks[looked_at];
    if (block == 0 || VG_(HT_lookup)(known, block) != NULL) continue;
    if (VG_(am_is_valid_for_client)(block, 1, VKI_PROT_EXEC)) VG_(translate)(thread, block, False, 0, 0, True);
  }
}

static void in_copy(ThreadId thread) {
  (void)thread;
  is_copy = True;
}

void tl_ahead_begin(void) {
  shared = tl_pages(sizeof *shared);
  if (!share(shared, sizeof *shared)) {
    shared = NULL;
    return;
  }
  known = VG_(HT_construct)("tl.ahead");
  VG_(atfork)(before_copy, NULL, in_copy);
}

void tl_ahead_seen(Addr block) {
  if (shared == NULL || VG_(HT_lookup)(known, block) != NULL) return;
  Node *node = VG_(malloc)("tl.ahead", sizeof *node);
  node->block = block;
  VG_(HT_add_node)(known, node);
  if (!is_copy) return;
  UWord at = __atomic_fetch_add(&shared->count, 1, __ATOMIC_ACQ_REL);
  if (at < sizeof shared->blocks / sizeof shared->blocks[0]) __atomic_store_n(&shared->blocks[at], block, __ATOMIC_RELEASE);
}
