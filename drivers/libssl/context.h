/* What the connections of one side of one scenario share. */
#ifndef LIBSSL_CONTEXT_H
#define LIBSSL_CONTEXT_H

#include "library.h"
#include "tlslab_endpoint.h"

struct context {
  SSL_CTX *ssl;
  int side;
  uint32_t tickets;
  int checks_name;   /* of a client */
  char *server_name; /* of a client */
};

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error);
void context_free(void *handle);

#endif
