/* A key that both sides were given beforehand. */
#ifndef S2N_PSK_H
#define S2N_PSK_H

#include "context.h"

/* Makes a context's connections use the material's key. */
int psk_pin(struct context *context, const tlslab_material *material, tlslab_error *error);

#endif
