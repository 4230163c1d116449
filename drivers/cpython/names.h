/* What each algorithm is called: on the wire, by the library and in scenario files. */
#ifndef CPYTHON_NAMES_H
#define CPYTHON_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct algorithm {
  uint16_t point;       /* IANA's code point; of a hash tlslab_hash */
  const char *library;  /* as the library's text interfaces take it */
  const char *scenario; /* as scenario files write it */
};

enum { GROUPS = 6, SUITES = 12, SCHEMES = 7, HASHES = 8, FFDHE2048 = 0x0100 };

extern const struct algorithm groups[GROUPS];
extern const struct algorithm suites[SUITES];
extern const struct algorithm schemes[SCHEMES];
extern const struct algorithm hashes[HASHES];

/* The library's name for this code point, or NULL. */
const char *name_of(const struct algorithm *list, size_t len, uint16_t point);

#endif
