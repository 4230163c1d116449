/* Why a call failed, in the library's own words. */
#ifndef WOLFSSL_DRIVER_REASON_H
#define WOLFSSL_DRIVER_REASON_H

#include "library.h"

/* All return what the call is to end with. */

/* The library cannot be held to this code point. */
int reason_of_pin(tlslab_error *error, const char *what, uint16_t point);

/* The library cannot do what is asked for, and why. */
int reason_unsupported(tlslab_error *error, const char *why);

/* `what` failed; a negative code is one of the library's. */
int reason_of_code(tlslab_error *error, const char *what, int code);

#endif
