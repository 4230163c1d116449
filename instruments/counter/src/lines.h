/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of the cache: which threads use them, which of these write, and how often, by bucket and place in the code. */
#ifndef TL_LINES_H
#define TL_LINES_H

#include "buckets.h"
#include "heap_blocks.h"

#define LINE_BYTES 64

/* More than one thread, where the user of a byte is told. */
#define SEVERAL 255

typedef enum { ATOMIC, STORE, LOAD, ACCESSES } Access;

/* How often one place in the code accesses a line. */
typedef struct Touch {
  struct Touch *next; /* as VG_(HT_...) wants it */
  UWord key;
  const struct Line *line;
  struct Touch *other; /* the next of the line's */
  UInt bucket;
  Addr address;     /* of the instruction */
  ExeContext *from; /* who called it; NULL but for atomic operations */
  ULong times[ACCESSES];
} Touch;

typedef struct Line {
  struct Line *next; /* as VG_(HT_...) wants it */
  UWord key;
  Addr address;
  const HeapBlock *block; /* NULL outside the heap */
  Bool is_allocator;      /* accessed by the allocator's own code */
  ULong users, writers;   /* a bit for each thread */
  UChar first[LINE_BYTES]; /* by byte: the thread that uses it, 0 for none, SEVERAL */
  ULong written;           /* a bit for each byte */
  Touch *touches;
} Line;

/* The running thread accesses some bytes. Nothing is noted outside of all buckets. */
void tl_line_touch(Addr address, UWord bytes, Access access, Addr instruction, Bool in_allocator);

/* Whether at least two threads use a line and one of them writes. */
Bool tl_line_is_contended(const Line *line);

/* Whether they use the same bytes, of which one is written. Else only the line is the same. */
Bool tl_line_is_truly_shared(const Line *line);

/* All contended lines, those with the most atomic operations and stores first. The caller deletes the array of `Line *`. */
XArray *tl_lines_contended(void);

/* The accesses of one kind in a bucket. */
ULong tl_line_times(const Line *line, UInt bucket, Access access);

void tl_lines_zero(void);

#endif
