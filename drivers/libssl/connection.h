/* One side of one connection. */
#ifndef LIBSSL_CONNECTION_H
#define LIBSSL_CONNECTION_H

#include "context.h"
#include "library.h"
#include "tlslab_endpoint.h"
#include "wire.h"

struct connection {
  struct wire wire; /* first, so that the wire's address is the connection's */
  SSL *ssl;
  const struct context *context;
  int tickets_received; /* by a client of a scenario with tickets */
  SSL_SESSION *session; /* of such a client: the latest, NULL before there is one */
  int sent_early_data;  /* of a client */
  int early_data_ended; /* of a server: what comes now is the handshake */
};

int connection_new(void *context, void **handle, tlslab_error *error);
void connection_free(void *handle);
int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error);
int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error);
void connection_facts(void *handle, tlslab_facts *facts);

/* The connection that a library's object belongs to. */
struct connection *connection_of(const SSL *ssl);

#endif
