/* What each algorithm is called: on the wire, by the library and in scenario files. */
#ifndef GNUTLS_NAMES_H
#define GNUTLS_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct algorithm {
  uint16_t point;       /* IANA's code point */
  const char *library;  /* as the library prints it, and takes it in priority strings; a suite of TLS 1.2 is a key
                         * exchange and a cipher, joined as there */
  const char *scenario; /* as scenario files write it */
};

enum { VERSIONS = 2, GROUPS = 6, SUITES = 19, SCHEMES = 6 };

extern const struct algorithm versions[VERSIONS];
extern const struct algorithm groups[GROUPS];
extern const struct algorithm suites[SUITES];
/* For each version in turn: one code point is called differently in either. */
extern const struct algorithm schemes[VERSIONS][SCHEMES];

/* The entry with this code point, or NULL. */
const struct algorithm *algorithm_by_point(const struct algorithm *list, size_t len, uint16_t point);

/* The code point of what the library calls so; 0 for NULL and for what is not in the list. */
uint16_t point_by_name(const struct algorithm *list, size_t len, const char *name);

#endif
