/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks: how often a thread held one alone or together with others, and how many instructions it executed meanwhile. */
#ifndef TL_LOCKS_H
#define TL_LOCKS_H

#include "buckets.h"
#include "heap_blocks.h"

/* The uses of a lock in one bucket. */
typedef struct {
  UInt bucket;
  ULong alone, together; /* times taken */
  ULong instructions;    /* while it was held alone */
} Held;

typedef struct Lock {
  struct Lock *next; /* as VG_(HT_...) wants it */
  UWord key;
  Addr address;
  const HeapBlock *block; /* NULL outside the heap */
  Bool is_certain;        /* a function took it, or a thread took and released it */
  ULong users;            /* a bit for each thread */
  ExeContext *taken_in;   /* where it was first taken alone, else together */
  XArray *held;           /* of Held */
} Lock;

/* The running thread has taken a lock: certainly, by a function that was called so, or by what happened to a word. */
void tl_lock_is_taken(Addr address, Bool alone, Bool is_certain, ExeContext *in);

/* It has released it. A lock that another thread has taken alone is no longer held by that one. */
void tl_lock_is_released(Addr address);

/* Books to the current bucket what was executed since; and goes on, maybe in another bucket or thread. */
void tl_locks_pause(void);
void tl_locks_go_on(void);

/* All locks that at least two threads took, and at least one of them alone; those held longest first. The caller deletes the
 * array of `Lock *`. */
XArray *tl_locks_shared(void);

/* The instructions executed in a bucket while at least one of those locks was held alone. */
ULong tl_locks_serial(UInt bucket);

void tl_locks_zero(void);

#endif
