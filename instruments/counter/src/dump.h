/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bucket's functions in the format of callgrind. */
#ifndef TL_DUMP_H
#define TL_DUMP_H

#include "valgrind.h"

/* Writes a file. Returns 0 or an error number. */
Int tl_dump(UInt bucket, const HChar *path);

#endif
