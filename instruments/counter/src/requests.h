/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program's requests to the counter. */
#ifndef TL_REQUESTS_H
#define TL_REQUESTS_H

#include "valgrind.h"

Bool tl_request(ThreadId thread, UWord *arguments, UWord *answer);

#endif
