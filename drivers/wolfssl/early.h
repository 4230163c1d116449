/* Early data: what a client sends with its first flight. */
#ifndef WOLFSSL_DRIVER_EARLY_H
#define WOLFSSL_DRIVER_EARLY_H

#include "library.h"

#if HAS_EARLY_DATA

/* Lets a server accept as much early data as the scenario has. */
void early_pin_server(WOLFSSL_CTX *ssl, const tlslab_scenario *scenario);

/* The endpoint's calls. */
int connection_send_early(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_handshake_early(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                               tlslab_error *error);

/* 1 where the connection's early data was accepted, 0 where it was rejected, -1 where there was none. */
int early_data_of(const WOLFSSL *ssl);

#endif

#endif
