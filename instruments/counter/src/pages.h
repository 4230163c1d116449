/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory by the page. */
#ifndef TL_PAGES_H
#define TL_PAGES_H

#include "valgrind.h"

/* Fresh pages: they are zero, and cost nothing before they are touched. */
void *tl_pages(SizeT bytes);

#endif
