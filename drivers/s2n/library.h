/* What the library calls the algorithms of scenarios, and why a call failed. */
#ifndef S2N_LIBRARY_H
#define S2N_LIBRARY_H

#include <s2n.h>
#include <stddef.h>

#include "tlslab_endpoint.h"

enum { VERSION_12 = 0x0303, VERSION_13 = 0x0304 };

/* The code point of a group or a signature scheme by the library's name for it, or 0. */
uint16_t group_by_name(const char *name);
uint16_t scheme_by_name(const char *name);

/* Says what failed and the library's last reason. Returns TLSLAB_FAILED. */
int reason(tlslab_error *error, const char *what);

/* Says what failed, which the library knows nothing of. Returns TLSLAB_FAILED. */
int reason_of_driver(tlslab_error *error, const char *what);

#endif
