/* A key that both sides were given beforehand. */
#ifndef NSS_PSK_H
#define NSS_PSK_H

#include "context.h"
#include "tlslab_endpoint.h"

int psk_is_there(void);

/* Gives a model the material's key, which its connections take over. */
SECStatus psk_pin(struct context *context, const tlslab_material *material);

#endif
