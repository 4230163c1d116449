/* What the connections of one side of one scenario share. */
#ifndef WOLFSSL_DRIVER_CONTEXT_H
#define WOLFSSL_DRIVER_CONTEXT_H

#include <time.h>

#include "library.h"

struct context {
  WOLFSSL_CTX *ssl;
  int side;
  int counts_tickets; /* of a client */
  char *checked_name; /* of a client that checks it, else NULL */
  time_t sessions_since; /* of a client that takes up sessions: the last connection without one */
  int sessions_taken_up; /* since then */
  uint16_t group;
  int exchanges_no_key; /* of a client whose pre-shared key is used by itself */
  char *psk_identity; /* where there is a key that both sides were given, else NULL */
  const char *psk_suite;
  uint8_t psk[64];
  size_t psk_len;
};

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error);
void context_free(void *handle);

#endif
