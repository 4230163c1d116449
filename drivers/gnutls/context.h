/* What the connections of one side of one scenario share. */
#ifndef GNUTLS_CONTEXT_H
#define GNUTLS_CONTEXT_H

#include <gnutls/gnutls.h>

#include "store.h"
#include "tlslab_endpoint.h"

enum { MOST_TICKETS = 16 };

struct context {
  int side;
  uint32_t tickets;
  uint32_t verification;
  int sends_tickets_after; /* of a server: the handshake, as TLS 1.3 does */
  int mutual;              /* whether the server asks for the client's chain */
  gnutls_priority_t priority;
  gnutls_certificate_credentials_t credentials;
  gnutls_datum_t ticket_key; /* of a server whose scenario has tickets */
  struct store *store;       /* of a server that keeps sessions */
  char *server_name;         /* of a client */
};

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error);
void context_free(void *handle);

#endif
