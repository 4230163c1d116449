/* Sessions: how both sides remember them, how many tickets a server sends, and how a client takes one up. */
#ifndef LIBSSL_SESSIONS_H
#define LIBSSL_SESSIONS_H

#include "library.h"
#include "tlslab_endpoint.h"

/* Make a side remember sessions in the scenario's way, and in no other. */
int sessions_pin_server(SSL_CTX *ssl, const tlslab_scenario *scenario, tlslab_error *error);
void sessions_pin_client(SSL_CTX *ssl, const tlslab_scenario *scenario);

/* The endpoint's calls. */
int connection_session(void *connection, void **session, tlslab_error *error);
void session_free(void *session);
int session_copy(void *session, void **copy, tlslab_error *error);
int connection_resume(void *context, void *session, void **connection, tlslab_error *error);

#endif
