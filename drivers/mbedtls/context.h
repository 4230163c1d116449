/* What the connections of one side of one scenario share. */
#ifndef MBEDTLS_CONTEXT_H
#define MBEDTLS_CONTEXT_H

#include <mbedtls/ssl_ticket.h>

#include "library.h"

struct context {
  int users; /* itself and its connections: the library looks at the configuration when it frees a connection */
  mbedtls_ssl_config config;
  mbedtls_x509_crt certificates; /* a client's root, a server's chain */
  mbedtls_pk_context key;        /* of a server */
  mbedtls_ssl_ticket_context tickets;
  char *server_name; /* of a client */
  int side;
  int counts_tickets;
  /* What the configuration points to; each list has an end mark. */
  int suites[2];
  uint16_t groups[2];
  uint16_t schemes[2];
};

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **context,
                tlslab_error *error);
/* Ends the context, or one connection's use of it. */
void context_free(void *context);

#endif
