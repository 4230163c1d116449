/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often one statement of an instruction loads and stores data. */
#ifndef TL_ACCESSES_H
#define TL_ACCESSES_H

#include "runs.h"

/* The accesses of an instruction so far. */
typedef struct {
  Step *step;
  const IRExpr *loaded; /* the address of its last load */
} Accesses;

void tl_accesses_add(Accesses *accesses, const IRStmt *statement);

#endif
