/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "holds.h"

/* Addresses fall into so many classes. */
#define CLASSES 4096

static XArray **holds;            /* of `Lock *`, by thread */
static UInt threads;              /* those that may have some */
static UShort in_class[CLASSES];  /* how many are held of each class of addresses */

static UShort *class_of(Addr address) { return &in_class[address % CLASSES]; }

static XArray *of_thread(ThreadId thread) {
  if (holds == NULL) holds = VG_(calloc)("tl.holds", VG_N_THREADS, sizeof *holds);
  if (holds[thread] == NULL) holds[thread] = VG_(newXA)(VG_(malloc), "tl.hold", VG_(free), sizeof(Lock *));
  if (thread >= threads) threads = thread + 1;
  return holds[thread];
}

static Lock *get(XArray *of, Word at) { return *(Lock **)VG_(indexXA)(of, at); }

static void drop(XArray *from, Word at) {
  *class_of(get(from, at)->address) -= 1;
  VG_(removeIndexXA)(from, at);
}

void tl_holds_begin(ThreadId thread) {
  if (holds == NULL || holds[thread] == NULL) return;
  while (VG_(sizeXA)(holds[thread]) > 0) drop(holds[thread], 0);
}

void tl_holds_add(Lock *lock) {
  VG_(addToXA)(of_thread(tl_thread), &lock);
  *class_of(lock->address) += 1;
}

Word tl_holds_of_thread(void) {
  return holds == NULL || holds[tl_thread] == NULL ? 0 : VG_(sizeXA)(holds[tl_thread]);
}

Lock *tl_hold(Word at) { return get(holds[tl_thread], at); }

/* The index of the lock at an address among those that a thread holds, or -1. */
static Word found(ThreadId thread, Addr address) {
  if (holds == NULL || holds[thread] == NULL) return -1;
  Word at = VG_(sizeXA)(holds[thread]) - 1;
  while (at >= 0 && get(holds[thread], at)->address != address) at--;
  return at;
}

Bool tl_holds_here(Addr address) { return tl_may_be_held(address) && found(tl_thread, address) >= 0; }

Bool tl_may_be_held(Addr address) { return *class_of(address) > 0; }

Lock *tl_holds_drop(Addr address) {
  Word at = found(tl_thread, address);
  if (at >= 0) {
    Lock *lock = tl_hold(at);
    drop(holds[tl_thread], at);
    return lock;
  }
  for (ThreadId thread = 0; thread < threads; thread++) {
    at = found(thread, address);
    if (at >= 0) drop(holds[thread], at);
  }
  return NULL;
}

void tl_holds_drop_block(const HeapBlock *block) {
  for (ThreadId thread = 0; thread < threads; thread++) {
    for (Word at = holds[thread] == NULL ? 0 : VG_(sizeXA)(holds[thread]); at-- > 0;) {
      if (get(holds[thread], at)->block == block) drop(holds[thread], at);
    }
  }
}
