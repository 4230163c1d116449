/* What each algorithm is called: on the wire, by the libraries and in scenario files. */
#ifndef LIBSSL_NAMES_H
#define LIBSSL_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct algorithm {
  uint16_t point;       /* IANA's code point */
  const char *library;  /* as the libraries' text interfaces take it */
  const char *scenario; /* as scenario files write it */
};

enum { GROUPS = 6, SUITES = 21, SCHEMES = 7 };

extern const struct algorithm groups[GROUPS];
extern const struct algorithm suites[SUITES];
extern const struct algorithm schemes[SCHEMES];

/* The entry with this code point, or NULL. */
const struct algorithm *algorithm_by_point(const struct algorithm *list, size_t len, uint16_t point);

#endif
