/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "requests.h"

#include "../include/tlslab_counter.h"
#include "buckets.h"
#include "contention.h"
#include "dump.h"
#include "forge.h"

_Static_assert(BUCKETS == TLSLAB_COUNTER_BUCKETS, "the header promises another number of buckets");

/* The only request whose argument is in a register, so that it needs no memory. */
static UWord switched(ThreadId thread) {
  UWord bucket;
  VG_(get_shadow_regs_area)(thread, (UChar *)&bucket, 0, REGISTER(RDX), sizeof bucket);
  return bucket < BUCKETS ? tl_switch(bucket) : ~(UWord)0;
}

static Int read(UWord bucket, Addr place) {
  if (bucket >= BUCKETS) return VKI_EINVAL;
  if (!VG_(am_is_valid_for_client)(place, sizeof(tlslab_counts), VKI_PROT_WRITE)) return VKI_EFAULT;
  const Counts *counts = &tl_totals[bucket];
  *(tlslab_counts *)place = (tlslab_counts){counts->instructions, counts->loads, counts->stores};
  return 0;
}

Bool tl_request(ThreadId thread, UWord *arguments, UWord *answer) {
  switch (arguments[0]) {
  case TLSLAB_COUNTER_WHO_AM_I:
    *answer = TLSLAB_COUNTER_VERSION;
    return True;
  case TLSLAB_COUNTER_SWITCH:
    *answer = switched(thread);
    return True;
  case TLSLAB_COUNTER_READ:
    *answer = read(arguments[1], arguments[2]);
    return True;
  case TLSLAB_COUNTER_ZERO:
    tl_zero();
    *answer = 0;
    return True;
  case TLSLAB_COUNTER_SEED:
    tl_forge_seed(arguments[1]);
    *answer = 0;
    return True;
  case TLSLAB_COUNTER_DUMP:
    *answer = arguments[1] < BUCKETS ? tl_dump(arguments[1], (const HChar *)arguments[2]) : VKI_EINVAL;
    return True;
  case TLSLAB_COUNTER_DUMP_CONTENTION:
    *answer = tl_contention_dump((const HChar *)arguments[1]);
    return True;
  default:
    return False;
  }
}
