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
  int retries;               /* of a client whose first key share is for a group that the server does not take */
  uint32_t early_data;
  struct guard *guard; /* of a server that accepts early data */
  /* Where both sides were given a key. */
  char *psk_identity;
  gnutls_datum_t psk;
  gnutls_psk_client_credentials_t client_psk;
  gnutls_psk_server_credentials_t server_psk;
};

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error);
void context_free(void *handle);

#endif
