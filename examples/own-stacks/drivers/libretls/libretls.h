/* What the files of this driver share. */
#ifndef LIBRETLS_H
#define LIBRETLS_H

#include <tls.h>

#include "tlslab_endpoint.h"

struct algorithm {
  uint16_t point;
  const char *name;
};

enum { GROUPS = 3, SUITES = 3 };

extern const struct algorithm groups[GROUPS];
extern const struct algorithm suites[SUITES];

/* What the connections of one side of one scenario share. */
struct context {
  int side;
  char pins[512];
  char *server_name; /* of a client */
  struct tls_config *config;
  struct tls *server; /* of a server: what accepts connections */
};

/* Pins what a configuration of libtls can hold, and writes the rest to `pins`. */
int pin(struct context *context, const tlslab_scenario *scenario, tlslab_error *error);

/* Puts pins in force for OpenSSL contexts that are made from now on. Does nothing when they are in force. */
int pin_use(const char *pins);

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **context,
                tlslab_error *error);
void context_free(void *context);

int connection_new(void *context, void **connection, tlslab_error *error);
void connection_free(void *connection);
int connection_handshake(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error);
int connection_send(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_receive(void *connection, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error);
void connection_facts(void *connection, tlslab_facts *facts);

/* Says what failed, and why. Returns TLSLAB_FAILED. */
int reason(tlslab_error *error, const char *what, const char *why);

#endif
