/* Holds the library to exactly what a scenario names: one version, one suite, one group, one signature scheme. */
#ifndef GNUTLS_PIN_H
#define GNUTLS_PIN_H

#include <gnutls/gnutls.h>

#include "tlslab_endpoint.h"

/* The priorities that allow these and nothing else; TLSLAB_UNSUPPORTED with the reason where they cannot be had. */
int pin(int side, const tlslab_scenario *scenario, gnutls_priority_t *priority, tlslab_error *error);

#endif
