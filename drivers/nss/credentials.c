/* A side's certificates and key. */
#include <pk11pub.h>

#include "driver.h"

/* cert.h declares it without the underscores, which a header that is not installed adds. */
extern CERTCertificate *__CERT_DecodeDERCertificate(SECItem *der, PRBool copy, char *nickname);

SECItem credentials_item(tlslab_bytes bytes) {
  return (SECItem){siBuffer, (unsigned char *)bytes.data, (unsigned int)bytes.len};
}

SECKEYPrivateKey *credentials_key(tlslab_bytes bytes) {
  PK11SlotInfo *slot = PK11_GetInternalSlot();
  SECItem der = credentials_item(bytes);
  SECKEYPrivateKey *key = NULL;
  if (slot == NULL) return NULL;
  PK11_ImportDERPrivateKeyInfoAndReturnKey(slot, &der, NULL, NULL, PR_FALSE, PR_FALSE, KU_ALL, &key, NULL);
  PK11_FreeSlot(slot);
  return key;
}

CERTCertificate *credentials_certificate(tlslab_bytes bytes) {
  SECItem der = credentials_item(bytes);
  return __CERT_DecodeDERCertificate(&der, PR_TRUE, NULL);
}

SECStatus credentials_show_server(PRFileDesc *model, const tlslab_material *material) {
  SECItem ders[MOST_LINKS];
  if (material->chain_len == 0 || material->chain_len > MOST_LINKS) return SECFailure;
  for (size_t at = 0; at < material->chain_len; at++) ders[at] = credentials_item(material->chain[at]);
  CERTCertificateList chain = {.certs = ders, .len = (int)material->chain_len};
  SSLExtraServerCertData more = {.authType = ssl_auth_null, .certChain = &chain};
  CERTCertificate *leaf = credentials_certificate(material->chain[0]);
  SECKEYPrivateKey *key = credentials_key(material->key);
  SECStatus status = SECFailure;
  if (leaf != NULL && key != NULL) status = SSL_ConfigServerCert(model, leaf, key, &more, sizeof more);
  if (key != NULL) SECKEY_DestroyPrivateKey(key);
  if (leaf != NULL) CERT_DestroyCertificate(leaf);
  return status;
}

/* For SSL_GetClientAuthDataHook. What it hands out is the connection's. */
static SECStatus show(void *argument, PRFileDesc *fd, CERTDistNames *authorities, CERTCertificate **leaf,
                      SECKEYPrivateKey **key) {
  (void)fd, (void)authorities;
  const struct credentials *credentials = argument;
  *key = SECKEY_CopyPrivateKey(credentials->key);
  if (*key == NULL) return SECFailure;
  *leaf = CERT_DupCertificate(credentials->chain[0]);
  return SECSuccess;
}

SECStatus credentials_show_client(PRFileDesc *model, const tlslab_material *material, struct credentials *credentials) {
  size_t len = material->chain_len;
  if (len == 0) return SECSuccess;
  if (len > MOST_LINKS) return SECFailure;
  /* A client takes its leaf's issuers from the process's store of certificates, which is the only way to have them
   * sent. */
  for (size_t at = 0; at < len; at++) {
    SECItem der = credentials_item(material->chain[at]);
    credentials->chain[at] = CERT_NewTempCertificate(CERT_GetDefaultCertDB(), &der, NULL, PR_FALSE, PR_TRUE);
    if (credentials->chain[at] == NULL) return SECFailure;
  }
  credentials->key = credentials_key(material->key);
  if (credentials->key == NULL) return SECFailure;
  return SSL_GetClientAuthDataHook(model, show, credentials);
}

void credentials_free(struct credentials *credentials) {
  for (size_t at = 0; at < MOST_LINKS; at++) {
    if (credentials->chain[at] != NULL) CERT_DestroyCertificate(credentials->chain[at]);
  }
  if (credentials->key != NULL) SECKEY_DestroyPrivateKey(credentials->key);
}
