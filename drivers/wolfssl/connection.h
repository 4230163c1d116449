/* One side of one connection. */
#ifndef WOLFSSL_DRIVER_CONNECTION_H
#define WOLFSSL_DRIVER_CONNECTION_H

#include "context.h"

struct connection {
  WOLFSSL *ssl;
  struct context *context;
  tlslab_bytes input;
  tlslab_buffer *output; /* NULL in a call that sends nothing */
  size_t unsent;         /* bytes that the library wrote in such a call */
  int overflowed;        /* something did not fit the output buffer */
  int tickets_received;  /* by a client that counts them */
  int early_data_ended;  /* of a server: what comes now is the handshake */
};

/* The library's reads and writes, straight from and to the kit's buffers. */
int wire_read(WOLFSSL *ssl, char *data, int len, void *handle);
int wire_write(WOLFSSL *ssl, char *data, int len, void *handle);

/* Why a call on a connection failed. */
int connection_failed(struct connection *connection, const char *what, int result, tlslab_error *error);

int connection_new(void *context, void **handle, tlslab_error *error);
void connection_free(void *handle);
int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error);
int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error);
int connection_make_key_share(void *handle, tlslab_error *error);
void connection_facts(void *handle, tlslab_facts *facts);

#endif
