/* Sessions: how both sides remember them, how many tickets a server sends, and how a client takes one up. */
#ifndef S2N_SESSIONS_H
#define S2N_SESSIONS_H

#include "library.h"

enum { MOST_TICKETS = 16 };

/* Where a server keeps the sessions that clients take up by name. */
struct table;
void table_free(struct table *table);

/* Why the library cannot remember sessions as the scenario has it, or NULL. */
const char *sessions_refuse(const tlslab_scenario *scenario);

/* Make a side remember sessions in the scenario's way, and in no other. `table` is set where the server needs one. */
int sessions_pin_server(struct s2n_config *config, const tlslab_scenario *scenario, struct table **table,
                        tlslab_error *error);
int sessions_pin_client(struct s2n_config *config, const tlslab_scenario *scenario, tlslab_error *error);

/* The endpoint's calls. */
int connection_session(void *connection, void **session, tlslab_error *error);
void session_free(void *session);
int session_copy(void *session, void **copy, tlslab_error *error);
int connection_resume(void *context, void *session, void **connection, tlslab_error *error);

#endif
