/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "contention.h"

#include "describe.h"
#include "lines.h"
#include "locks.h"
#include "misplaced.h"
#include "options.h"

/* The functions that are named of a stack. */
#define MOST_FRAMES 10

static void write_function(VgFile *file, DiEpoch epoch, Addr address) {
  const HChar *name;
  if (!VG_(get_fnname)(epoch, address, &name)) name = "???";
  /* Without the version of a symbol. */
  for (; *name != 0 && *name != '@'; name++) VG_(fprintf)(file, "%c", *name);
}

static void write_frame(UInt at, DiEpoch epoch, Addr address, void *file) {
  if (at >= MOST_FRAMES) return;
  if (at > 0) VG_(fprintf)(file, ";");
  write_function(file, epoch, address);
}

/* From the innermost on. */
static void write_stack(VgFile *file, ExeContext *stack) {
  if (stack != NULL) VG_(apply_ExeContext)(write_frame, file, stack);
}

/* The owner of an address: a block or a variable, with the offset; then the allocating function of the block. */
static void write_owner(VgFile *file, Addr address, const HeapBlock *block) {
  DiEpoch epoch = VG_(current_DiEpoch)();
  const HChar *name;
  PtrdiffT offset;
  if (block != NULL) {
    Addr from = address < block->address ? block->address : address;
    VG_(fprintf)(file, "heap\t%lu+%lu\t", (UWord)(from - block->address), block->bytes);
    write_stack(file, block->asked_by);
  } else if (VG_(get_datasym_and_offset)(epoch, tl_known_at(address), &name, &offset)) {
    VG_(fprintf)(file, "static\t%s+%ld\t", name, (Word)offset);
  } else {
    VG_(fprintf)(file, "other\t%s\t", tl_object(epoch, address));
  }
}

/* A line may hold several variables: the first byte that two threads use names it, else the first that is written. */
static Addr most_telling(const Line *line) {
  UInt second = LINE_BYTES;
  for (UInt at = 0; at < LINE_BYTES; at++) {
    Bool written = line->written >> at & 1;
    if (line->first[at] == SEVERAL && written) return line->address + at;
    if (written && second == LINE_BYTES) second = at;
  }
  return line->address + second % LINE_BYTES;
}

static void write_line(VgFile *file, const Line *line) {
  VG_(fprintf)(file, "line\t%s\t", tl_line_is_truly_shared(line) ? "true" : "false");
  if (line->is_allocator) {
    VG_(fprintf)(file, "allocator\t\t");
  } else {
    write_owner(file, most_telling(line), line->block);
  }
  VG_(fprintf)(file, "\n");
  for (const Touch *touch = line->touches; touch != NULL; touch = touch->other) {
    VG_(fprintf)(file, "touch\t%u\t%llu\t%llu\t%llu\t", touch->bucket, touch->times[ATOMIC], touch->times[STORE],
                 touch->times[LOAD]);
    if (touch->from == NULL) {
      write_function(file, VG_(current_DiEpoch)(), touch->address);
    } else {
      write_stack(file, touch->from);
    }
    VG_(fprintf)(file, "\n");
  }
}

static void write_lock(VgFile *file, const Lock *lock) {
  VG_(fprintf)(file, "lock\t");
  write_owner(file, lock->address, lock->block);
  VG_(fprintf)(file, "\t");
  write_stack(file, lock->taken_in);
  VG_(fprintf)(file, "\n");
  for (Word at = 0; at < VG_(sizeXA)(lock->held); at++) {
    const Held *held = VG_(indexXA)(lock->held, at);
    VG_(fprintf)(file, "held\t%u\t%llu\t%llu\t%llu\n", held->bucket, held->alone, held->together, held->instructions);
  }
}

static void write_bucket(VgFile *file, UInt bucket, XArray *lines, Bool of_allocator) {
  ULong times[ACCESSES] = {0};
  for (Word at = 0; at < VG_(sizeXA)(lines); at++) {
    const Line *line = *(Line **)VG_(indexXA)(lines, at);
    if (line->is_allocator != of_allocator) continue;
    for (Access access = 0; access < ACCESSES; access++) times[access] += tl_line_times(line, bucket, access);
  }
  VG_(fprintf)(file, "%s\t%u\t%llu\t%llu\t%llu", of_allocator ? "allocator" : "bucket", bucket, times[ATOMIC], times[STORE],
               times[LOAD]);
  if (!of_allocator) VG_(fprintf)(file, "\t%llu", tl_locks_serial(bucket));
  VG_(fprintf)(file, "\n");
}

Int tl_contention_dump(const HChar *path) {
  if (!tl_options.contention) return VKI_EINVAL;
  if (path == NULL) return VKI_EFAULT;
  VgFile *file = VG_(fopen)(path, VKI_O_CREAT | VKI_O_TRUNC | VKI_O_WRONLY, 0644);
  if (file == NULL) return VKI_EACCES;
  tl_contention_pause();
  VG_(fprintf)(file, "contention\t1\n");
  XArray *lines = tl_lines_contended(), *locks = tl_locks_shared();
  for (UInt bucket = 1; bucket < BUCKETS; bucket++) {
    if (tl_totals[bucket].instructions == 0) continue;
    write_bucket(file, bucket, lines, False);
    write_bucket(file, bucket, lines, True);
  }
  for (Word at = 0; at < VG_(sizeXA)(lines); at++) write_line(file, *(Line **)VG_(indexXA)(lines, at));
  for (Word at = 0; at < VG_(sizeXA)(locks); at++) write_lock(file, *(Lock **)VG_(indexXA)(locks, at));
  VG_(deleteXA)(lines);
  VG_(deleteXA)(locks);
  VG_(fclose)(file);
  tl_contention_go_on();
  return 0;
}
