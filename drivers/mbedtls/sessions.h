/* Sessions: how both sides remember them, how many tickets a server sends, and how a client takes one up. */
#ifndef MBEDTLS_SESSIONS_H
#define MBEDTLS_SESSIONS_H

#include "context.h"

/* Make a side remember sessions in the scenario's way, and in no other. */
void sessions_pin_client(struct context *context, const tlslab_scenario *scenario);
int sessions_pin_server(struct context *context, const tlslab_scenario *scenario, tlslab_error *error);

/* The endpoint's calls. */
int connection_session(void *connection, void **session, tlslab_error *error);
void session_free(void *session);
int session_copy(void *session, void **copy, tlslab_error *error);
int connection_resume(void *context, void *session, void **connection, tlslab_error *error);

#endif
