/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The position of a variable according to valgrind. */
#ifndef TL_MISPLACED_H
#define TL_MISPLACED_H

#include "valgrind.h"

/* The address at which valgrind knows the variable that lies at an address. They differ where an object has two writable segments
 * whose pages in the file overlap, as LLD makes them: valgrind takes the second one to lie where the first one's pages end. */
Addr tl_known_at(Addr address);

#endif
