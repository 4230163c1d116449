/* Holds a configuration to exactly what a scenario names: one version, one suite, one group, one signature scheme. In
 * TLS 1.2 one list is for the key exchange and for the certificates: it has the certificates' curve as well. */
#ifndef MBEDTLS_PIN_H
#define MBEDTLS_PIN_H

#include "context.h"

/* TLSLAB_UNSUPPORTED with the reason where one of them cannot be had. */
int pin_scenario(struct context *context, const tlslab_scenario *scenario, tlslab_error *error);

#endif
