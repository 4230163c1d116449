/* Why a call failed, in the library's own words. */
#ifndef GNUTLS_REASON_H
#define GNUTLS_REASON_H

#include <gnutls/gnutls.h>

#include "tlslab_endpoint.h"

/* Says what failed and what the library's code for it means. Returns TLSLAB_FAILED. */
int reason_of_library(tlslab_error *error, const char *what, int code);

/* The same for a call on a connection, with the verdict on the peer's certificate or the peer's alert. */
int reason_of_connection(tlslab_error *error, gnutls_session_t session, int code);

#endif
