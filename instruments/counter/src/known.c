/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "known.h"

#include "buckets.h"
#include "emit.h"
#include "heap_blocks.h"
#include "holds.h"
#include "locks.h"

typedef enum {
  NONE,
  MALLOC,   /* (bytes) */
  CALLOC,   /* (number, bytes) */
  REALLOC,  /* (block, bytes) */
  ALIGNED,  /* (alignment, bytes) */
  MEMALIGN, /* (place, alignment, bytes), which answers 0 */
  FREE,     /* (block) */
  TAKES,    /* (lock), which answers 0 where it took it; alone */
  READS,    /* the same; together with others */
  RELEASES, /* (lock) */
  WAITS,    /* (condition, lock): releases and takes it again */
  ONCE,     /* what it does to its word is no lock */
} Kind;

/* Leading underlines and a version after an @ are no part of a name. */
static const struct {
  const HChar *name;
  Kind kind;
} KNOWN[] = {
    {"malloc", MALLOC},
    {"calloc", CALLOC},
    {"realloc", REALLOC},
    {"aligned_alloc", ALIGNED},
    {"memalign", ALIGNED},
    {"posix_memalign", MEMALIGN},
    {"free", FREE},
    {"pthread_mutex_lock", TAKES},
    {"pthread_mutex_trylock", TAKES},
    {"pthread_mutex_timedlock", TAKES},
    {"pthread_mutex_clocklock", TAKES},
    {"pthread_rwlock_wrlock", TAKES},
    {"pthread_rwlock_trywrlock", TAKES},
    {"pthread_rwlock_timedwrlock", TAKES},
    {"pthread_rwlock_rdlock", READS},
    {"pthread_rwlock_tryrdlock", READS},
    {"pthread_rwlock_timedrdlock", READS},
    {"pthread_spin_lock", TAKES},
    {"pthread_spin_trylock", TAKES},
    {"pthread_mutex_unlock", RELEASES},
    {"pthread_rwlock_unlock", RELEASES},
    {"pthread_spin_unlock", RELEASES},
    /* The same code, which is found by this name. */
    {"pthread_spin_init", RELEASES},
    {"pthread_cond_wait", WAITS},
    {"pthread_cond_timedwait", WAITS},
    {"pthread_cond_clockwait", WAITS},
    {"pthread_once", ONCE},
};

/* A call of such a function that is under way. */
typedef struct {
  Kind kind;
  Addr stack; /* where its return address lies */
  UWord arguments[3];
  ExeContext *from;
} Call;

#define MOST_CALLS 16

typedef struct {
  Call calls[MOST_CALLS];
  UInt depth, in_allocator, in_lock;
} Calls;

static Calls *calls; /* by thread */

static Calls *mine(void) {
  if (calls == NULL) calls = VG_(calloc)("tl.calls", VG_N_THREADS, sizeof *calls);
  return &calls[tl_thread];
}

static Kind kind_of(const HChar *name) {
  while (*name == '_') name++;
  UWord length = 0;
  while (name[length] != 0 && name[length] != '@') length++;
  for (UInt at = 0; at < sizeof KNOWN / sizeof *KNOWN; at++) {
    const HChar *known = KNOWN[at].name;
    if (VG_(strlen)(known) == length && VG_(strncmp)(known, name, length) == 0) return KNOWN[at].kind;
  }
  return NONE;
}

static Bool allocates(Kind kind) { return kind >= MALLOC && kind <= FREE; }

static UWord value(Int offset) {
  UWord value;
  VG_(get_shadow_regs_area)(tl_thread, (UChar *)&value, 0, offset, sizeof value);
  return value;
}

static void is_freed(Addr address) {
  const HeapBlock *block = tl_heap_block(address);
  if (block == NULL || block->address != address) return;
  tl_locks_pause();
  tl_holds_drop_block(block);
  tl_heap_block_is_freed(address);
}

static void enters(const Call *call) {
  if (call->kind == FREE) is_freed(call->arguments[0]);
  if (call->kind == RELEASES) tl_lock_is_released(call->arguments[0]);
  if (call->kind == WAITS) tl_lock_is_released(call->arguments[1]);
}

