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

/* A private key in the software token, of PKCS#8; NULL where it cannot be loaded. */
SECKEYPrivateKey *credentials_key(tlslab_bytes bytes);

/* A certificate that is decoded, and not entered in the process's store of certificates, where clients would find it;
 * NULL where it cannot be decoded. */
CERTCertificate *credentials_certificate(tlslab_bytes bytes);

SECStatus credentials_show_server(PRFileDesc *model, const tlslab_material *material);

/* `credentials` must outlive the model's connections. */
SECStatus credentials_show_client(PRFileDesc *model, const tlslab_material *material, struct credentials *credentials);
void credentials_free(struct credentials *credentials);

#endif
