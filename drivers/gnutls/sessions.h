/* How a client keeps a session, and takes it up. */
#ifndef GNUTLS_SESSIONS_H
#define GNUTLS_SESSIONS_H

#include "tlslab_endpoint.h"

/* The endpoint's calls. */
int connection_session(void *connection, void **session, tlslab_error *error);
void session_free(void *session);
int session_copy(void *session, void **copy, tlslab_error *error);
int connection_resume(void *context, void *session, void **connection, tlslab_error *error);

#endif
