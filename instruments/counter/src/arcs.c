/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arcs.h"

/* The table's node, as VG_(HT_...) wants it. */
typedef struct Node {
  struct Node *next;
  UWord key;
  Arc arc;
} Node;

static VgHashTable *table;

static Word differs(const void *one, const void *other) {
  const Arc *a = &((const Node *)one)->arc, *b = &((const Node *)other)->arc;
  return a->site != b->site || a->callee != b->callee;
}

Arc *tl_arc(Addr site, Addr callee) {
  if (table == NULL) table = VG_(HT_construct)("tl.arcs");
  Node wanted = {.key = site * 31 + callee, .arc = {.site = site, .callee = callee}};
  Node *node = VG_(HT_gen_lookup)(table, &wanted, differs);
  if (node == NULL) {
    node = VG_(calloc)("tl.arc", 1, sizeof *node);
    node->key = wanted.key;
    node->arc.site = site;
    node->arc.callee = callee;
    node->arc.epoch = VG_(current_DiEpoch)();
    VG_(HT_add_node)(table, node);
  }
  return &node->arc;
}

CallCost *tl_arc_cost(Arc *arc) {
  CallCost **cost = &arc->costs[tl_bucket];
  if (*cost == NULL) *cost = VG_(calloc)("tl.cost", 1, sizeof **cost);
  return *cost;
}

static Node *next_node(Bool first) {
  if (table == NULL) return NULL;
  if (first) VG_(HT_ResetIter)(table);
  return VG_(HT_Next)(table);
}

void tl_calls_each(UInt bucket, void (*with)(void *state, const Arc *arc, const CallCost *cost), void *state) {
  for (Node *node = next_node(True); node != NULL; node = next_node(False)) {
    const CallCost *cost = node->arc.costs[bucket];
    if (cost != NULL && (cost->calls != 0 || !is_empty(&cost->inclusive))) with(state, &node->arc, cost);
  }
}

void tl_calls_zero(void) {
  for (Node *node = next_node(True); node != NULL; node = next_node(False)) {
    for (UInt bucket = 0; bucket < BUCKETS; bucket++) {
      if (node->arc.costs[bucket] != NULL) *node->arc.costs[bucket] = (CallCost){0};
    }
  }
}
