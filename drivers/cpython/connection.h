/* One side of one connection: endpoint.py's object, and the calls on it. */
#ifndef CPYTHON_CONNECTION_H
#define CPYTHON_CONNECTION_H

#include "context.h"
#include "tlslab_endpoint.h"

struct connection {
  PyObject *object;
  const struct context *context;
};

int connection_new(void *context, void **handle, tlslab_error *error);
int connection_resume(void *context, void *session, void **handle, tlslab_error *error);
int connection_session(void *handle, void **session, tlslab_error *error);
void session_free(void *session);
void connection_free(void *handle);
int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error);
int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error);
void connection_facts(void *handle, tlslab_facts *facts);

#endif
