/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report.h"

#include "buckets.h"
#include "options.h"

/* Not among the functions for tools. */
extern Int VG_(safe_fd)(Int descriptor);

void tl_report_begin(void) {
  if (tl_options.report_to < 0) return;
  /* Valgrind refuses a program the descriptors of this range, and closes them where the process executes another. */
  tl_options.report_to = VG_(safe_fd)(tl_options.report_to);
}

void tl_report(void) {
  if (tl_options.report_to < 0) return;
  ULong others = 0;
  for (UInt bucket = 1; bucket < BUCKETS; bucket++) others += tl_totals[bucket].instructions;
  HChar line[80];
  Int length = VG_(snprintf)(line, sizeof line, "%llu %llu\n", tl_totals[0].instructions, others);
  /* If it is missing, the reader of the line reports that. */
  VG_(write)(tl_options.report_to, line, length);
}
