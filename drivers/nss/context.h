/* What the connections of one side of one scenario share. */
#ifndef NSS_CONTEXT_H
#define NSS_CONTEXT_H

#include <cert.h>
#include <prio.h>

#include "credentials.h"
#include "tlslab_endpoint.h"
#include "wire.h"

struct context {
  PRFileDesc *model; /* every connection begins as its copy */
  struct wire wire;  /* under the model, never used */
  int side;
  uint32_t verification; /* of the peer's chain */
  uint32_t tickets;
  uint32_t tickets_after; /* those that a server is told to send */
  uint32_t resumption;
  int sessions_serve_once;
  int has_early_data;
  CERTCertificate *root; /* of a side that verifies */
  char *server_name;     /* of a client */
  struct credentials credentials; /* of a client */
};

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error);
void context_free(void *handle);

#endif
