/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

static void *as_pointer(void *pages) { return pages; }

static void *as_result(SysRes pages) { return sr_isError(pages) ? NULL : (void *)sr_Res(pages); }

/* Valgrind's function has changed its type. */
void *tl_pages(SizeT bytes) {
  __typeof__(VG_(am_shadow_alloc)(0)) pages = VG_(am_shadow_alloc)(bytes);
  void *found = _Generic(pages, void *: as_pointer, default: as_result)(pages);
  if (found == NULL) VG_(tool_panic)("no memory for the counters");
  return found;
}
