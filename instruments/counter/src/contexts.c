/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "contexts.h"

struct Spent {
  Spent *next;
  UInt bucket;
  ULong instructions;
};

static VgHashTable *table;
static XArray *all; /* of Context*, in the order in which they came up */

static Word differs(const void *one, const void *other) {
  const Context *a = one, *b = other;
  return a->caller != b->caller || a->function != b->function;
}

Context *tl_context(const Context *caller, Addr function) {
  if (table == NULL) {
    table = VG_(HT_construct)("tl.contexts");
    all = VG_(newXA)(VG_(malloc), "tl.contexts", VG_(free), sizeof(Context *));
  }
  Context wanted = {.key = (UWord)caller * 31 + function, .caller = caller, .function = function};
  Context *context = VG_(HT_gen_lookup)(table, &wanted, differs);
  if (context == NULL) {
    context = VG_(malloc)("tl.context", sizeof *context);
    *context = wanted;
    context->epoch = VG_(current_DiEpoch)();
    VG_(HT_add_node)(table, context);
    VG_(addToXA)(all, &context);
  }
  return context;
}

static Spent *in_bucket(const Context *context, UInt bucket) {
  Spent *spent = context->spent;
  while (spent != NULL && spent->bucket != bucket) spent = spent->next;
  return spent;
}

void tl_context_add(Context *context, ULong instructions) {
  if (instructions == 0) return;
  Spent *spent = in_bucket(context, tl_bucket);
  if (spent == NULL) {
    spent = VG_(malloc)("tl.spent", sizeof *spent);
    *spent = (Spent){.next = context->spent, .bucket = tl_bucket};
    context->spent = spent;
  }
  spent->instructions += instructions;
}

static UWord count(void) { return all == NULL ? 0 : VG_(sizeXA)(all); }

static Context *numbered(UWord at) { return *(Context **)VG_(indexXA)(all, at); }

void tl_contexts_each(UInt bucket, void (*with)(void *state, const Context *context, ULong instructions), void *state) {
  for (UWord at = 0; at < count(); at++) {
    const Spent *spent = in_bucket(numbered(at), bucket);
    if (spent != NULL && spent->instructions != 0) with(state, numbered(at), spent->instructions);
  }
}

void tl_contexts_zero(void) {
  for (UWord at = 0; at < count(); at++) {
    for (Spent *spent = numbered(at)->spent; spent != NULL; spent = spent->next) spent->instructions = 0;
  }
}
