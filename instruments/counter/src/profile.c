/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile.h"

#include "calls.h"
#include "options.h"
#include "runs.h"

typedef struct Node {
  struct Node *next;
  UWord key;
  Cost cost;
} Node;

static Word is_other(const void *one, const void *other) {
  const Cost *a = &((const Node *)one)->cost, *b = &((const Node *)other)->cost;
  return a->function != b->function || a->address != b->address || a->file != b->file || a->line != b->line ||
         a->callee != b->callee || a->callee_address != b->callee_address;
}

/* The callee, if any. */
typedef struct {
  const Function *function;
  Addr address;
  UInt line;
} Callee;

static Cost *cost_at(VgHashTable *table, const Place *place, UInt depth, Callee callee) {
  const Level *level = &place->levels[depth];
  Node wanted = {.cost = {
                     .function = level->function,
                     .address = place->linked,
                     .file = level->file,
                     .line = level->line,
                     .callee = callee.function,
                     .callee_address = callee.address,
                     .callee_line = callee.line,
                 }};
  wanted.key = ((UWord)level->function * 31 + place->linked) * 31 + (UWord)callee.function * 7 + callee.address;
  Node *node = VG_(HT_gen_lookup)(table, &wanted, is_other);
  if (node == NULL) {
    node = VG_(malloc)("tl.node", sizeof *node);
    *node = wanted;
    VG_(HT_add_node)(table, node);
  }
  return &node->cost;
}

/* A function that was inlined is called by the one around it, so that the latter's cost has the former's in it. How often
 * nobody knows. */
static void add_inlining(VgHashTable *table, const Place *place, const Counts *cost) {
  if (tl_options.functions != FUNCTIONS_CALLERS) return;
  for (UInt at = 1; at < place->depth; at++) {
    Callee callee = {place->levels[at - 1].function, place->linked, 0};
    add_counts(&cost_at(table, place, at, callee)->cost, cost);
  }
}

static void add_run(void *table, const Run *run, ULong times) {
  for (UInt at = 0; at < run->length; at++) {
    const Step *step = &run->steps[at];
    const Place *place = tl_place(run->epoch, step->address);
    Counts cost = {times * step->instructions, times * step->loads, times * step->stores, 0};
    add_counts(&cost_at(table, place, 0, (Callee){0})->cost, &cost);
    add_inlining(table, place, &cost);
  }
}

static void add_arc(void *table, const Arc *arc, const CallCost *spent) {
  const Place *place = tl_place(arc->epoch, arc->site);
  const Place *target = tl_place(arc->epoch, arc->callee);
  const Level *outermost = &target->levels[target->depth - 1];
  Callee callee = {outermost->function, target->linked, outermost->line};
  Cost *cost = cost_at(table, place, 0, callee);
  cost->calls += spent->calls;
  add_counts(&cost->cost, &spent->inclusive);
  add_inlining(table, place, &spent->inclusive);
}

static Int by_function(const Function *a, const Function *b) {
  Int order = VG_(strcmp)(a->object, b->object);
  if (order == 0) order = VG_(strcmp)(a->file, b->file);
  return order == 0 ? VG_(strcmp)(a->name, b->name) : order;
}

/* By name, so that equal profiles are equal files. */
static Int in_order(const void *one, const void *other) {
  const Cost *a = one, *b = other;
  Int order = by_function(a->function, b->function);
  if (order == 0) order = VG_(strcmp)(a->file, b->file);
  if (order == 0) order = (a->line > b->line) - (a->line < b->line);
  if (order == 0) order = (a->address > b->address) - (a->address < b->address);
  if (order == 0) order = (a->callee != NULL) - (b->callee != NULL);
  if (order == 0 && a->callee != NULL) order = by_function(a->callee, b->callee);
  return order == 0 ? (a->callee_address > b->callee_address) - (a->callee_address < b->callee_address) : order;
}

XArray *tl_profile(UInt bucket) {
  VgHashTable *table = VG_(HT_construct)("tl.profile");
  tl_runs_each(bucket, add_run, table);
  tl_calls_pause();
  tl_calls_each(bucket, add_arc, table);
  XArray *all = VG_(newXA)(VG_(malloc), "tl.profile", VG_(free), sizeof(Cost));
  VG_(HT_ResetIter)(table);
  for (Node *node = VG_(HT_Next)(table); node != NULL; node = VG_(HT_Next)(table)) {
    if (node->cost.calls != 0 || !is_empty(&node->cost.cost)) VG_(addToXA)(all, &node->cost);
  }
  VG_(HT_destruct)(table, VG_(free));
  VG_(setCmpFnXA)(all, in_order);
  VG_(sortXA)(all);
  return all;
}
