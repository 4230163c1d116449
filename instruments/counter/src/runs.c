/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runs.h"

#include "pages.h"

static XArray *runs;   /* of Run* */
static XArray *chunks; /* of Addr */

#define CHUNK_BYTES (BUCKETS * PLANE_BYTES)

static Addr new_counter(void) {
  if (runs == NULL) {
    runs = VG_(newXA)(VG_(malloc), "tl.runs", VG_(free), sizeof(Run *));
    chunks = VG_(newXA)(VG_(malloc), "tl.chunks", VG_(free), sizeof(Addr));
  }
  UWord number = VG_(sizeXA)(runs);
  if (number % RUNS_PER_CHUNK == 0) {
    Addr chunk = (Addr)tl_pages(CHUNK_BYTES);
    VG_(addToXA)(chunks, &chunk);
  }
  Addr chunk = *(Addr *)VG_(indexXA)(chunks, number / RUNS_PER_CHUNK);
  return chunk + number % RUNS_PER_CHUNK * sizeof(ULong);
}

Run *tl_run(const Step *steps, UInt length) {
  Run *run = VG_(malloc)("tl.run", sizeof *run + length * sizeof *steps);
  run->epoch = VG_(current_DiEpoch)();
  run->counter = new_counter();
  run->length = length;
  VG_(memcpy)(run->steps, steps, length * sizeof *steps);
  VG_(addToXA)(runs, &run);
  return run;
}

void tl_runs_each(UInt bucket, void (*with)(void *state, const Run *run, ULong times), void *state) {
  Word count = runs == NULL ? 0 : VG_(sizeXA)(runs);
  for (Word at = 0; at < count; at++) {
    const Run *run = *(Run **)VG_(indexXA)(runs, at);
    ULong times = *(ULong *)(run->counter + bucket * PLANE_BYTES);
    if (times != 0) with(state, run, times);
  }
}

void tl_runs_zero(UInt bucket) {
  Word count = chunks == NULL ? 0 : VG_(sizeXA)(chunks);
  for (Word at = 0; at < count; at++) {
    Addr chunk = *(Addr *)VG_(indexXA)(chunks, at);
    VG_(memset)((void *)(chunk + bucket * PLANE_BYTES), 0, PLANE_BYTES);
  }
}
