/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lines.h"

static VgHashTable *lines;
static VgHashTable *touches;

static Word differs(const void *one, const void *other) {
  const Line *a = one, *b = other;
  return a->address != b->address || a->block != b->block || a->is_allocator != b->is_allocator;
}

static Line *line_of(Addr address, Bool is_allocator) {
  if (lines == NULL) lines = VG_(HT_construct)("tl.lines");
  const HeapBlock *block = is_allocator ? NULL : tl_heap_block(address);
  Addr first = address / LINE_BYTES * LINE_BYTES;
  Line wanted = {.address = first, .block = block, .is_allocator = is_allocator};
  wanted.key = first / LINE_BYTES + (block == NULL ? 0 : (UWord)block->number * 1000003) + is_allocator;
  Line *line = VG_(HT_gen_lookup)(lines, &wanted, differs);
  if (line != NULL) return line;
  line = VG_(malloc)("tl.line", sizeof *line);
  *line = wanted;
  VG_(HT_add_node)(lines, line);
  return line;
}

static void use_bytes(Line *line, UWord begin, UWord bytes, Bool writes) {
  UChar me = 1 + tl_thread % (SEVERAL - 1);
  for (UWord at = begin; at < begin + bytes && at < LINE_BYTES; at++) {
    if (line->first[at] == 0) line->first[at] = me;
    if (line->first[at] != me) line->first[at] = SEVERAL;
    if (writes) line->written |= 1ULL << at;
  }
}

static Word is_other(const void *one, const void *other) {
  const Touch *a = one, *b = other;
  return a->address != b->address || a->line != b->line || a->from != b->from || a->bucket != b->bucket;
}

static Touch *touch_of(Line *line, Addr instruction, ExeContext *from) {
  if (touches == NULL) touches = VG_(HT_construct)("tl.touches");
  Touch wanted = {.line = line, .bucket = tl_bucket, .address = instruction, .from = from};
  wanted.key = instruction * 31 + ((UWord)line >> 4) + ((UWord)from >> 4) + tl_bucket;
  Touch *touch = VG_(HT_gen_lookup)(touches, &wanted, is_other);
  if (touch != NULL) return touch;
  touch = VG_(malloc)("tl.touch", sizeof *touch);
  *touch = wanted;
  VG_(HT_add_node)(touches, touch);
  touch->other = line->touches;
  line->touches = touch;
  return touch;
}

static void touch_line(Addr address, UWord bytes, Access access, Addr instruction, Bool in_allocator) {
  Line *line = line_of(address, in_allocator);
  ULong me = 1ULL << tl_thread % 64;
  line->users |= me;
  if (access != LOAD) line->writers |= me;
  use_bytes(line, address % LINE_BYTES, bytes, access != LOAD);
  ExeContext *from = access == ATOMIC ? VG_(record_ExeContext)(tl_thread, 0) : NULL;
  touch_of(line, instruction, from)->times[access]++;
}

void tl_line_touch(Addr address, UWord bytes, Access access, Addr instruction, Bool in_allocator) {
  if (tl_bucket == 0) return;
  UWord here = LINE_BYTES - address % LINE_BYTES;
  touch_line(address, bytes < here ? bytes : here, access, instruction, in_allocator);
  /* An access across two lines is one to both. */
  if (bytes > here) touch_line(address + here, bytes - here, access, instruction, in_allocator);
}

static Bool are_several(ULong threads) { return (threads & (threads - 1)) != 0; }

Bool tl_line_is_contended(const Line *line) { return are_several(line->users) && line->writers != 0; }

Bool tl_line_is_truly_shared(const Line *line) {
  for (UWord at = 0; at < LINE_BYTES; at++) {
    if (line->first[at] == SEVERAL && (line->written >> at & 1)) return True;
  }
  return False;
}

ULong tl_line_times(const Line *line, UInt bucket, Access access) {
  ULong times = 0;
  for (const Touch *touch = line->touches; touch != NULL; touch = touch->other) {
    if (touch->bucket == bucket) times += touch->times[access];
  }
  return times;
}

static ULong writes(const Line *line) {
  ULong times = 0;
  for (const Touch *touch = line->touches; touch != NULL; touch = touch->other) {
    times += touch->times[ATOMIC] + touch->times[STORE];
  }
  return times;
}

static Int by_writes(const void *one, const void *other) {
  const Line *a = *(Line *const *)one, *b = *(Line *const *)other;
  ULong of_a = writes(a), of_b = writes(b);
  if (of_a != of_b) return of_a < of_b ? 1 : -1;
  return a->address < b->address ? -1 : a->address > b->address;
}

XArray *tl_lines_contended(void) {
  XArray *found = VG_(newXA)(VG_(malloc), "tl.contended", VG_(free), sizeof(Line *));
  if (lines == NULL) return found;
  VG_(HT_ResetIter)(lines);
  for (Line *line = VG_(HT_Next)(lines); line != NULL; line = VG_(HT_Next)(lines)) {
    if (tl_line_is_contended(line)) VG_(addToXA)(found, &line);
  }
  VG_(setCmpFnXA)(found, by_writes);
  VG_(sortXA)(found);
  return found;
}

void tl_lines_zero(void) {
  if (lines == NULL) return;
  VG_(HT_destruct)(lines, VG_(free));
  if (touches != NULL) VG_(HT_destruct)(touches, VG_(free));
  lines = touches = NULL;
}
