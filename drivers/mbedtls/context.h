/* What the connections of one side of one scenario share. */
#ifndef MBEDTLS_CONTEXT_H
#define MBEDTLS_CONTEXT_H

#include <mbedtls/ssl_cache.h>
#include <mbedtls/ssl_ticket.h>

#include "library.h"

struct context {
  int users; /* itself and its connections: the library looks at the configuration when it frees a connection */
  mbedtls_ssl_config config;
  mbedtls_x509_crt root;  /* that the peer is verified up to */
  mbedtls_x509_crt chain; /* that this side shows, */
  mbedtls_pk_context key; /* and its leaf's key */
  mbedtls_ssl_ticket_context tickets; /* of a server, */
  mbedtls_ssl_cache_context cache;    /* and the sessions it keeps */
  char *server_name; /* of a client */
  void *spent;       /* the session that its latest connection has taken up */
  int side;
  int counts_tickets; /* of a client of TLS 1.3, which alone is told of them */
  /* What the configuration points to; each list has an end mark. */
  int suites[2];
  uint16_t groups[3];
  uint16_t schemes[2];
};

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **context,
                tlslab_error *error);
/* Ends the context, or one connection's use of it. */
void context_free(void *context);

#endif
