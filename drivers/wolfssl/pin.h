/* Holds a context to exactly what a scenario names: one version, one suite, one group, one signature scheme. */
#ifndef WOLFSSL_DRIVER_PIN_H
#define WOLFSSL_DRIVER_PIN_H

#include "library.h"

/* A context of this version alone, or NULL. */
WOLFSSL_CTX *pin_version(int side, uint16_t version);

/* Each returns whether the library can be held to it. */
int pin_suite(WOLFSSL_CTX *ssl, uint16_t suite);
int pin_group(WOLFSSL_CTX *ssl, uint16_t group);
int pin_scheme(WOLFSSL_CTX *ssl, uint16_t scheme);

/* All but the version; TLSLAB_UNSUPPORTED with the reason where one of them cannot be had. */
int pin_scenario(WOLFSSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error);

#endif
