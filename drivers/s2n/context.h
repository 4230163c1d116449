/* What the connections of one side of one scenario share. */
#ifndef S2N_CONTEXT_H
#define S2N_CONTEXT_H

#include "sessions.h"

struct context {
  struct s2n_config *config;
  struct s2n_cert_chain_and_key *chain; /* what this side shows, if anything */
  struct table *sessions;               /* of a server that keeps them */
  char *server_name;                    /* of a client */
  struct s2n_psk *psk;                  /* where both sides were given one */
  int has_early_data;
  int side;
  int counts_tickets;
  int sees_certificate; /* the peer shows one */
};

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **context,
                tlslab_error *error);
void context_free(void *context);

#endif
