/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contention of threads: lines of the cache that they share and write, and locks that one of them holds alone. */
#ifndef TL_CONTENTION_H
#define TL_CONTENTION_H

#include "valgrind.h"

/* Adds to translated code what notes accesses, before and after each statement of a block, where an instruction begins and where the
 * block ends. Counters must be up to date before a statement where the first one says so. */
Bool tl_contention_needs_counts(const IRStmt *statement);
void tl_contention_begins(IRSB *block, Addr address);
void tl_contention_before(IRSB *block, const IRStmt *statement, Addr instruction, Bool is_atomic);
void tl_contention_after(IRSB *block, IRStmt *const *statements, Int at);
void tl_contention_at_end(IRSB *block);

/* Whether the instruction that begins at a statement is one access that reads and writes at once. */
Bool tl_is_atomic(const IRSB *block, Int at);

/* A new thread; and around a switch of buckets or threads. */
void tl_contention_starts(ThreadId thread);
void tl_contention_pause(void);
void tl_contention_go_on(void);

void tl_contention_zero(void);

/* Writes all of it to a file. Returns 0 or an error number. */
Int tl_contention_dump(const HChar *path);

#endif
