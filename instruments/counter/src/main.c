/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tool of valgrind's that counts instructions and accesses to data, told apart by the program itself as it goes, and
 * takes away what makes the same program run differently. */
#include "ahead.h"
#include "buckets.h"
#include "contention.h"
#include "dump.h"
#include "forge.h"
#include "instrument.h"
#include "options.h"
#include "report.h"
#include "requests.h"

/* Whether valgrind reads which functions were inlined where; it decides so by the names of its own tools. */
extern Bool VG_(clo_read_inline_info);

static void begin(void) {
  tl_report_begin();
  tl_forge_seed(tl_options.seed);
  tl_forge_mask();
  tl_ahead_begin();
  /* VEX joins code over branches: over conditional ones it would count instructions that are skipped. */
  VG_(clo_vex_control).guest_chase = False;
  /* A loop that is laid out twice has calls and jumps where the program has none. */
  VG_(clo_vex_control).iropt_unroll_thresh = 0;
  if (tl_options.contention) VG_(clo_keep_debuginfo) = True;
  if (tl_options.functions == FUNCTIONS_NO) return;
  VG_(clo_read_inline_info) = True;
  VG_(clo_keep_debuginfo) = True;
}

static void before_call(ThreadId thread, UInt number, UWord *arguments, UInt count) {
  (void)thread, (void)number, (void)arguments, (void)count;
}

static void after_call(ThreadId thread, UInt number, UWord *arguments, UInt count, SysRes result) {
  (void)count;
  tl_forge_call(thread, number, arguments, result);
}

static void dump_bucket(UInt bucket) {
  HChar path[1000];
  if (VG_(snprintf)(path, sizeof path, "%s.%u", tl_options.dump, bucket) >= (Int)sizeof path) return;
  Int error = tl_dump(bucket, path);
  if (error != 0) VG_(umsg)("tlslab: cannot write `%s`: error %d; check the folder, and that --fn is given\n", path, error);
}

static void dump_contention(void) {
  HChar path[1000];
  if (VG_(snprintf)(path, sizeof path, "%s.contention", tl_options.dump) >= (Int)sizeof path) return;
  Int error = tl_contention_dump(path);
  if (error != 0) VG_(umsg)("tlslab: cannot write `%s`: error %d; check the folder\n", path, error);
}

static void end(Int status) {
  (void)status;
  tl_report();
  for (UInt bucket = 0; bucket < BUCKETS; bucket++) {
    const Counts *counts = &tl_totals[bucket];
    if (is_empty(counts)) continue;
    if (VG_(clo_verbosity) > 0) {
      VG_(umsg)("bucket %u: %llu instructions, %llu loads, %llu stores\n", bucket, counts->instructions, counts->loads,
                counts->stores);
    }
    if (tl_options.dump != NULL && tl_options.functions != FUNCTIONS_NO) dump_bucket(bucket);
  }
  if (tl_options.dump != NULL && tl_options.contention) dump_contention();
}

static void announce(void) {
  VG_(details_name)("tlslab");
  VG_(details_version)(NULL);
  VG_(details_description)("counts instructions in buckets");
  VG_(details_copyright_author)("Copyright (C) the tlslab authors; GNU GPL.");
  VG_(details_bug_reports_to)("the authors of tlslab");
  VG_(details_avg_translation_sizeB)(300);
  VG_(basic_tool_funcs)(begin, tl_instrument, end);
  VG_(needs_client_requests)(tl_request);
  VG_(needs_syscall_wrapper)(before_call, after_call);
  tl_options_register();
  tl_buckets_begin();
}

VG_DETERMINE_INTERFACE_VERSION(announce)
