/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that adds to counters. */
#ifndef TL_EMIT_H
#define TL_EMIT_H

#include "runs.h"

typedef struct {
  IRSB *block;
  IRExpr *now;   /* the current bucket's totals; NULL before they are first needed */
  IRExpr *plane; /* what leads from a run's counter to the current bucket's; likewise */
} Emitter;

Emitter tl_emitter(IRSB *block);

/* Counts these steps. Where functions are counted, they are the given run, or a new one if it is NULL. With a condition, they
 * count only where it is true. */
void tl_emit_counts(Emitter *emitter, const Step *steps, UInt length, const Run *run, IRExpr *condition);

/* Adds a call of a helper that looks at these registers: they must be what they are in the program. */
void tl_emit_reading(IRSB *block, IRDirty *call, const Int *registers, UInt length);

#endif
