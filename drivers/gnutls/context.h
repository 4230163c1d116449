/* What the connections of one side of one scenario share. */
#ifndef GNUTLS_CONTEXT_H
#define GNUTLS_CONTEXT_H

#include <gnutls/gnutls.h>

#include "tlslab_endpoint.h"

enum { MOST_TICKETS = 16 };

struct context {
  int side;
  uint32_t tickets;
  uint32_t verification;
  gnutls_priority_t priority;
  gnutls_certificate_credentials_t credentials;
  gnutls_datum_t ticket_key; /* of a server whose scenario has tickets */
  char *server_name;         /* of a client */
};

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error);
void context_free(void *handle);

#endif
