/* Early data: what a client sends with its first flight. */
#ifndef LIBSSL_EARLY_H
#define LIBSSL_EARLY_H

#include "library.h"
#include "tlslab_endpoint.h"

/* Lets a context's connections carry as much early data as the scenario has. */
int early_pin(SSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error);

/* The endpoint's calls. */
int connection_send_early(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_handshake_early(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                               tlslab_error *error);

/* 1 where the connection's early data was accepted, 0 where it was rejected, -1 where there was none. */
int early_data_of(const SSL *ssl);

#endif
