/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counts of each bucket, and the current bucket. */
#ifndef TL_BUCKETS_H
#define TL_BUCKETS_H

#include "valgrind.h"

#define BUCKETS 64

typedef struct {
  ULong instructions, loads, stores;
  ULong unused; /* makes a power of two */
} Counts;

extern Counts tl_totals[BUCKETS];

/* The running thread's bucket. Translated code reads the two below; both follow from the first. */
extern UInt tl_bucket;
extern Counts *tl_now; /* its totals */
extern ULong tl_plane; /* what is added to a run's address to get its counter in this bucket */

/* The running thread. */
extern ThreadId tl_thread;

static inline void add_counts(Counts *to, const Counts *more) {
  to->instructions += more->instructions;
  to->loads += more->loads;
  to->stores += more->stores;
}

static inline void add_difference(Counts *to, const Counts *now, const Counts *then) {
  to->instructions += now->instructions - then->instructions;
  to->loads += now->loads - then->loads;
  to->stores += now->stores - then->stores;
}

static inline Bool is_empty(const Counts *counts) { return !(counts->instructions | counts->loads | counts->stores); }

/* Before the program begins. */
void tl_buckets_begin(void);

/* Books what the running thread does from here on to another bucket, which must exist. Returns the one before. */
UInt tl_switch(UInt bucket);

/* Empties all buckets and everything that is counted by bucket. */
void tl_zero(void);

#endif
