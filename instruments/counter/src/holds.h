/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The locks that each thread holds alone: possible lock words, from acquisition until release or free. */
#ifndef TL_HOLDS_H
#define TL_HOLDS_H

#include "locks.h"

/* A new thread holds none. */
void tl_holds_begin(ThreadId thread);

/* The running thread holds one more. */
void tl_holds_add(Lock *lock);

/* How many the running thread holds, and each of them, the one that it took first at 0. */
Word tl_holds_of_thread(void);
Lock *tl_hold(Word at);

/* Whether the running thread holds what lies at an address. */
Bool tl_holds_here(Addr address);

/* Whether any thread may: fast, and seldom wrong. */
Bool tl_may_be_held(Addr address);

/* Nobody holds what lies at an address any longer. NULL where the running thread did not: another thread's word that this one
 * sets to 0 says something to it, and is no lock. */
Lock *tl_holds_drop(Addr address);

/* Nobody holds what lies in a block. */
void tl_holds_drop_block(const HeapBlock *block);

#endif
