/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions whose answer is not the program's alone. VEX calls one of its functions for each; we put ours in its
 * place. That the names below are there is checked when the counter is linked. */
#include "forge.h"

#include "options.h"

ULong amd64g_dirtyhelper_RDRAND(void);
ULong amd64g_dirtyhelper_RDSEED(void);
ULong amd64g_dirtyhelper_RDTSC(void);
void amd64g_dirtyhelper_RDTSCP(VexGuestAMD64State *);
/* Called by nobody here, so that its arguments do not matter; they have changed over time. */
void amd64g_dirtyhelper_CPUID_avx2(void);

/* Both instructions are made of halves: the lower one is the number, bit 32 says that there was one. */
static ULong random_half(void) { return 1ULL << 32 | tl_forge_word() >> 32; }

static void stamp_and_processor(VexGuestAMD64State *state) {
  ULong stamp = tl_forge_stamp();
  state->guest_RAX = (UInt)stamp;
  state->guest_RDX = stamp >> 32;
  state->guest_RCX = 0;
}

/* The words of CPUID that a program's environment may mask, in the order of `instruments/preload/cpuid.h`. */
static const struct {
  UInt leaf, part;
  HChar word;
} masked_words[] = {{1, 0, 'c'}, {1, 0, 'd'}, {7, 0, 'b'},          {7, 0, 'c'},         {7, 0, 'd'},
                    {7, 1, 'a'}, {0x80000001, 0, 'c'}, {0x80000001, 0, 'd'}, {7, 1, 'd'}};
enum { MASKED_WORDS = sizeof masked_words / sizeof *masked_words };
static UInt mask[MASKED_WORDS];
static Bool is_masked;

void tl_forge_mask(void) {
  const HChar *text = VG_(getenv)("TLSLAB_CPUID_MASK");
  if (text == NULL || VG_(strlen)(text) != 8 * MASKED_WORDS) return;
  for (UInt at = 0; at < MASKED_WORDS; at++) {
    HChar word[9] = {0};
    VG_(memcpy)(word, text + 8 * at, 8);
    mask[at] = (UInt)VG_(strtoull16)(word, NULL);
  }
  is_masked = True;
}

/* VEX can do ADX but does not say so; and a program may be shown less than VEX can do. */
static void show_features(VexGuestAMD64State *state, ULong leaf, ULong part) {
  if (tl_options.adx && (UInt)leaf == 7 && (UInt)part == 0) state->guest_RBX |= 1 << 19;
  for (UInt at = 0; is_masked && at < MASKED_WORDS; at++) {
    if (masked_words[at].leaf != (UInt)leaf || (leaf == 7 && masked_words[at].part != (UInt)part)) continue;
    switch (masked_words[at].word) {
      case 'a': state->guest_RAX &= mask[at]; break;
      case 'b': state->guest_RBX &= mask[at]; break;
      case 'c': state->guest_RCX &= mask[at]; break;
      default: state->guest_RDX &= mask[at]; break;
    }
  }
}

typedef struct {
  void *of_vex;
  void *ours;
  const HChar *name;
  const Bool *wanted;
} Replacement;

static const Replacement replacements[] = {
    {amd64g_dirtyhelper_RDRAND, random_half, "random_half", &tl_options.forge_random},
    {amd64g_dirtyhelper_RDSEED, random_half, "random_half", &tl_options.forge_random},
    {amd64g_dirtyhelper_RDTSC, tl_forge_stamp, "tl_forge_stamp", &tl_options.forge_time},
    {amd64g_dirtyhelper_RDTSCP, stamp_and_processor, "stamp_and_processor", &tl_options.forge_time},
};

static IRExpr *get(IRSB *block, Int offset) {
  IRTemp value = newIRTemp(block->tyenv, Ity_I64);
  addStmtToIRSB(block, IRStmt_WrTmp(value, IRExpr_Get(offset, Ity_I64)));
  return IRExpr_RdTmp(value);
}

/* CPUID takes its question from two registers that its answer overwrites. */
static void add_cpuid(IRSB *block, IRStmt *statement) {
  IRExpr *leaf = get(block, REGISTER(RAX)), *part = get(block, REGISTER(RCX));
  addStmtToIRSB(block, statement);
  IRExpr **arguments = mkIRExprVec_3(IRExpr_GSPTR(), leaf, part);
  IRDirty *call = unsafeIRDirty_0_N(0, "show_features", show_features, arguments);
  const Int changed[] = {REGISTER(RAX), REGISTER(RBX), REGISTER(RCX), REGISTER(RDX)};
  VG_(memset)(call->fxState, 0, sizeof call->fxState);
  call->nFxState = sizeof changed / sizeof *changed;
  for (Int at = 0; at < call->nFxState; at++) {
    call->fxState[at].fx = Ifx_Modify;
    call->fxState[at].offset = changed[at];
    call->fxState[at].size = sizeof(ULong);
  }
  addStmtToIRSB(block, IRStmt_Dirty(call));
}

void tl_forge_helper(IRSB *block, IRStmt *statement) {
  const IRCallee *callee = statement->Ist.Dirty.details->cee;
  if ((tl_options.adx || is_masked) && callee->addr == (void *)amd64g_dirtyhelper_CPUID_avx2) {
    add_cpuid(block, statement);
    return;
  }
  for (UInt at = 0; at < sizeof replacements / sizeof *replacements; at++) {
    const Replacement *replacement = &replacements[at];
    if (callee->addr != replacement->of_vex || !*replacement->wanted) continue;
    IRDirty *call = deepCopyIRDirty(statement->Ist.Dirty.details);
    call->cee = mkIRCallee(callee->regparms, replacement->name, replacement->ours);
    statement = IRStmt_Dirty(call);
  }
  addStmtToIRSB(block, statement);
}
