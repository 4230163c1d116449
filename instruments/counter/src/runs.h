/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs: instructions that are always executed together. One counter for each run and bucket tells how often each of its
 * instructions was executed; what and where they are is looked up when somebody asks. */
#ifndef TL_RUNS_H
#define TL_RUNS_H

#include "buckets.h"

/* One instruction and its accesses to data. */
typedef struct {
  Addr address;
  UShort instructions; /* 0 or 1 */
  UShort loads;
  UShort stores;
} Step;

typedef struct {
  DiEpoch epoch; /* of the debug information */
  Addr counter;  /* in bucket 0 */
  UInt length;
  Step steps[];
} Run;

/* The counters of a chunk of runs lie bucket by bucket. */
#define RUNS_PER_CHUNK 4096
#define PLANE_BYTES (RUNS_PER_CHUNK * sizeof(ULong))

/* A new run of these instructions. */
Run *tl_run(const Step *steps, UInt length);

/* Calls back for each run that was executed in a bucket. */
void tl_runs_each(UInt bucket, void (*with)(void *state, const Run *run, ULong times), void *state);

void tl_runs_zero(UInt bucket);

#endif
