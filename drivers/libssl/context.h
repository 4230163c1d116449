/* What the connections of one side of one scenario share. */
#ifndef LIBSSL_CONTEXT_H
#define LIBSSL_CONTEXT_H

#include "library.h"
#include "tlslab_endpoint.h"

struct context {
  SSL_CTX *ssl;
  int side;
  uint32_t tickets;
  int resumes;             /* whether sessions outlive their connections */
  int sends_tickets_after; /* of a server: the handshake, as TLS 1.3 does */
  int checks_name;   /* of a client */
  char *server_name; /* of a client */
  uint16_t first_key_share; /* of a client that makes its first one for a group that the server does not take, else 0 */
  char *psk_identity;   /* where there is a key that both sides were given */
  SSL_SESSION *psk;     /* what stands for it in TLS 1.3 */
  uint8_t psk_key[64];  /* it, in TLS 1.2 */
  size_t psk_len;
};

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error);
void context_free(void *handle);

#endif
