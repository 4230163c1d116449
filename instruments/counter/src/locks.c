/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "locks.h"

/* The most that a thread holds at once and that is noted. */
#define MOST_HELD 16

typedef struct {
  Lock *lock;
  Bool alone;
} Hold;

typedef struct {
  Hold holds[MOST_HELD];
  UInt depth;
} Holds;

/* Locks that were held alone together, and for how long: what is nested counts once. */
typedef struct Together {
  struct Together *next;
  UInt bucket, depth;
  Lock *locks[MOST_HELD];
  ULong instructions;
} Together;

static VgHashTable *locks;
static Together *together;
static Holds *holds; /* by thread */
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

static Holds *mine(void) {
  if (holds == NULL) holds = VG_(calloc)("tl.holds", VG_N_THREADS, sizeof *holds);
  return &holds[tl_thread];
}

static Bool is_same(const Together *known, const Together *wanted) {
  if (known->bucket != wanted->bucket || known->depth != wanted->depth) return False;
  for (UInt at = 0; at < known->depth; at++) {
    if (known->locks[at] != wanted->locks[at]) return False;
  }
  return True;
}

static Together *those_held(const Holds *here) {
  Together wanted = {.bucket = tl_bucket};
  for (UInt at = 0; at < here->depth; at++) {
    if (here->holds[at].alone) wanted.locks[wanted.depth++] = here->holds[at].lock;
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
  if (holds == NULL || tl_thread == VG_INVALID_THREADID) return;
  ULong more = tl_now->instructions - mark;
  mark = tl_now->instructions;
  if (tl_bucket == 0 || more == 0 || mine()->depth == 0) return;
  Together *held = those_held(mine());
  if (held == NULL) return;
  held->instructions += more;
  for (UInt at = 0; at < held->depth; at++) held_in(held->locks[at], tl_bucket)->instructions += more;
}

void tl_locks_go_on(void) { mark = tl_now->instructions; }

void tl_locks_begin(ThreadId thread) {
  if (holds != NULL) holds[thread].depth = 0;
}

Bool tl_lock_is_held(Addr address) {
  const Holds *here = mine();
  for (UInt at = 0; at < here->depth; at++) {
    if (here->holds[at].lock->address == address) return True;
  }
  return False;
}

void tl_lock_is_taken(Addr address, Bool alone, ExeContext *in) {
  Holds *here = mine();
  tl_locks_pause();
  if (here->depth == MOST_HELD) return;
  Lock *lock = lock_of(address);
  here->holds[here->depth++] = (Hold){lock, alone};
  if (tl_bucket == 0) return;
  lock->users |= 1ULL << tl_thread % 64;
  Held *held = held_in(lock, tl_bucket);
  if (lock->taken_in == NULL || (alone && held->alone == 0)) lock->taken_in = in;
  *(alone ? &held->alone : &held->together) += 1;
}

void tl_lock_is_released(Addr address) {
  Holds *here = mine();
  UInt at = here->depth;
  while (at > 0 && here->holds[at - 1].lock->address != address) at--;
  if (at == 0) return;
  tl_locks_pause();
  for (; at < here->depth; at++) here->holds[at - 1] = here->holds[at];
  here->depth--;
}

static ULong instructions(const Lock *lock) {
  ULong sum = 0;
  for (Word at = 0; at < VG_(sizeXA)(lock->held); at++) sum += ((Held *)VG_(indexXA)(lock->held, at))->instructions;
  return sum;
}

static Bool is_shared(const Lock *lock) {
  ULong alone = 0;
  for (Word at = 0; at < VG_(sizeXA)(lock->held); at++) alone += ((Held *)VG_(indexXA)(lock->held, at))->alone;
  return (lock->users & (lock->users - 1)) != 0 && alone != 0;
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
