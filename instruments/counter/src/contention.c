/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "contention.h"

#include "emit.h"
#include "holds.h"
#include "known.h"
#include "lines.h"
#include "locks.h"
#include "options.h"

static VG_REGPARM(3) void on_load(Addr address, UWord bytes, Addr instruction) {
  tl_line_touch(address, bytes, LOAD, instruction, tl_is_in_allocator());
}

static VG_REGPARM(3) void on_store(Addr address, UWord bytes, Addr instruction) {
  tl_line_touch(address, bytes, STORE, instruction, tl_is_in_allocator());
}

static VG_REGPARM(3) void on_atomic(Addr address, UWord bytes, Addr instruction) {
  tl_line_touch(address, bytes, ATOMIC, instruction, tl_is_in_allocator());
}

static Bool is_compiled_in(void) { return !tl_is_in_allocator() && !tl_is_in_lock(); }

/* A word that a thread changes from 0 to something else is a lock that it holds until it is 0 again. It holds it alone if the
 * word is not computed by adding to the one before, as readers and references are counted. */
static VG_REGPARM(3) void on_exchange(Addr address, ULong before, ULong after, UWord adds) {
  if (!is_compiled_in()) return;
  if (before == 0 && after != 0) {
    tl_lock_is_taken(address, !adds, False, VG_(record_ExeContext)(tl_thread, 0));
  } else if (before != 0 && after == 0) {
    tl_lock_is_released(address);
  }
}

static VG_REGPARM(1) void on_zero(Addr address) {
  if (is_compiled_in()) tl_lock_is_released(address);
}

static IRExpr *number(ULong value) { return IRExpr_Const(IRConst_U64(value)); }

static IRExpr *assign(IRSB *block, IRType type, IRExpr *value) {
  IRTemp place = newIRTemp(block->tyenv, type);
  addStmtToIRSB(block, IRStmt_WrTmp(place, value));
  return IRExpr_RdTmp(place);
}

/* The helper unwinds the stack. */
static void add_call(IRSB *block, IRDirty *call) {
  static const Int registers[] = {REGISTER(RIP), REGISTER(RSP), REGISTER(RBP)};
  tl_emit_reading(block, call, registers, sizeof registers / sizeof *registers);
}

static void add_touch(IRSB *block, const HChar *name, void *helper, IRExpr *address, UWord bytes, Addr at, IRExpr *guard) {
  IRDirty *call = unsafeIRDirty_0_N(3, name, helper, mkIRExprVec_3(address, number(bytes), number(at)));
  if (guard != NULL) call->guard = guard;
  add_call(block, call);
}

static void add_load(IRSB *block, IRExpr *address, UWord bytes, Addr at, IRExpr *guard) {
  add_touch(block, "on_load", on_load, address, bytes, at, guard);
}

static void add_store(IRSB *block, IRExpr *address, UWord bytes, Addr at, IRExpr *guard) {
  add_touch(block, "on_store", on_store, address, bytes, at, guard);
}

static UWord bytes_of(IRType type) { return sizeofIRType(type); }

Bool tl_is_atomic(const IRSB *block, Int at) {
  for (at++; at < block->stmts_used && block->stmts[at]->tag != Ist_IMark; at++) {
    if (block->stmts[at]->tag == Ist_CAS) return True;
  }
  return False;
}

Bool tl_contention_needs_counts(const IRStmt *statement) {
  return statement->tag == Ist_CAS || statement->tag == Ist_Store;
}

void tl_contention_begins(IRSB *block, Addr address) { tl_known_at_entry(block, address); }

void tl_contention_before(IRSB *block, const IRStmt *statement, Addr instruction, Bool is_atomic) {
  const IRTypeEnv *types = block->tyenv;
  switch (statement->tag) {
  case Ist_WrTmp: {
    const IRExpr *load = statement->Ist.WrTmp.data;
    /* The load of an atomic instruction is a part of it. */
    if (load->tag == Iex_Load && !is_atomic) {
      add_load(block, load->Iex.Load.addr, bytes_of(load->Iex.Load.ty), instruction, NULL);
    }
    break;
  }
  case Ist_Store:
    add_store(block, statement->Ist.Store.addr, bytes_of(typeOfIRExpr(types, statement->Ist.Store.data)), instruction, NULL);
    break;
  case Ist_StoreG: {
    const IRStoreG *store = statement->Ist.StoreG.details;
    add_store(block, store->addr, bytes_of(typeOfIRExpr(types, store->data)), instruction, store->guard);
    break;
  }
  case Ist_LoadG: {
    const IRLoadG *load = statement->Ist.LoadG.details;
    IRType result, loaded;
    typeOfIRLoadGOp(load->cvt, &result, &loaded);
    add_load(block, load->addr, bytes_of(loaded), instruction, load->guard);
    break;
  }
  case Ist_CAS: {
    const IRCAS *exchange = statement->Ist.CAS.details;
    UWord bytes = bytes_of(typeOfIRExpr(types, exchange->dataLo)) * (exchange->oldHi == IRTemp_INVALID ? 1 : 2);
    add_touch(block, "on_atomic", on_atomic, exchange->addr, bytes, instruction, NULL);
    break;
  }
  case Ist_Dirty: {
    const IRDirty *helper = statement->Ist.Dirty.details;
    if (helper->mFx == Ifx_Read || helper->mFx == Ifx_Modify) {
      add_load(block, helper->mAddr, helper->mSize, instruction, helper->guard);
    }
    if (helper->mFx == Ifx_Write || helper->mFx == Ifx_Modify) {
      add_store(block, helper->mAddr, helper->mSize, instruction, helper->guard);
    }
    break;
  }
  default:
    break;
  }
}

