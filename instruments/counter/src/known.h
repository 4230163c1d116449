/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the C library that are known by their names: what allocates, and what takes and releases locks. */
#ifndef TL_KNOWN_H
#define TL_KNOWN_H

#include "valgrind.h"

/* Adds to translated code what follows such functions: where an instruction begins one, and where a block ends with a return. */
void tl_known_at_entry(IRSB *block, Addr address);
void tl_known_at_return(IRSB *block);

/* Whether the running thread is within the allocator, or within a function that takes or releases a lock. */
Bool tl_is_in_allocator(void);
Bool tl_is_in_lock(void);

/* A new thread is in none. */
void tl_known_begin(ThreadId thread);

#endif
