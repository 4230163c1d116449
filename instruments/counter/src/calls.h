/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callers, callees and the cost of calls: a stack of calls for each thread, in parallel to the program's own. */
#ifndef TL_CALLS_H
#define TL_CALLS_H

#include "buckets.h"

/* The cost of calls from one place to one function, in one bucket. */
typedef struct {
  ULong calls;
  Counts inclusive;
} CallCost;

/* A place that calls, and a function that it calls. */
typedef struct {
  Addr site;
  Addr callee; /* its first instruction */
  DiEpoch epoch;
  UInt active; /* how many such calls are under way; the outermost one's cost counts */
  CallCost *costs[BUCKETS];
} Arc;

/* Adds what keeps the stack to translated code: where a function's first instruction begins a block, and where a block ends
 * with a call or a return. */
void tl_calls_at_entry(IRSB *block, Addr address);
void tl_calls_at_end(IRSB *block, Addr last);

/* A new thread's stack is empty. */
void tl_calls_begin(ThreadId thread);

/* Books to the current bucket what the running thread's calls have cost so far; and lets them go on, maybe in another
 * bucket. Between the two, nothing runs. */
void tl_calls_pause(void);
void tl_calls_go_on(void);

void tl_calls_zero(void);

/* Calls back for each arc with something in a bucket. */
void tl_calls_each(UInt bucket, void (*with)(void *state, const Arc *arc, const CallCost *cost), void *state);

#endif
