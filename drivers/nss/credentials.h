/* What a side shows of itself. */
#ifndef NSS_CREDENTIALS_H
#define NSS_CREDENTIALS_H

#include <cert.h>
#include <keyhi.h>
#include <prio.h>

#include "tlslab_endpoint.h"

enum { MOST_LINKS = 8 };

/* A client's. */
struct credentials {
  CERTCertificate *chain[MOST_LINKS]; /* the leaf first */
  SECKEYPrivateKey *key;
};

SECItem credentials_item(tlslab_bytes bytes);

SECStatus credentials_show_server(PRFileDesc *model, const tlslab_material *material);

/* `credentials` must outlive the model's connections. */
SECStatus credentials_show_client(PRFileDesc *model, const tlslab_material *material, struct credentials *credentials);
void credentials_free(struct credentials *credentials);

#endif
