/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls.h"

#include "arcs.h"
#include "contexts.h"
#include "options.h"

/* A call that is under way. */
typedef struct {
  Addr stack; /* where its return address lies */
  Addr site;
  Addr target; /* where the call went, which may be a stub that goes on to the function */
  Arc *arc;    /* NULL until it is known which function was called, as the context is */
  Context *context;
  Addr callee;
  Bool counts; /* no other call of the arc is under way outside */
  Counts before;
} Frame;

typedef struct {
  Frame *frames;
  UInt depth, room;
  ULong mark; /* the current bucket's instructions up to which contexts have got theirs */
} Stack;

static Stack *stacks; /* by thread */

static Stack *running(void) { return &stacks[tl_thread]; }

static Frame *top(const Stack *stack) { return stack->depth == 0 ? NULL : &stack->frames[stack->depth - 1]; }

/* The context of the innermost call but `above` of them. */
static Context *context_below(const Stack *stack, UInt above) {
  return stack->depth <= above ? tl_context(NULL, 0) : stack->frames[stack->depth - 1 - above].context;
}

/* Attributes to the running function its own cost. Its call must be settled. */
static void book_own(Stack *stack) {
  tl_context_add(context_below(stack, 0), tl_now->instructions - stack->mark);
  stack->mark = tl_now->instructions;
}

/* Says which function the innermost call has led to. */
static void settle(Stack *stack, Addr callee) {
  Frame *frame = top(stack);
  frame->context = tl_context(context_below(stack, 1), callee);
  frame->arc = tl_arc(frame->site, callee);
  frame->callee = callee;
  frame->counts = frame->arc->active++ == 0;
  tl_arc_cost(frame->arc)->calls++;
}

static void settle_top(Stack *stack) {
  Frame *frame = top(stack);
  if (frame != NULL && frame->arc == NULL) settle(stack, frame->target);
}

/* A call of a function that is not known yet. */
static void push(Stack *stack, Addr site, Addr target, Addr at) {
  book_own(stack);
  if (stack->depth == stack->room) {
    stack->room = stack->room == 0 ? 256 : 2 * stack->room;
    stack->frames = VG_(realloc)("tl.frames", stack->frames, stack->room * sizeof(Frame));
  }
  stack->frames[stack->depth++] = (Frame){.stack = at, .site = site, .target = target, .before = *tl_now};
}

static void book(Frame *frame) {
  if (frame->counts) add_difference(&tl_arc_cost(frame->arc)->inclusive, tl_now, &frame->before);
}

/* Ends the calls whose return address is no longer on the stack: one by a return, any number by a longjmp. */
static void pop_below(Stack *stack, Addr at) {
  for (Frame *frame = top(stack); frame != NULL && frame->stack < at; frame = top(stack)) {
    settle_top(stack);
    book_own(stack);
    book(frame);
    frame->arc->active--;
    stack->depth--;
  }
}

/* `at` is where the return address was put. */
static VG_REGPARM(3) void on_call(Addr site, Addr target, Addr at) {
  Stack *stack = running();
  pop_below(stack, at + 1);
  settle_top(stack);
  push(stack, site, target, at);
}

/* `at` is the top of the stack after the return. */
static VG_REGPARM(1) void on_return(Addr at) { pop_below(running(), at); }

/* `at` is the top of the stack at a function's first instruction. */
static VG_REGPARM(2) void on_entry(Addr function, Addr at) {
  Stack *stack = running();
  pop_below(stack, at);
  Frame *frame = top(stack);
  /* Deeper than the last call: code that goes on into a function behind it, or a thread's first function. */
  if (frame == NULL || frame->stack != at) return;
  if (frame->arc == NULL) {
    settle(stack, function);
  } else if (frame->callee != function) {
    /* The function that was called has jumped to this one, which will return in its place. */
    Addr site = frame->callee;
    push(stack, site, function, at);
    settle(stack, function);
  }
}

static IRExpr *stack_pointer(IRSB *block) {
  IRTemp value = newIRTemp(block->tyenv, Ity_I64);
  addStmtToIRSB(block, IRStmt_WrTmp(value, IRExpr_Get(REGISTER(RSP), Ity_I64)));
  return IRExpr_RdTmp(value);
}

static IRExpr *number(ULong value) { return IRExpr_Const(IRConst_U64(value)); }

static void add_call(IRSB *block, Int registers, const HChar *name, void *function, IRExpr **arguments) {
  addStmtToIRSB(block, IRStmt_Dirty(unsafeIRDirty_0_N(registers, name, function, arguments)));
}

void tl_calls_at_entry(IRSB *block, Addr address) {
  const HChar *name;
  if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), address, &name)) return;
  add_call(block, 2, "on_entry", on_entry, mkIRExprVec_2(number(address), stack_pointer(block)));
}

void tl_calls_at_end(IRSB *block, Addr last) {
  if (block->jumpkind == Ijk_Call) {
    add_call(block, 3, "on_call", on_call, mkIRExprVec_3(number(last), block->next, stack_pointer(block)));
  } else if (block->jumpkind == Ijk_Ret) {
    add_call(block, 1, "on_return", on_return, mkIRExprVec_1(stack_pointer(block)));
  }
}

void tl_calls_begin(ThreadId thread) {
  if (tl_options.functions != FUNCTIONS_CALLERS) return;
  if (stacks == NULL) stacks = VG_(calloc)("tl.stacks", VG_N_THREADS, sizeof *stacks);
  Stack *stack = &stacks[thread];
  /* A thread of the same number may have ended within calls. */
  for (UInt at = 0; at < stack->depth; at++) {
    if (stack->frames[at].arc != NULL) stack->frames[at].arc->active--;
  }
  stack->depth = 0;
}

static Bool is_kept(void) { return stacks != NULL && tl_thread != VG_INVALID_THREADID; }

void tl_calls_pause(void) {
  if (!is_kept()) return;
  Stack *stack = running();
  settle_top(stack);
  book_own(stack);
  for (UInt at = 0; at < stack->depth; at++) {
    book(&stack->frames[at]);
    stack->frames[at].before = *tl_now;
  }
}

void tl_calls_go_on(void) {
  if (!is_kept()) return;
  Stack *stack = running();
  stack->mark = tl_now->instructions;
  for (UInt at = 0; at < stack->depth; at++) stack->frames[at].before = *tl_now;
}
