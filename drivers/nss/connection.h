/* One side of one connection. */
#ifndef NSS_CONNECTION_H
#define NSS_CONNECTION_H

#include "context.h"
#include "sessions.h"
#include "tlslab_endpoint.h"
#include "wire.h"

struct connection {
  struct wire wire; /* first, so that the wire's address is the connection's */
  PRFileDesc *ssl;
  const struct context *context;
  struct session *session; /* what the next connection is to take up; NULL if nothing */
  int tickets_received;
  int early_data_ended; /* of a server: what comes now is the handshake */
};

int connection_new(void *context, void **handle, tlslab_error *error);
void connection_free(void *handle);
int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error);
int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error);

/* In facts.c. */
void connection_facts(void *handle, tlslab_facts *facts);

/* A connection without a session yet. */
int connection_open(const struct context *context, struct connection **connection, tlslab_error *error);

#endif
