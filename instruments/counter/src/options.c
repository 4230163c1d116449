/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"

Options tl_options = {
    .functions = FUNCTIONS_NO,
    .adx = True,
    .forge_random = True,
    .forge_time = True,
    .seed = 1,
    .report_to = -1,
};

static Bool take(const HChar *option) {
  const HChar *word;
  if VG_BOOL_CLO (option, "--adx", tl_options.adx) {
  } else if VG_BOOL_CLO (option, "--forge-random", tl_options.forge_random) {
  } else if VG_BOOL_CLO (option, "--forge-time", tl_options.forge_time) {
  } else if VG_BOOL_CLO (option, "--contention", tl_options.contention) {
  } else if VG_BINT_CLO (option, "--seed", tl_options.seed, 0, 0x7fffffffffffffffLL) {
  } else if VG_STR_CLO (option, "--dump", tl_options.dump) {
  } else if VG_BINT_CLO (option, "--report-to", tl_options.report_to, 0, 0x7fffffffLL) {
  } else if VG_STR_CLO (option, "--rep", word) {
    if (!VG_STREQ(word, "once") && !VG_STREQ(word, "each")) return False;
    tl_options.rep_each = VG_STREQ(word, "each");
  } else if VG_STR_CLO (option, "--fn", word) {
    if (VG_STREQ(word, "no")) {
      tl_options.functions = FUNCTIONS_NO;
    } else if (VG_STREQ(word, "self")) {
      tl_options.functions = FUNCTIONS_SELF;
    } else if (VG_STREQ(word, "callers")) {
      tl_options.functions = FUNCTIONS_CALLERS;
    } else {
      return False;
    }
  } else {
    return False;
  }
  return True;
}

static void usage(void) {
  VG_(printf)(
      "    --fn=no|self|callers      count by function, and what calls cost [no]\n"
      "    --rep=once|each           what a repeated string instruction counts [once]\n"
      "    --adx=no|yes              CPUID shows ADX [yes]\n"
      "    --forge-random=no|yes     random bytes come from the seed [yes]\n"
      "    --forge-time=no|yes       clocks tick once a reading [yes]\n"
      "    --contention=no|yes       note the lines and locks that threads share [no]\n"
      "    --seed=<number>           before the program gives one [1]\n"
      "    --dump=<path>             write each bucket's functions to <path>.<bucket> at the end,\n"
      "                              what is contended to <path>.contention\n"
      "    --report-to=<descriptor>  write the totals of every process there when it ends; the program cannot use it\n");
}

static void debug_usage(void) { VG_(printf)("    (none)\n"); }

void tl_options_register(void) { VG_(needs_command_line_options)(take, usage, debug_usage); }
