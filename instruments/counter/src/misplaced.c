/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "misplaced.h"

#include "pub_tool_aspacemgr.h"

/* The header of an ELF file of 64 bits, and a header of a segment, as far as they are needed here. */
typedef struct {
  UChar ident[16];
  UShort type, machine;
  UInt version;
  ULong entry, segments, sections;
  UInt flags;
  UShort bytes, segment_bytes, segment_count;
} FileHeader;

typedef struct {
  UInt type, flags;
  ULong offset, address, physical, file_bytes, memory_bytes, alignment;
} SegmentHeader;

#define LOADED 1
#define WRITABLE 2
#define PAGE_BYTES 4096

static Bool is_readable(Addr address, SizeT bytes) {
  const NSegment *segment = VG_(am_find_nsegment)(address);
  return segment != NULL && segment->hasR && address + bytes - 1 <= segment->end;
}

/* The last writable segment of an object that lies at `base`. */
static const SegmentHeader *last_writable(Addr base) {
  if (!is_readable(base, sizeof(FileHeader))) return NULL;
  const FileHeader *file = (const FileHeader *)base;
  if (VG_(strncmp)((const HChar *)file->ident, "\177ELF", 4) != 0) return NULL;
  if (file->segment_bytes != sizeof(SegmentHeader)) return NULL;
  const SegmentHeader *segments = (const SegmentHeader *)(base + file->segments), *last = NULL;
  if (!is_readable((Addr)segments, file->segment_count * sizeof *segments)) return NULL;
  for (UInt at = 0; at < file->segment_count; at++) {
    if (segments[at].type == LOADED && (segments[at].flags & WRITABLE)) last = &segments[at];
  }
  return last;
}

/* How far valgrind takes an address in an object to be from where it is; 0 where it does not lie in its last writable segment. */
static Word shift_in(const DebugInfo *object, Addr address) {
  if (VG_(DebugInfo_get_bss_size)(object) == 0) return 0;
  Addr base = (Addr)VG_(DebugInfo_get_text_bias)(object);
  const SegmentHeader *last = last_writable(base);
  if (last == NULL) return 0;
  Addr begin = base + last->address;
  if (address < begin || address >= begin + last->memory_bytes) return 0;
  /* The part that is not in the file begins behind the rest, apart from alignment. */
  Word shift = (Word)VG_(DebugInfo_get_bss_avma)(object) - (Word)(begin + last->file_bytes);
  /* The nearest number of pages; dividing rounds towards 0. */
  return (shift + (shift < 0 ? -PAGE_BYTES / 2 : PAGE_BYTES / 2)) / PAGE_BYTES * PAGE_BYTES;
}

Addr tl_known_at(Addr address) {
  for (const DebugInfo *object = VG_(next_DebugInfo)(NULL); object != NULL; object = VG_(next_DebugInfo)(object)) {
    Word shift = shift_in(object, address);
    if (shift != 0) return address + shift;
  }
  return address;
}
