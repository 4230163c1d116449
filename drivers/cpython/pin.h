/* What Python's interface cannot pin, pinned on the library's context inside Python's.
 *
 * Each returns whether the library can do it. */
#ifndef CPYTHON_PIN_H
#define CPYTHON_PIN_H

#include <openssl/ssl.h>
#include <stdint.h>

#include "tlslab_endpoint.h"

int pin_suite(SSL_CTX *ssl, uint16_t suite);
int pin_group(SSL_CTX *ssl, uint16_t group);
/* A side of TLS 1.2 that meets an ECDSA certificate has its curve in the list of groups as well. */
int pin_groups(SSL_CTX *ssl, int side, const tlslab_scenario *scenario);
/* The finite field that a server of TLS 1.2 chooses. */
int pin_field(SSL_CTX *ssl, uint16_t group);
int pin_scheme(SSL_CTX *ssl, uint16_t scheme);

#endif
