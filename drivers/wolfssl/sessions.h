/* Sessions: how both sides remember them, how many tickets a server sends, and how a client takes one up. */
#ifndef WOLFSSL_DRIVER_SESSIONS_H
#define WOLFSSL_DRIVER_SESSIONS_H

#include "library.h"

/* Make a side remember sessions in the scenario's way, and in no other. */
int sessions_pin_server(WOLFSSL_CTX *ssl, const tlslab_scenario *scenario, tlslab_error *error);
int sessions_pin_client(WOLFSSL_CTX *ssl, const tlslab_scenario *scenario, tlslab_error *error);

/* The endpoint's calls. */
int connection_session(void *connection, void **session, tlslab_error *error);
void session_free(void *session);
int session_copy(void *session, void **copy, tlslab_error *error);
int connection_resume(void *context, void *session, void **connection, tlslab_error *error);

#endif
