/* Signatures as the library's TLS has them made and checked: the hash by one call, the signature by another. */
#include <cryptohi.h>
#include <pk11pub.h>
#include <secdig.h>

#include "driver.h"

enum { MOST_HASH = 48 };

struct scheme {
  uint16_t point;
  SECOidTag hash;
  unsigned hash_len;
  int pss;
};
static const struct scheme schemes[] = {
    {TLSLAB_ECDSA_SECP256R1_SHA256, SEC_OID_SHA256, 32, 0},
    {TLSLAB_ECDSA_SECP384R1_SHA384, SEC_OID_SHA384, 48, 0},
    {TLSLAB_RSA_PSS_RSAE_SHA256, SEC_OID_SHA256, 32, 1}};

struct signer {
  struct primitive head;
  const struct scheme *scheme;
  SECKEYPrivateKey *own;
  SECKEYPublicKey *public; /* in the token, too: else each check would import it */
  tlslab_bytes message;
};

static CK_RSA_PKCS_PSS_PARAMS pss = {CKM_SHA256, CKG_MGF1_SHA256, 32};
static const SECItem pss_item = {siBuffer, (unsigned char *)&pss, sizeof pss};

static const struct scheme *known(uint16_t point) {
  for (size_t at = 0; at < sizeof schemes / sizeof *schemes; at++) {
    if (schemes[at].point == point) return &schemes[at];
  }
  return NULL;
}

int signer_knows(uint16_t scheme) { return known(scheme) != NULL; }

static SECStatus sign_ecdsa(struct signer *signer, const SECItem *hash, tlslab_buffer *output) {
  SECItem made = {siBuffer, NULL, 0}, encoded = {siBuffer, NULL, 0};
  SECStatus status = SGN_Digest(signer->own, signer->scheme->hash, &made, hash);
  if (status == SECSuccess) status = DSAU_EncodeDerSigWithLen(&encoded, &made, made.len);
  if (status == SECSuccess) {
    memcpy(output->data + output->len, encoded.data, encoded.len);
    output->len += encoded.len;
  }
  SECITEM_FreeItem(&made, PR_FALSE);
  SECITEM_FreeItem(&encoded, PR_FALSE);
  return status;
}

static SECStatus sign_pss(struct signer *signer, const SECItem *hash, tlslab_buffer *output) {
  SECItem made = {siBuffer, output->data + output->len, (unsigned)PK11_SignatureLen(signer->own)};
  SECStatus status = PK11_SignWithMechanism(signer->own, CKM_RSA_PKCS_PSS, &pss_item, &made, hash);
  if (status == SECSuccess) output->len += made.len;
  return status;
}

static SECStatus signer_run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input,
                            tlslab_buffer *output) {
  (void)sequence;
  struct signer *signer = (struct signer *)head;
  const struct scheme *scheme = signer->scheme;
  int signs = operation == TLSLAB_SIGN;
  uint8_t of_hash[MOST_HASH];
  SECItem hash = {siBuffer, of_hash, scheme->hash_len};
  SECStatus status = PK11_HashBuf(scheme->hash, of_hash, signs ? input->data : signer->message.data,
                                  (PRInt32)(signs ? input->len : signer->message.len));
  if (status != SECSuccess) return status;
  if (signs) return scheme->pss ? sign_pss(signer, &hash, output) : sign_ecdsa(signer, &hash, output);
  SECItem signature = {siBuffer, input->data, (unsigned)input->len};
  if (scheme->pss)
    return PK11_VerifyWithMechanism(signer->public, CKM_RSA_PKCS_PSS, &pss_item, &signature, &hash, NULL);
  return VFY_VerifyDigestDirect(&hash, signer->public, &signature, SEC_OID_ANSIX962_EC_PUBLIC_KEY, scheme->hash, NULL);
}

static void signer_free(struct primitive *head) {
  struct signer *signer = (struct signer *)head;
  if (signer->own != NULL) SECKEY_DestroyPrivateKey(signer->own);
  if (signer->public != NULL) SECKEY_DestroyPublicKey(signer->public);
  free(signer);
}

/* The key of a certificate, put into the token. */
static SECKEYPublicKey *public_key(tlslab_bytes bytes) {
  CERTCertificate *leaf = credentials_certificate(bytes);
  SECKEYPublicKey *key = leaf == NULL ? NULL : CERT_ExtractPublicKey(leaf);
  PK11SlotInfo *slot = PK11_GetInternalSlot();
  if (key != NULL && (slot == NULL || PK11_ImportPublicKey(slot, key, PR_FALSE) == CK_INVALID_HANDLE)) {
    SECKEY_DestroyPublicKey(key);
    key = NULL;
  }
  if (slot != NULL) PK11_FreeSlot(slot);
  if (leaf != NULL) CERT_DestroyCertificate(leaf);
  return key;
}

struct primitive *signer_new(const tlslab_assignment *assignment, const tlslab_material *material) {
  struct signer *signer = calloc(1, sizeof *signer);
  if (signer == NULL) return NULL;
  signer->head = (struct primitive){.run = signer_run, .free = signer_free};
  signer->scheme = known(assignment->algorithm);
  if (signer->scheme != NULL && material->chain_len > 0) {
    signer->message = assignment->message;
    signer->own = credentials_key(material->key);
    signer->public = public_key(material->chain[0]);
  } else {
    PORT_SetError(SEC_ERROR_INVALID_ARGS);
  }
  if (signer->own != NULL && signer->public != NULL) return &signer->head;
  signer_free(&signer->head);
  return NULL;
}
