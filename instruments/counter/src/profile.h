/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bucket's costs by function and line: what a dump says, in order. */
#ifndef TL_PROFILE_H
#define TL_PROFILE_H

#include "buckets.h"
#include "places.h"

/* The own cost of an instruction of a function or, with a callee, the cost of its calls. */
typedef struct {
  const Function *function;
  Addr address; /* as the object's file has it */
  Name file;
  UInt line;
  const Function *callee; /* NULL for the line itself */
  Addr callee_address;
  UInt callee_line;
  ULong calls;
  Counts cost;
} Cost;

/* All costs of a bucket, of one function after the other. The caller deletes the array. */
XArray *tl_profile(UInt bucket);

#endif
