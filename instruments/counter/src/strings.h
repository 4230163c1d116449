/* SPDX-License-Identifier: GPL-2.0-or-later */
/* String instructions with a prefix that repeats them. */
#ifndef TL_STRINGS_H
#define TL_STRINGS_H

#include "runs.h"

/* Whether an instruction is one. Then `step` gets what it counts as a whole. */
Bool tl_is_repeated_string(Addr address, UInt length, Step *step);

#endif
