/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "strings.h"

static Bool is_prefix(UChar byte) {
  switch (byte) {
  case 0x26: case 0x2e: case 0x36: case 0x3e: /* segments */
  case 0x64: case 0x65:
  case 0x66: case 0x67: /* sizes */
  case 0xf2: case 0xf3: /* repetitions */
    return True;
  default:
    return (byte & 0xf0) == 0x40; /* REX */
  }
}

Bool tl_is_repeated_string(Addr address, UInt length, Step *step) {
  const UChar *bytes = (const UChar *)address;
  Bool repeats = False;
  if (length < 2) return False;
  /* The operation comes last: it takes no operand. */
  for (UInt at = 0; at < length - 1; at++) {
    if (!is_prefix(bytes[at])) return False;
    if (bytes[at] == 0xf2 || bytes[at] == 0xf3) repeats = True;
  }
  if (!repeats) return False;
  *step = (Step){.address = address, .instructions = 1};
  switch (bytes[length - 1] & 0xfe) {
  case 0xa4: /* MOVS */
    step->loads = step->stores = 1;
    return True;
  case 0xa6: /* CMPS */
    step->loads = 2;
    return True;
  case 0xaa: /* STOS */
    step->stores = 1;
    return True;
  case 0xac: /* LODS */
  case 0xae: /* SCAS */
    step->loads = 1;
    return True;
  default:
    return False;
  }
}
