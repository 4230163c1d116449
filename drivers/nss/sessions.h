/* Tickets, and how a session is taken up again. */
#ifndef NSS_SESSIONS_H
#define NSS_SESSIONS_H

#include <prio.h>
#include <seccomon.h>

#include "tlslab_endpoint.h"

/* What a client keeps of a connection: the library's token, which has a ticket in it, or for a session that the server
 * keeps, the terminated name under which it is in the library's own cache. */
struct session {
  size_t len;
  uint8_t bytes[];
};

/* Sets how either side of a scenario remembers sessions. */
SECStatus sessions_pin(PRFileDesc *model, int side, const tlslab_scenario *scenario);

/* Gives a connection a name of its own in the client's cache, where nothing is to be found under it. */
struct connection;
int sessions_begin(struct connection *connection, tlslab_error *error);

int connection_session(void *handle, void **session, tlslab_error *error);
void session_free(void *session);
int session_copy(void *session, void **copy, tlslab_error *error);
int connection_resume(void *context, void *session, void **handle, tlslab_error *error);

#endif
