/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "instrument.h"

#include "accesses.h"
#include "ahead.h"
#include "calls.h"
#include "contention.h"
#include "emit.h"
#include "forge.h"
#include "options.h"
#include "strings.h"

/* The most that a block has, VEX's limit being below. */
#define MOST_STEPS 512

/* A block while it is gone through. */
typedef struct {
  Emitter emitter;
  Step steps[MOST_STEPS]; /* since the counters were last brought up to date */
  UInt length;
  Accesses accesses; /* of the last step */
  Bool is_string;    /* the instruction is a repeated one that counts once, and `string` is it */
  Step string;
  Run *string_run;
  Addr address;      /* of the instruction */
  Bool is_atomic;    /* it reads and writes at once */
} Walk;

/* Brings the counters up to date: what comes next may not be executed. */
static void flush(Walk *walk) {
  if (walk->length == 0) return;
  tl_emit_counts(&walk->emitter, walk->steps, walk->length, NULL, NULL);
  walk->length = 0;
}

static void count_string(Walk *walk, IRExpr *condition) {
  if (tl_options.functions != FUNCTIONS_NO && walk->string_run == NULL) walk->string_run = tl_run(&walk->string, 1);
  tl_emit_counts(&walk->emitter, &walk->string, 1, walk->string_run, condition);
}

/* A repeated instruction is done where control goes on to another one. */
static void end_instruction(Walk *walk, Bool goes_round) {
  if (walk->is_string && !goes_round) count_string(walk, NULL);
  walk->is_string = False;
}

static void begin_instruction(Walk *walk, Addr address, UInt length) {
  end_instruction(walk, walk->is_string && walk->string.address == address);
  if (!tl_options.rep_each && tl_is_repeated_string(address, length, &walk->string)) {
    flush(walk);
    walk->is_string = True;
    walk->string_run = NULL;
    return;
  }
  if (walk->length == MOST_STEPS) flush(walk);
  Step *step = &walk->steps[walk->length++];
  *step = (Step){.address = address, .instructions = 1};
  walk->accesses = (Accesses){step, NULL};
}

/* Brings the counters up to date within an instruction. What it still does counts for it. */
static void flush_within(Walk *walk) {
  flush(walk);
  Step *rest = &walk->steps[walk->length++];
  *rest = (Step){.address = walk->accesses.step->address};
  walk->accesses.step = rest;
}

static void before_exit(Walk *walk, const IRStmt *exit) {
  if (!walk->is_string) {
    flush_within(walk);
  } else if (exit->Ist.Exit.dst->Ico.U64 != walk->string.address) {
    count_string(walk, exit->Ist.Exit.guard);
  }
}

static Bool goes_to(const IRSB *block, Addr address) {
  return block->next->tag == Iex_Const && block->next->Iex.Const.con->Ico.U64 == address;
}

static void add(Walk *walk, IRSB *from, Int at) {
  IRSB *block = walk->emitter.block;
  IRStmt *statement = from->stmts[at];
  switch (statement->tag) {
  case Ist_NoOp:
    return;
  case Ist_IMark:
    if (tl_options.contention) flush(walk);
    begin_instruction(walk, statement->Ist.IMark.addr, statement->Ist.IMark.len);
    walk->address = statement->Ist.IMark.addr;
    walk->is_atomic = tl_options.contention && tl_is_atomic(from, at);
    break;
  case Ist_Exit:
    before_exit(walk, statement);
    break;
  default:
    if (!walk->is_string) tl_accesses_add(&walk->accesses, statement);
    break;
  }
  if (tl_options.contention) {
    if (tl_contention_needs_counts(statement) && !walk->is_string) flush_within(walk);
    tl_contention_before(block, statement, walk->address, walk->is_atomic);
  }
  if (statement->tag == Ist_Dirty) {
    tl_forge_helper(block, statement);
  } else {
    addStmtToIRSB(block, statement);
  }
  if (!tl_options.contention) return;
  if (statement->tag == Ist_IMark) tl_contention_begins(block, walk->address);
  tl_contention_after(block, from->stmts, at);
}

IRSB *tl_instrument(VgCallbackClosure *closure, IRSB *block, const VexGuestLayout *layout,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word, IRType host_word) {
  (void)layout, (void)extents, (void)host;
  tl_assert(guest_word == Ity_I64 && host_word == Ity_I64);
  tl_ahead_seen(closure->nraddr);
  /* Too big for valgrind's stack, and never used by two blocks at once. */
  static Walk walk;
  walk.emitter = tl_emitter(deepCopyIRSBExceptStmts(block));
  walk.length = 0;
  walk.is_string = False;
  Int at = 0;
  /* Code before the first instruction is not the program's. */
  for (; at < block->stmts_used && block->stmts[at]->tag != Ist_IMark; at++) {
    addStmtToIRSB(walk.emitter.block, block->stmts[at]);
  }
  Addr first = at < block->stmts_used ? block->stmts[at]->Ist.IMark.addr : 0, last = first;
  if (tl_options.functions == FUNCTIONS_CALLERS && first != 0) tl_calls_at_entry(walk.emitter.block, first);
  for (; at < block->stmts_used; at++) {
    if (block->stmts[at]->tag == Ist_IMark) last = block->stmts[at]->Ist.IMark.addr;
    add(&walk, block, at);
  }
  flush(&walk);
  end_instruction(&walk, walk.is_string && goes_to(block, walk.string.address));
  if (tl_options.functions == FUNCTIONS_CALLERS && first != 0) tl_calls_at_end(walk.emitter.block, last);
  if (tl_options.contention && first != 0) tl_contention_at_end(walk.emitter.block);
  return walk.emitter.block;
}
