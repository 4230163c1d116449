#include "psk.h"

#include <pk11pub.h>
#include <ssl.h>
#include <sslexp.h>
#include <string.h>

#include "credentials.h"

int psk_is_there(void) { return SSL_GetExperimentalAPI("SSL_AddExternalPsk") != NULL; }

SECStatus psk_pin(struct context *context, const tlslab_material *material) {
  PK11SlotInfo *slot = PK11_GetInternalSlot();
  SECItem bytes = credentials_item(material->psk);
  if (slot == NULL) return SECFailure;
  PK11SymKey *key = PK11_ImportSymKey(slot, CKM_HKDF_KEY_GEN, PK11_OriginUnwrap, CKA_DERIVE, &bytes, NULL);
  PK11_FreeSlot(slot);
  if (key == NULL) return SECFailure;
  SSLHashType hash = material->psk.len == 48 ? ssl_hash_sha384 : ssl_hash_sha256;
  SECStatus status = SSL_AddExternalPsk(context->model, key, (const PRUint8 *)material->psk_identity,
                                        (unsigned int)strlen(material->psk_identity), hash);
  PK11_FreeSymKey(key);
  return status;
}
