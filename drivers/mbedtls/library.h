/* The algorithms of scenarios, and why a call failed. */
#ifndef MBEDTLS_LIBRARY_H
#define MBEDTLS_LIBRARY_H

#include <mbedtls/psa_util.h>
#include <mbedtls/ssl.h>

#include "tlslab_endpoint.h"

struct algorithm {
  uint16_t point;       /* IANA's code point, which is the library's number too */
  const char *scenario; /* as scenario files write it */
};

enum { VERSIONS = 2, GROUPS = 6, SUITES = 21 };

extern const struct algorithm versions[VERSIONS];
extern const struct algorithm groups[GROUPS];
extern const struct algorithm suites[SUITES];

/* Whether the library was built with an option of its configuration file. */
int library_has(const char *option);

int library_knows_version(uint16_t point);
int library_knows_group(uint16_t point);
int library_knows_suite(uint16_t point);

/* Says what failed and, where the library gave a code, the library's text for it. Returns TLSLAB_FAILED. */
int reason(tlslab_error *error, const char *what, int code);

/* Says what the library cannot be held to. Returns TLSLAB_UNSUPPORTED. */
int reason_of_pin(tlslab_error *error, const char *what, uint16_t point);

#endif
