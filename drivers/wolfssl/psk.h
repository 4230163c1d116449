/* A key that both sides were given beforehand, in TLS 1.3. */
#ifndef WOLFSSL_DRIVER_PSK_H
#define WOLFSSL_DRIVER_PSK_H

#include "context.h"

/* Makes a context's connections use the material's key, with a key exchange or without. */
int psk_pin(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
            tlslab_error *error);

#endif
