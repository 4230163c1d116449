/* Declarations shared by the driver's files. */
#ifndef MBEDTLS_DRIVER_H
#define MBEDTLS_DRIVER_H

#include <mbedtls/psa_util.h>
#include <mbedtls/ssl.h>
#include <mbedtls/ssl_cache.h>
#include <mbedtls/ssl_ciphersuites.h>
#include <mbedtls/ssl_ticket.h>

#include "tlslab_driver.h"

/* State shared by the connections of one side of one scenario. */
struct context {
  int users; /* itself and its connections: the library looks at the configuration when it frees a connection */
  mbedtls_ssl_config config;
  mbedtls_x509_crt root;  /* that the peer is verified up to */
  mbedtls_x509_crt chain; /* that this side shows, */
  mbedtls_pk_context key; /* and its leaf's key */
  mbedtls_ssl_ticket_context tickets; /* of a server, */
  mbedtls_ssl_cache_context cache;    /* and the sessions it keeps */
  const char *server_name; /* of a client */
  void *spent;       /* the session that its latest connection has taken up */
  int side;
  int counts_tickets; /* of a client of TLS 1.3, which alone is told of them */
  /* Data to which the configuration points; each list has an end mark. */
  int suites[2];
  uint16_t groups[3];
  uint16_t schemes[2];
};

/* One side of one connection, with the wire under it. */
struct connection {
  mbedtls_ssl_context ssl;
  struct context *context;
  tlslab_wire wire;
  int tickets_received; /* by a client of a scenario with tickets */
  int has_closed;       /* its closing alert is sent */
};

/* Whether the library was built with an option of its configuration file. */
int library_has(const char *option);

/* By code points, which are the library's numbers, too. */
int library_knows_version(uint16_t point);
int library_knows_group(uint16_t point);

/* Hold a configuration to exactly what a scenario names; TLSLAB_UNSUPPORTED with the reason where one of it cannot be had. */
int pin_scenario(struct context *context, const tlslab_scenario *scenario, tlslab_error *error);

/* Make a side remember sessions in the scenario's way, and in no other. */
void sessions_pin_client(struct context *context, const tlslab_scenario *scenario);
int sessions_pin_server(struct context *context, const tlslab_scenario *scenario, tlslab_error *error);

/* Says what failed and, where the library gave a code, the library's text for it. Returns TLSLAB_FAILED. */
int reason(tlslab_error *error, const char *what, int code);

/* Says what the library cannot be held to. Returns TLSLAB_UNSUPPORTED. */
static inline int reason_of_pin(tlslab_error *error, const char *what, uint16_t point) {
  return tlslab_unsupported(error, "the library does not know %s 0x%04x", what, point);
}

#endif
