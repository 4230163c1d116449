/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions by callers, and their callers: a tree, with each function's own cost there. */
#ifndef TL_CONTEXTS_H
#define TL_CONTEXTS_H

#include "buckets.h"

typedef struct Spent Spent;

typedef struct Context {
  struct Context *next; /* as VG_(HT_...) wants it */
  UWord key;
  const struct Context *caller; /* NULL for a thread's first function */
  Addr function;                /* its first instruction; 0 where no call has led */
  DiEpoch epoch;
  Spent *spent; /* the bucket that was written last comes first */
} Context;

/* The function as that caller's. */
Context *tl_context(const Context *caller, Addr function);

/* Adds to the current bucket. */
void tl_context_add(Context *context, ULong instructions);

void tl_contexts_zero(void);

/* Calls back, in the order of their first calls, for each context with something in a bucket. */
void tl_contexts_each(UInt bucket, void (*with)(void *state, const Context *context, ULong instructions), void *state);

#endif
