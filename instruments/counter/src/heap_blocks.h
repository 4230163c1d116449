/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of the heap that are in use: which one an address lies in, how long it is, and who asked for it. */
#ifndef TL_HEAP_BLOCKS_H
#define TL_HEAP_BLOCKS_H

#include "valgrind.h"

typedef struct {
  Addr address;
  SizeT bytes;
  UInt number; /* no two have the same; memory that is used again is another block */
  ExeContext *asked_by;
} HeapBlock;

void tl_heap_block_is_new(Addr address, SizeT bytes, ExeContext *asked_by);

void tl_heap_block_is_freed(Addr address);

/* NULL if the address is in no block. Freeing the block does not change it. */
const HeapBlock *tl_heap_block(Addr address);

#endif
