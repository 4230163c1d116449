/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All arcs. */
#ifndef TL_ARCS_H
#define TL_ARCS_H

#include "calls.h"

Arc *tl_arc(Addr site, Addr callee);

/* The cost of an arc in the current bucket. */
CallCost *tl_arc_cost(Arc *arc);

#endif
