/* Declarations shared by the driver's files. */
#ifndef S2N_DRIVER_H
#define S2N_DRIVER_H

#include <s2n.h>

#include "tlslab_driver.h"

enum { MOST_TICKETS = 16, MOST_EARLY_DATA = 65536 };

/* State shared by the connections of one side of one scenario. */
struct context {
  struct s2n_config *config;
  struct s2n_cert_chain_and_key *chain; /* what this side shows, if anything */
  struct table *sessions;               /* of a server that keeps them */
  const char *server_name;              /* of a client */
  struct s2n_psk *psk;                  /* where both sides were given one */
  int has_early_data;
  int keeps_defaults; /* of the library */
  int side;
  int counts_tickets;
  int sees_certificate; /* the peer shows one */
};

/* One side of one connection, with the wire under it. */
struct connection {
  struct s2n_connection *ssl;
  const struct context *context;
  tlslab_wire wire;
  int tickets_received; /* by a client of a scenario with tickets */
  int early_data_ended; /* of a server: what comes now is the handshake */
};

/* The library's built-in policies are the one way to tell it what to agree on. With which a side takes part in agreeing on a
 * group and a suite, or NULL. */
const char *policy(int side, uint16_t group, uint16_t suite);

/* The same where the client is to make its first key share for a group that the server does not take. */
const char *retry_policy(int side, const tlslab_scenario *scenario);

/* Whether policies lead to a group, or to a suite: the library may have them no more or lack an algorithm. The other is 0. */
int is_reached(uint16_t group, uint16_t suite);

/* Why the library cannot remember sessions as the scenario has it, or NULL. */
const char *sessions_refuse(const tlslab_scenario *scenario);

/* Make a side remember sessions in the scenario's way, and in no other. `table` is set where the server needs one: there it
 * keeps the sessions that clients take up by name. It is freed with `free`. */
int sessions_pin_server(struct s2n_config *config, const tlslab_scenario *scenario, struct table **table,
                        tlslab_error *error);
int sessions_pin_client(struct s2n_config *config, const tlslab_scenario *scenario, tlslab_error *error);

/* Whether the library waits for its peer. */
static inline int waits(void) { return s2n_error_get_type(s2n_errno) == S2N_ERR_T_BLOCKED; }

/* Says what failed and the library's last reason. Returns TLSLAB_FAILED. */
static inline int reason(tlslab_error *error, const char *what) {
  int code = s2n_errno;
  return tlslab_failed(error, "%s: %s (%s)", what, s2n_strerror(code, "EN"), s2n_strerror_name(code));
}

#endif
