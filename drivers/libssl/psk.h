/* A key that both sides were given beforehand. */
#ifndef LIBSSL_PSK_H
#define LIBSSL_PSK_H

#include "context.h"

/* Makes a context's connections use the material's key and nothing else. */
int psk_pin(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
            tlslab_error *error);

/* The same in TLS 1.2, where the suite says how the key is used. */
int psk_suites_pin(struct context *context, const tlslab_material *material, tlslab_error *error);

#endif
