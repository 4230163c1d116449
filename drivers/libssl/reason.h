/* Why a call failed, in the library's own words. */
#ifndef LIBSSL_REASON_H
#define LIBSSL_REASON_H

#include "library.h"
#include "tlslab_endpoint.h"

/* Says what failed and what the library's error queue gives as the first cause, empties the queue and returns
 * `status`, so that a call can end with it. */
int reason_of_library(tlslab_error *error, int status, const char *what);

/* The same for a call on a connection that returned `result`. */
int reason_of_connection(tlslab_error *error, SSL *ssl, int result);

#endif
