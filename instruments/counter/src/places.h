/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The origin of an instruction: functions, files and lines from the debug information. */
#ifndef TL_PLACES_H
#define TL_PLACES_H

#include "valgrind.h"

/* Names are kept once: equal ones are at the same address. */
typedef const HChar *Name;

/* A function. Functions of one name in one object are told apart by their files. */
typedef struct Function {
  struct Function *next; /* as VG_(HT_...) wants it */
  UWord key;
  Name object, file, name;
} Function;

/* One function out of those that are at an instruction, and the line where it is. */
typedef struct {
  const Function *function;
  Name file;
  UInt line; /* 0 if unknown */
} Level;

/* The innermost function comes first; each but the last was inlined into the next. */
typedef struct Place {
  struct Place *next;
  UWord key;
  Addr address;
  Addr linked; /* the address that the object's own file has for it */
  UInt epoch;
  UInt depth; /* 1 at least */
  Level *levels;
} Place;

const Place *tl_place(DiEpoch epoch, Addr address);

#endif