static void returns(const Call *call, UWord answer) {
  const UWord *with = call->arguments;
  switch (call->kind) {
  case MALLOC:
    tl_heap_block_is_new(answer, with[0], call->from);
    break;
  case CALLOC:
    tl_heap_block_is_new(answer, with[0] * with[1], call->from);
    break;
  case REALLOC:
    if (answer != 0 || with[1] == 0) is_freed(with[0]);
    tl_heap_block_is_new(answer, with[1], call->from);
    break;
  case ALIGNED:
    tl_heap_block_is_new(answer, with[1], call->from);
    break;
  case MEMALIGN:
    if ((Int)answer == 0) tl_heap_block_is_new(*(Addr *)with[0], with[2], call->from);
    break;
  case TAKES:
  case READS:
    if ((Int)answer == 0) tl_lock_is_taken(with[0], call->kind == TAKES, True, call->from);
    break;
  case WAITS:
    tl_lock_is_taken(with[1], True, True, call->from);
    break;
  default:
    break;
  }
}

/* Ends the calls whose return address is no longer on the stack. Only that which has just returned has answered. */
static void pop_below(Calls *all, Addr at, Bool answered) {
  while (all->depth > 0 && all->calls[all->depth - 1].stack < at) {
    Call *call = &all->calls[--all->depth];
    *(allocates(call->kind) ? &all->in_allocator : &all->in_lock) -= 1;
    if (answered && call->stack == at - sizeof(Addr)) returns(call, value(REGISTER(RAX)));
  }
}

static VG_REGPARM(1) void on_known(UWord kind) {
  Calls *all = mine();
  Addr at = value(REGISTER(RSP));
  pop_below(all, at, False);
  /* Nested calls of an allocator or a lock belong to the outer call. A stub may have led to the same function. */
  Bool is_part = allocates(kind) ? all->in_allocator > 0 : all->in_lock > 0;
  if (is_part || all->depth == MOST_CALLS) return;
  Call *call = &all->calls[all->depth++];
  *call = (Call){.kind = kind, .stack = at};
  call->arguments[0] = value(REGISTER(RDI));
  call->arguments[1] = value(REGISTER(RSI));
  call->arguments[2] = value(REGISTER(RDX));
  if (kind != FREE && kind != RELEASES && kind != ONCE) call->from = VG_(record_ExeContext)(tl_thread, 0);
  *(allocates(kind) ? &all->in_allocator : &all->in_lock) += 1;
  enters(call);
}

/* `at` is the top of the stack after the return. */
static VG_REGPARM(1) void on_return(Addr at) {
  Calls *all = mine();
  if (all->depth > 0) pop_below(all, at, True);
}

void tl_known_at_entry(IRSB *block, Addr address) {
  const HChar *name;
  if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), address, &name)) return;
  Kind kind = kind_of(name);
  if (kind == NONE) return;
  static const Int registers[] = {REGISTER(RIP), REGISTER(RSP), REGISTER(RBP), REGISTER(RDI), REGISTER(RSI), REGISTER(RDX)};
  IRDirty *call = unsafeIRDirty_0_N(1, "on_known", on_known, mkIRExprVec_1(IRExpr_Const(IRConst_U64(kind))));
  tl_emit_reading(block, call, registers, sizeof registers / sizeof *registers);
}

void tl_known_at_return(IRSB *block) {
  static const Int registers[] = {REGISTER(RIP), REGISTER(RSP), REGISTER(RBP), REGISTER(RAX)};
  IRTemp top = newIRTemp(block->tyenv, Ity_I64);
  addStmtToIRSB(block, IRStmt_WrTmp(top, IRExpr_Get(REGISTER(RSP), Ity_I64)));
  IRDirty *call = unsafeIRDirty_0_N(1, "on_return", on_return, mkIRExprVec_1(IRExpr_RdTmp(top)));
  tl_emit_reading(block, call, registers, sizeof registers / sizeof *registers);
}

Bool tl_is_in_allocator(void) { return calls != NULL && mine()->in_allocator > 0; }

Bool tl_is_in_lock(void) { return calls != NULL && mine()->in_lock > 0; }

void tl_known_begin(ThreadId thread) {
  if (calls != NULL) calls[thread] = (Calls){0};
}