/* Whether a value was made by adding or subtracting, by the statements before. */
static Bool adds(IRStmt *const *statements, Int at, const IRExpr *value) {
  while (value->tag == Iex_RdTmp) {
    IRTemp wanted = value->Iex.RdTmp.tmp;
    for (at--; at >= 0; at--) {
      if (statements[at]->tag == Ist_WrTmp && statements[at]->Ist.WrTmp.tmp == wanted) break;
    }
    if (at < 0) return False;
    value = statements[at]->Ist.WrTmp.data;
    if (value->tag == Iex_Unop) value = value->Iex.Unop.arg;
  }
  if (value->tag != Iex_Binop) return False;
  switch (value->Iex.Binop.op) {
  case Iop_Add8 ... Iop_Add64:
  case Iop_Sub8 ... Iop_Sub64:
    return True;
  default:
    return False;
  }
}

static IRExpr *widened(IRSB *block, IRExpr *value) {
  switch (typeOfIRExpr(block->tyenv, value)) {
  case Ity_I8:
    return assign(block, Ity_I64, IRExpr_Unop(Iop_8Uto64, value));
  case Ity_I16:
    return assign(block, Ity_I64, IRExpr_Unop(Iop_16Uto64, value));
  case Ity_I32:
    return assign(block, Ity_I64, IRExpr_Unop(Iop_32Uto64, value));
  default:
    return value;
  }
}

static IROp equals(IRType type) {
  switch (type) {
  case Ity_I8:
    return Iop_CmpEQ8;
  case Ity_I16:
    return Iop_CmpEQ16;
  case Ity_I32:
    return Iop_CmpEQ32;
  default:
    return Iop_CmpEQ64;
  }
}

static void after_exchange(IRSB *block, IRStmt *const *statements, Int at) {
  const IRCAS *exchange = statements[at]->Ist.CAS.details;
  if (exchange->oldHi != IRTemp_INVALID) return;
  IRType type = typeOfIRTemp(block->tyenv, exchange->oldLo);
  IRExpr *before = IRExpr_RdTmp(exchange->oldLo);
  IRExpr *done = assign(block, Ity_I1, IRExpr_Binop(equals(type), before, exchange->expdLo));
  IRExpr **arguments = mkIRExprVec_4(exchange->addr, widened(block, before), widened(block, exchange->dataLo),
                                     number(adds(statements, at, exchange->dataLo)));
  IRDirty *call = unsafeIRDirty_0_N(3, "on_exchange", on_exchange, arguments);
  call->guard = done;
  add_call(block, call);
}

/* A call where a store of a whole number writes 0. */
static void after_store(IRSB *block, const IRStmt *statement) {
  IRExpr *data = statement->Ist.Store.data, *is_zero;
  switch (typeOfIRExpr(block->tyenv, data)) {
  case Ity_I8:
    is_zero = IRExpr_Binop(Iop_CmpEQ8, data, IRExpr_Const(IRConst_U8(0)));
    break;
  case Ity_I16:
    is_zero = IRExpr_Binop(Iop_CmpEQ16, data, IRExpr_Const(IRConst_U16(0)));
    break;
  case Ity_I32:
    is_zero = IRExpr_Binop(Iop_CmpEQ32, data, IRExpr_Const(IRConst_U32(0)));
    break;
  case Ity_I64:
    is_zero = IRExpr_Binop(Iop_CmpEQ64, data, number(0));
    break;
  default:
    return;
  }
  IRDirty *call = unsafeIRDirty_0_N(1, "on_zero", on_zero, mkIRExprVec_1(statement->Ist.Store.addr));
  call->guard = assign(block, Ity_I1, is_zero);
  add_call(block, call);
}

void tl_contention_after(IRSB *block, IRStmt *const *statements, Int at) {
  const IRStmt *statement = statements[at];
  if (statement->tag == Ist_CAS) after_exchange(block, statements, at);
  if (statement->tag == Ist_Store) after_store(block, statement);
}

void tl_contention_at_end(IRSB *block) {
  if (block->jumpkind == Ijk_Ret) tl_known_at_return(block);
}

void tl_contention_starts(ThreadId thread) {
  if (!tl_options.contention) return;
  tl_known_begin(thread);
  tl_holds_begin(thread);
}

void tl_contention_pause(void) {
  if (tl_options.contention) tl_locks_pause();
}

void tl_contention_go_on(void) {
  if (tl_options.contention) tl_locks_go_on();
}

void tl_contention_zero(void) {
  if (!tl_options.contention) return;
  tl_lines_zero();
  tl_locks_zero();
}
