// One side of one connection.
#ifndef BOTAN_CONNECTION_HH
#define BOTAN_CONNECTION_HH

#include "tlslab_endpoint.h"

int connection_new(void *context, void **handle, tlslab_error *error);
void connection_free(void *handle);
int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error);
int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error);
void connection_facts(void *handle, tlslab_facts *facts);
int connection_session(void *handle, void **session, tlslab_error *error);
void session_free(void *session);
int session_copy(void *session, void **copy, tlslab_error *error);
int connection_make_key_share(void *handle, tlslab_error *error);
int connection_resume(void *context, void *session, void **handle, tlslab_error *error);

#endif
