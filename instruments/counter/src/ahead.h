/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that one copy of the process has had translated is translated for the next one before it is made, since a copy
 * takes its translations with it to its end. The program notices nothing of it. */
#ifndef TL_AHEAD_H
#define TL_AHEAD_H

#include "valgrind.h"

/* Begins to look on. */
void tl_ahead_begin(void);

/* A block of code is being translated. */
void tl_ahead_seen(Addr block);

#endif
