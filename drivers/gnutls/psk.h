/* A key that both sides were given beforehand, in TLS 1.3. */
#ifndef GNUTLS_PSK_H
#define GNUTLS_PSK_H

#include "context.h"

/* Gives a context the material's key. */
int psk_pin(struct context *context, const tlslab_material *material, tlslab_error *error);

/* Gives a connection its context's key. Returns a code of the library. */
int psk_attach(const struct context *context, gnutls_session_t session);

void psk_free(struct context *context);

#endif
