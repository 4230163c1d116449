/* One side of one connection, with the wire under it. */
#ifndef S2N_CONNECTION_H
#define S2N_CONNECTION_H

#include "context.h"

struct connection {
  struct s2n_connection *ssl;
  const struct context *context;
  tlslab_bytes input;
  tlslab_buffer *output; /* NULL in a call that sends nothing */
  size_t unsent;         /* bytes that the library wrote in such a call */
  int tickets_received;  /* by a client of a scenario with tickets */
  int early_data_ended;  /* of a server: what comes now is the handshake */
};

int connection_new(void *context, void **connection, tlslab_error *error);
void connection_free(void *connection);
int connection_handshake(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error);
int connection_send(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_receive(void *connection, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error);
void connection_facts(void *connection, tlslab_facts *facts);

#endif
