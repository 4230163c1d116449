/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "places.h"

#include "describe.h"

static VgHashTable *places;
static VgHashTable *functions;

static Word is_elsewhere(const void *one, const void *other) {
  const Place *a = one, *b = other;
  return a->address != b->address || a->epoch != b->epoch;
}

static Word is_other_function(const void *one, const void *other) {
  const Function *a = one, *b = other;
  return a->object != b->object || a->file != b->file || a->name != b->name;
}

static const Function *function_of(Name object, Name file, Name name) {
  if (functions == NULL) functions = VG_(HT_construct)("tl.functions");
  UWord key = ((UWord)object * 31 + (UWord)file) * 31 + (UWord)name;
  Function wanted = {.key = key, .object = object, .file = file, .name = name};
  Function *function = VG_(HT_gen_lookup)(functions, &wanted, is_other_function);
  if (function == NULL) {
    function = VG_(malloc)("tl.function", sizeof *function);
    *function = wanted;
    VG_(HT_add_node)(functions, function);
  }
  return function;
}

/* The file in which the function begins that an instruction belongs to, whatever its line was included from. */
static Name home_file(DiEpoch epoch, Addr address, Name otherwise) {
  Addr first = tl_function_begins(epoch, address);
  if (first == address) return otherwise;
  const Place *begin = tl_place(epoch, first);
  return begin->levels[begin->depth - 1].file;
}

static Place *looked_up(DiEpoch epoch, Addr address) {
  Place *place = VG_(calloc)("tl.place", 1, sizeof *place);
  place->address = address;
  place->epoch = epoch.n;
  place->linked = tl_linked(epoch, address);
  Name object = tl_object(epoch, address);
  XArray *described = tl_describe(epoch, address);
  place->depth = VG_(sizeXA)(described);
  place->levels = VG_(malloc)("tl.levels", place->depth * sizeof *place->levels);
  for (UInt at = 0; at < place->depth; at++) {
    const Described *one = VG_(indexXA)(described, at);
    Bool is_outermost = at + 1 == place->depth;
    Name home = is_outermost ? home_file(epoch, address, one->file) : one->file;
    place->levels[at] = (Level){function_of(object, home, one->function), one->file, one->line};
  }
  VG_(deleteXA)(described);
  return place;
}

const Place *tl_place(DiEpoch epoch, Addr address) {
  if (places == NULL) places = VG_(HT_construct)("tl.places");
  Place wanted = {.key = address ^ (UWord)epoch.n << 48, .address = address, .epoch = epoch.n};
  Place *place = VG_(HT_gen_lookup)(places, &wanted, is_elsewhere);
  if (place == NULL) {
    place = looked_up(epoch, address);
    place->key = wanted.key;
    VG_(HT_add_node)(places, place);
  }
  return place;
}
