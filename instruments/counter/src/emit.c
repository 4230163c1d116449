/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit.h"

#include "options.h"

Emitter tl_emitter(IRSB *block) { return (Emitter){block, NULL, NULL}; }

static IRExpr *assign(IRSB *block, IRExpr *value) {
  IRTemp place = newIRTemp(block->tyenv, Ity_I64);
  addStmtToIRSB(block, IRStmt_WrTmp(place, value));
  return IRExpr_RdTmp(place);
}

static IRExpr *number(ULong value) { return IRExpr_Const(IRConst_U64(value)); }

static IRExpr *load(IRSB *block, IRExpr *address) {
  return assign(block, IRExpr_Load(Iend_LE, Ity_I64, address));
}

static IRExpr *sum(IRSB *block, IRExpr *one, IRExpr *other) {
  return assign(block, IRExpr_Binop(Iop_Add64, one, other));
}

/* Adds a number to the word at base + offset. */
static void bump(IRSB *block, IRExpr *base, ULong offset, ULong by, IRExpr *condition) {
  if (by == 0) return;
  IRExpr *address = offset == 0 ? base : sum(block, base, number(offset));
  IRExpr *more = number(by);
  if (condition != NULL) more = assign(block, IRExpr_ITE(condition, more, number(0)));
  IRExpr *after = sum(block, load(block, address), more);
  addStmtToIRSB(block, IRStmt_Store(Iend_LE, address, after));
}

void tl_emit_counts(Emitter *emitter, const Step *steps, UInt length, const Run *run, IRExpr *condition) {
  IRSB *block = emitter->block;
  Counts all = {0};
  for (UInt at = 0; at < length; at++) {
    all.instructions += steps[at].instructions;
    all.loads += steps[at].loads;
    all.stores += steps[at].stores;
  }
  if (is_empty(&all)) return;
  if (emitter->now == NULL) emitter->now = load(block, number((Addr)&tl_now));
  bump(block, emitter->now, offsetof(Counts, instructions), all.instructions, condition);
  bump(block, emitter->now, offsetof(Counts, loads), all.loads, condition);
  bump(block, emitter->now, offsetof(Counts, stores), all.stores, condition);
  if (tl_options.functions == FUNCTIONS_NO) return;
  if (run == NULL) run = tl_run(steps, length);
  if (emitter->plane == NULL) emitter->plane = load(block, number((Addr)&tl_plane));
  bump(block, emitter->plane, run->counter, 1, condition);
}

void tl_emit_reading(IRSB *block, IRDirty *call, const Int *registers, UInt length) {
  for (UInt at = 0; at < length; at++) {
    call->fxState[at].fx = Ifx_Read;
    call->fxState[at].offset = registers[at];
    call->fxState[at].size = sizeof(UWord);
    call->fxState[at].nRepeats = call->fxState[at].repeatLen = 0;
  }
  call->nFxState = length;
  addStmtToIRSB(block, IRStmt_Dirty(call));
}
