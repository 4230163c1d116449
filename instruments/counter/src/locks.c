/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "locks.h"

#include "holds.h"

/* The most locks held at once that get the instructions of one another. */
#define MOST_TOGETHER 32

/* Locks that were held alone together, and for how long: what is nested counts once. */
typedef struct Together {
  struct Together *next;
  UInt bucket, depth;
  Lock *locks[MOST_TOGETHER];
  ULong instructions;
} Together;

static VgHashTable *locks;
static Together *together;
static ULong mark;   /* the current bucket's instructions up to which locks have got theirs */

static Word differs(const void *one, const void *other) {
  const Lock *a = one, *b = other;
  return a->address != b->address || a->block != b->block;
}

static Lock *lock_of(Addr address) {
  if (locks == NULL) locks = VG_(HT_construct)("tl.locks");
  const HeapBlock *block = tl_heap_block(address);
  Lock wanted = {.key = address + (block == NULL ? 0 : block->number), .address = address, .block = block};
  Lock *lock = VG_(HT_gen_lookup)(locks, &wanted, differs);
  if (lock != NULL) return lock;
  lock = VG_(malloc)("tl.lock", sizeof *lock);
  *lock = wanted;
  lock->held = VG_(newXA)(VG_(malloc), "tl.held", VG_(free), sizeof(Held));
  VG_(HT_add_node)(locks, lock);
  return lock;
}

static Held *held_in(Lock *lock, UInt bucket) {
  for (Word at = 0; at < VG_(sizeXA)(lock->held); at++) {
    Held *held = VG_(indexXA)(lock->held, at);
    if (held->bucket == bucket) return held;
  }
  Held held = {.bucket = bucket};
  return VG_(indexXA)(lock->held, VG_(addToXA)(lock->held, &held));
}

static Bool is_same(const Together *known, const Together *wanted) {
  if (known->bucket != wanted->bucket || known->depth != wanted->depth) return False;
  for (UInt at = 0; at < known->depth; at++) {
    if (known->locks[at] != wanted->locks[at]) return False;
  }
  return True;
}

/* NULL where the running thread holds none. A word that was never released is not known to be a lock. */
static Together *those_held(void) {
  Together wanted = {.bucket = tl_bucket};
  for (Word at = 0; at < tl_holds_of_thread() && wanted.depth < MOST_TOGETHER; at++) {
    Lock *lock = tl_hold(at);
    if (lock->is_certain) wanted.locks[wanted.depth++] = lock;
  }
  if (wanted.depth == 0) return NULL;
  for (Together *known = together; known != NULL; known = known->next) {
    if (is_same(known, &wanted)) return known;
  }
  Together *made = VG_(malloc)("tl.together", sizeof *made);
  wanted.next = together;
  *made = wanted;
  return together = made;
}

void tl_locks_pause(void) {
  if (tl_thread == VG_INVALID_THREADID) return;
  ULong more = tl_now->instructions - mark;
  mark = tl_now->instructions;
  if (tl_bucket == 0 || more == 0 || tl_holds_of_thread() == 0) return;
  Together *held = those_held();
  if (held == NULL) return;
  held->instructions += more;
  for (UInt at = 0; at < held->depth; at++) held_in(held->locks[at], tl_bucket)->instructions += more;
}

void tl_locks_go_on(void) { mark = tl_now->instructions; }

void tl_lock_is_taken(Addr address, Bool alone, Bool is_certain, ExeContext *in) {
  if (alone && tl_holds_here(address)) return;
  tl_locks_pause();
  Lock *lock = lock_of(address);
  lock->is_certain = lock->is_certain || is_certain;
  if (alone) tl_holds_add(lock);
  if (tl_bucket == 0) return;
  lock->users |= 1ULL << tl_thread % 64;
  Held *held = held_in(lock, tl_bucket);
  if (lock->taken_in == NULL || (alone && held->alone == 0)) lock->taken_in = in;
  *(alone ? &held->alone : &held->together) += 1;
}

void tl_lock_is_released(Addr address) {
  if (!tl_may_be_held(address)) return;
  tl_locks_pause();
  Lock *lock = tl_holds_drop(address);
  if (lock != NULL) lock->is_certain = True;
}

static ULong instructions(const Lock *lock) {
  ULong sum = 0;
  for (Word at = 0; at < VG_(sizeXA)(lock->held); at++) sum += ((Held *)VG_(indexXA)(lock->held, at))->instructions;
  return sum;
}

static Bool is_shared(const Lock *lock) {
  ULong alone = 0;
  for (Word at = 0; at < VG_(sizeXA)(lock->held); at++) alone += ((Held *)VG_(indexXA)(lock->held, at))->alone;
  return lock->is_certain && (lock->users & (lock->users - 1)) != 0 && alone != 0;
}

static Int by_instructions(const void *one, const void *other) {
  const Lock *a = *(Lock *const *)one, *b = *(Lock *const *)other;
  ULong of_a = instructions(a), of_b = instructions(b);
  if (of_a != of_b) return of_a < of_b ? 1 : -1;
  return a->address < b->address ? -1 : a->address > b->address;
}

XArray *tl_locks_shared(void) {
  XArray *found = VG_(newXA)(VG_(malloc), "tl.shared", VG_(free), sizeof(Lock *));
  if (locks == NULL) return found;
  VG_(HT_ResetIter)(locks);
  for (Lock *lock = VG_(HT_Next)(locks); lock != NULL; lock = VG_(HT_Next)(locks)) {
    if (is_shared(lock)) VG_(addToXA)(found, &lock);
  }
  VG_(setCmpFnXA)(found, by_instructions);
  VG_(sortXA)(found);
  return found;
}

ULong tl_locks_serial(UInt bucket) {
  ULong sum = 0;
  for (const Together *held = together; held != NULL; held = held->next) {
    Bool counts = False;
    for (UInt at = 0; at < held->depth; at++) counts = counts || is_shared(held->locks[at]);
    if (held->bucket == bucket && counts) sum += held->instructions;
  }
  return sum;
}

/* Locks stay known, as threads may hold them. */
void tl_locks_zero(void) {
  for (Together *held = together; held != NULL; held = held->next) held->instructions = 0;
  if (locks == NULL) return;
  VG_(HT_ResetIter)(locks);
  for (Lock *lock = VG_(HT_Next)(locks); lock != NULL; lock = VG_(HT_Next)(locks)) {
    lock->users = 0;
    lock->taken_in = NULL;
    VG_(dropTailXA)(lock->held, VG_(sizeXA)(lock->held));
  }
}
