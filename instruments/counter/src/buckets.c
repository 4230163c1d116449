/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "buckets.h"

#include "calls.h"
#include "contention.h"
#include "contexts.h"
#include "forge.h"
#include "runs.h"

Counts tl_totals[BUCKETS];
UInt tl_bucket;
Counts *tl_now = &tl_totals[0];
ULong tl_plane;
ThreadId tl_thread = VG_INVALID_THREADID;

static UInt *bucket_of; /* by thread */
static ULong used;      /* a bit for each bucket that was the current one since the last zero */

static void set(UInt bucket) {
  used |= (ULong)1 << bucket;
  tl_bucket = bucket;
  tl_now = &tl_totals[bucket];
  tl_plane = bucket * PLANE_BYTES;
}

UInt tl_switch(UInt bucket) {
  UInt before = tl_bucket;
  tl_calls_pause();
  tl_contention_pause();
  set(bucket);
  bucket_of[tl_thread] = bucket;
  tl_calls_go_on();
  tl_contention_go_on();
  return before;
}

void tl_zero(void) {
  tl_calls_pause();
  VG_(memset)(tl_totals, 0, sizeof tl_totals);
  for (UInt bucket = 0; bucket < BUCKETS; bucket++) {
    if (used >> bucket & 1) tl_runs_zero(bucket);
  }
  used = (ULong)1 << tl_bucket;
  tl_calls_zero();
  tl_contexts_zero();
  tl_contention_zero();
  tl_calls_go_on();
  tl_contention_go_on();
}

static void starts(ThreadId thread, ULong blocks) {
  (void)blocks;
  if (thread == tl_thread) return;
  if (tl_thread == VG_INVALID_THREADID) {
    tl_forge_at_random(thread);
  } else {
    tl_calls_pause();
    tl_contention_pause();
  }
  tl_thread = thread;
  set(bucket_of[thread]);
  tl_calls_go_on();
  tl_contention_go_on();
}

static void is_created(ThreadId creator, ThreadId thread) {
  bucket_of[thread] = creator == VG_INVALID_THREADID ? 0 : bucket_of[creator];
  tl_calls_begin(thread);
  tl_contention_starts(thread);
}

void tl_buckets_begin(void) {
  bucket_of = VG_(calloc)("tl.buckets", VG_N_THREADS, sizeof *bucket_of);
  VG_(track_start_client_code)(starts);
  VG_(track_pre_thread_ll_create)(is_created);
}
