/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "heap_blocks.h"

/* Blocks begin at multiples of this. */
#define GRANULE 16
#define PAGE_BYTES 4096
#define GRANULES (PAGE_BYTES / GRANULE)

/* The block of each granule of a page. */
typedef struct Page {
  struct Page *next; /* as VG_(HT_...) wants it */
  UWord key;
  const HeapBlock *blocks[GRANULES];
} Page;

static VgHashTable *pages;
static UInt blocks;

static Page *page_of(Addr address) {
  static Page *last;
  UWord key = address / PAGE_BYTES;
  if (last != NULL && last->key == key) return last;
  if (pages == NULL) pages = VG_(HT_construct)("tl.heap_pages");
  Page *page = VG_(HT_lookup)(pages, key);
  if (page != NULL) last = page;
  return page;
}

static Page *made_page_of(Addr address) {
  Page *page = page_of(address);
  if (page != NULL) return page;
  page = VG_(calloc)("tl.heap_page", 1, sizeof *page);
  page->key = address / PAGE_BYTES;
  VG_(HT_add_node)(pages, page);
  return page;
}

static void set(const HeapBlock *block, const HeapBlock *to) {
  for (Addr at = block->address; at < block->address + block->bytes; at += GRANULE) {
    made_page_of(at)->blocks[at % PAGE_BYTES / GRANULE] = to;
  }
}

void tl_heap_block_is_new(Addr address, SizeT bytes, ExeContext *asked_by) {
  if (address == 0) return;
  tl_heap_block_is_freed(address);
  HeapBlock *block = VG_(malloc)("tl.heap_block", sizeof *block);
  *block = (HeapBlock){.address = address, .bytes = bytes == 0 ? 1 : bytes, .number = ++blocks, .asked_by = asked_by};
  set(block, block);
}

void tl_heap_block_is_freed(Addr address) {
  const HeapBlock *block = tl_heap_block(address);
  if (block != NULL && block->address == address) set(block, NULL);
}

const HeapBlock *tl_heap_block(Addr address) {
  const Page *page = page_of(address);
  return page == NULL ? NULL : page->blocks[address % PAGE_BYTES / GRANULE];
}
