/* What the libraries below the interpreter differ in. */
#ifndef CPYTHON_LIBRARY_H
#define CPYTHON_LIBRARY_H

#include <openssl/err.h>
#include <openssl/ssl.h>

#if defined(OPENSSL_IS_AWSLC)
#define DESCENDS_FROM_BORINGSSL 1
#include <openssl/service_indicator.h> /* awslc_version_string */
#else
#define DESCENDS_FROM_BORINGSSL 0
#endif

/* Tickets that are part of a server's handshake. Where they wait for the server's first write, there are none: the
 * library's SSL_write_ex, which is what Python calls, makes nothing of a write of no bytes. */
#define MOST_TICKETS (DESCENDS_FROM_BORINGSSL ? 0 : 16)

/* SSL_get_group_id and SSL_get_peer_signature_algorithm, which answer with IANA's code points. */
#define REPORTS_CODE_POINTS DESCENDS_FROM_BORINGSSL

/* SSL_get_negotiated_group. */
#define REPORTS_GROUP (!DESCENDS_FROM_BORINGSSL && OPENSSL_VERSION_NUMBER >= 0x30000000L)

/* A client makes one key share for a hybrid group and one for another, if it offers both. */
#define MAKES_TWO_KEY_SHARES DESCENDS_FROM_BORINGSSL

/* Python's callbacks for pre-shared keys reach TLS 1.3. */
#define HAS_PSK_IN_TLS13 (!DESCENDS_FROM_BORINGSSL)

#endif
