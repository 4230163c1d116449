/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of the command line. */
#ifndef TL_OPTIONS_H
#define TL_OPTIONS_H

#include "valgrind.h"

typedef enum { FUNCTIONS_NO, FUNCTIONS_SELF, FUNCTIONS_CALLERS } Functions;

typedef struct {
  Functions functions;
  Bool rep_each;     /* each iteration of a repeated string instruction counts */
  Bool adx;          /* CPUID shows ADX */
  Bool forge_random; /* getrandom, /dev/urandom, RDRAND, RDSEED, AT_RANDOM; how busy the machine is */
  Bool forge_time;   /* clocks, RDTSC */
  ULong seed;
  Bool contention;   /* lines and locks that threads share are noted */
  const HChar *dump; /* where buckets go at the end; NULL for nowhere */
  Int report_to;     /* the descriptor that totals go to at the end; -1 for none */
} Options;

extern Options tl_options;

/* Hands the options to valgrind's command line. */
void tl_options_register(void);

#endif
