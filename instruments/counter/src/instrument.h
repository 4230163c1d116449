/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds to translated code what counts it. */
#ifndef TL_INSTRUMENT_H
#define TL_INSTRUMENT_H

#include "valgrind.h"

IRSB *tl_instrument(VgCallbackClosure *closure, IRSB *block, const VexGuestLayout *layout,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word, IRType host_word);

#endif
