/* Holds a context to exactly what a scenario names: one version, one suite, one group, one signature scheme. In
 * TLS 1.2 one list is for the key exchange and for the peer's certificate: it has that certificate's curve as well. */
#ifndef LIBSSL_PIN_H
#define LIBSSL_PIN_H

#include "library.h"
#include "tlslab_endpoint.h"

/* Each returns whether the library can do it. The suite goes first: where there is no setter for it, choosing it
 * touches all the others. */
int pin_suite(SSL_CTX *ssl, uint16_t suite);
int pin_version(SSL_CTX *ssl, uint16_t version);
int pin_group(SSL_CTX *ssl, uint16_t group);
int pin_scheme(SSL_CTX *ssl, uint16_t scheme);
/* The finite field that a server of TLS 1.2 chooses. */
int pin_field(SSL_CTX *ssl, uint16_t group);

enum { FFDHE2048 = 0x0100 };

/* All four; TLSLAB_UNSUPPORTED with the reason where one of them cannot be had. */
int pin_scenario(SSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error);

#endif
