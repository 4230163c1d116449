/* Early data: what a client sends with its first flight, and the server's guard against replays of it. */
#ifndef GNUTLS_EARLY_H
#define GNUTLS_EARLY_H

#include <gnutls/gnutls.h>

#include "tlslab_endpoint.h"

struct guard;

/* NULL when there is no memory. */
struct guard *guard_new(void);
void guard_free(struct guard *guard);

/* Makes a server's session accept so much early data, each once. The guard must outlive it. Returns a code of the
 * library. */
int guard_attach(struct guard *guard, gnutls_session_t session, uint32_t most_bytes);

/* The endpoint's calls. */
int connection_send_early(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_handshake_early(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                               tlslab_error *error);

#endif
