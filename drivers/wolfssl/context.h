/* What the connections of one side of one scenario share. */
#ifndef WOLFSSL_DRIVER_CONTEXT_H
#define WOLFSSL_DRIVER_CONTEXT_H

#include "library.h"

struct context {
  WOLFSSL_CTX *ssl;
  int side;
  int counts_tickets; /* of a client */
  char *checked_name; /* of a client that checks it, else NULL */
};

/* Each returns whether the library can be held to it. */
int pin_suite(WOLFSSL_CTX *ssl, uint16_t suite);
int pin_group(WOLFSSL_CTX *ssl, uint16_t group);
int pin_scheme(WOLFSSL_CTX *ssl, uint16_t scheme);

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error);
void context_free(void *handle);

#endif
