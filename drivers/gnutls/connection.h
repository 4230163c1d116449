/* One side of one connection. */
#ifndef GNUTLS_CONNECTION_H
#define GNUTLS_CONNECTION_H

#include "context.h"
#include "wire.h"

struct connection {
  struct wire wire; /* holds the session */
  const struct context *context;
  gnutls_typed_vdata_st verified[2]; /* what a certificate must be for, and its name; the session points to it */
  int tickets_received; /* by a client of a scenario with tickets */
};

int connection_new(void *context, void **handle, tlslab_error *error);
void connection_free(void *handle);
int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error);
int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error);
void connection_facts(void *handle, tlslab_facts *facts);

#endif
