/* What the files of this driver share. */
#ifndef LIBRETLS_H
#define LIBRETLS_H

#include <tls.h>

#include "tlslab_driver.h"

/* What the library calls groups and signature schemes; NULL for one that this driver does not pin. */
const char *group_name(uint16_t group);
const char *scheme_name(uint16_t scheme);

/* What the connections of one side of one scenario share. */
struct context {
  int side;
  char pins[512];
  const char *server_name; /* of a client */
  struct tls_config *config;
  struct tls *server; /* of a server: what accepts connections */
};

/* Pins what a configuration of libtls can hold, and writes the rest to `pins`. */
int pin(struct context *context, const tlslab_scenario *scenario, tlslab_error *error);

/* Puts pins in force for OpenSSL contexts that are made from now on. Does nothing when they are in force. */
int pin_use(const char *pins);

/* Says what failed, and why. Returns TLSLAB_FAILED. */
int reason(tlslab_error *error, const char *what, const char *why);

#endif
