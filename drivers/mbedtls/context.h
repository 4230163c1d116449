/* What the connections of one side of one scenario share. */
#ifndef MBEDTLS_CONTEXT_H
#define MBEDTLS_CONTEXT_H

#include <mbedtls/ssl_cache.h>
#include <mbedtls/ssl_ticket.h>

#include "library.h"

struct context {
  int users; /* itself and its connections: the library looks at the configuration when it frees a connection */
  mbedtls_ssl_config config;
  mbedtls_x509_crt root;  /* whom a client trusts, or a server that asks for certificates */
  mbedtls_x509_crt chain; /* what it shows, if it shows anything */
  mbedtls_pk_context key;
  mbedtls_ssl_ticket_context tickets;
  mbedtls_ssl_cache_context cache;
  void *spent; /* the session that was taken up last */
  char *server_name; /* of a client */
  int side;
  int counts_tickets;
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
