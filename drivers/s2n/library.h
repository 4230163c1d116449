/* The algorithms of scenarios, the policies that lead to them, and why a call failed. */
#ifndef S2N_LIBRARY_H
#define S2N_LIBRARY_H

#include <s2n.h>
#include <stddef.h>

#include "tlslab_endpoint.h"

struct algorithm {
  uint16_t point;       /* IANA's code point */
  const char *library;  /* as the library calls it; NULL for suites, which it tells by number */
  const char *scenario; /* as scenario files write it */
};

enum { GROUPS = 5, SUITES = 3, SCHEMES = 2 };

extern const struct algorithm groups[GROUPS];
extern const struct algorithm suites[SUITES];
extern const struct algorithm schemes[SCHEMES];

/* The code point of what the library calls `name`, or 0. */
uint16_t algorithm_by_name(const struct algorithm *list, size_t len, const char *name);

/* The built-in policy with which a side takes part in agreeing on a group and a suite, or NULL. */
const char *policy(int side, uint16_t group, uint16_t suite);

/* Says what failed and the library's last reason. Returns TLSLAB_FAILED. */
int reason(tlslab_error *error, const char *what);

/* Says what failed, which the library knows nothing of. Returns TLSLAB_FAILED. */
int reason_of_driver(tlslab_error *error, const char *what);

#endif
