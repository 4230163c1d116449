/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Valgrind's description of an address, parsed. */
#ifndef TL_DESCRIBE_H
#define TL_DESCRIBE_H

#include "places.h"

typedef struct {
  Name function, file;
  UInt line;
} Described;

/* The functions at an address, the innermost first: one at least. The caller deletes the array. */
XArray *tl_describe(DiEpoch epoch, Addr address);

/* The file that an address was loaded from. */
Name tl_object(DiEpoch epoch, Addr address);

/* An address as that file has it: where the file was loaded is different from run to run. */
Addr tl_linked(DiEpoch epoch, Addr address);

/* The first instruction of the function that an address belongs to, or the address itself where that is unknown. */
Addr tl_function_begins(DiEpoch epoch, Addr address);

/* The one copy of a text of this length. */
Name tl_name(const HChar *text, UWord length);

#endif
