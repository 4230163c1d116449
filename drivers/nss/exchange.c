/* Key exchange as the library's TLS has it done: keys and secrets are objects of the token, and shares are read from
 * it. A secret stays in the token, as in a handshake, and is taken out off the clock. */
#include <pk11pub.h>
#include <secerr.h>
#include <secoid.h>

#include "driver.h"

enum { MOST_OID = 16, KEM_SHARE = 1184, KEM_CIPHERTEXT = 1088 };

struct group {
  uint16_t point;
  SECOidTag curve;
  int kem;
  int curve_first; /* in a hybrid's shares and secrets */
};
static const struct group groups[] = {{TLSLAB_SECP256R1, SEC_OID_SECG_EC_SECP256R1, 0, 1},
                                      {TLSLAB_SECP384R1, SEC_OID_SECG_EC_SECP384R1, 0, 1},
                                      {TLSLAB_X25519, SEC_OID_CURVE25519, 0, 1},
                                      {TLSLAB_X25519MLKEM768, SEC_OID_CURVE25519, 1, 0},
                                      {TLSLAB_SECP256R1MLKEM768, SEC_OID_SECG_EC_SECP256R1, 1, 1}};

struct pair {
  SECKEYPrivateKey *private;
  SECKEYPublicKey *public;
};

struct exchange {
  struct primitive head;
  const struct group *group;
  uint8_t parameters[MOST_OID]; /* the curve's identifier, DER */
  SECItem curve;
  struct pair own, own_kem;
  PK11SymKey *secrets[2]; /* as they follow each other */
};

static const CK_FLAGS of_session = PK11_ATTR_SESSION | PK11_ATTR_INSENSITIVE;

static void pair_free(struct pair *pair) {
  if (pair->private != NULL) SECKEY_DestroyPrivateKey(pair->private);
  if (pair->public != NULL) SECKEY_DestroyPublicKey(pair->public);
  *pair = (struct pair){NULL, NULL};
}

static void secrets_free(struct exchange *exchange) {
  for (int at = 0; at < 2; at++) {
    if (exchange->secrets[at] != NULL) PK11_FreeSymKey(exchange->secrets[at]);
    exchange->secrets[at] = NULL;
  }
}

static SECStatus pair_new(struct pair *pair, CK_MECHANISM_TYPE mechanism, void *parameters) {
  PK11SlotInfo *slot = PK11_GetBestSlot(mechanism, NULL);
  if (slot == NULL) return SECFailure;
  pair->private = PK11_GenerateKeyPairWithOpFlags(slot, mechanism, parameters, &pair->public,
                                                  of_session | PK11_ATTR_PUBLIC, CKF_DERIVE, CKF_DERIVE, NULL);
  PK11_FreeSlot(slot);
  return pair->private == NULL ? SECFailure : SECSuccess;
}

static SECStatus curve_pair(struct exchange *exchange, struct pair *pair) {
  return pair_new(pair, CKM_NSS_ECDHE_NO_PAIRWISE_CHECK_KEY_PAIR_GEN, &exchange->curve);
}

static SECStatus kem_pair(struct pair *pair) {
  CK_NSS_KEM_PARAMETER_SET_TYPE parameters = CKP_NSS_ML_KEM_768;
  return pair_new(pair, CKM_NSS_ML_KEM_KEY_PAIR_GEN, &parameters);
}

static void append(tlslab_buffer *output, const SECItem *item) {
  tlslab_append(output, item->data, item->len);
}

/* A share of both kinds in the group's order. */
static void append_both(const struct exchange *exchange, tlslab_buffer *output, const SECItem *curve,
                        const SECItem *kem) {
  append(output, exchange->group->curve_first ? curve : kem);
  append(output, exchange->group->curve_first ? kem : curve);
}

static SECStatus generate(struct exchange *exchange, tlslab_buffer *output) {
  secrets_free(exchange);
  pair_free(&exchange->own);
  pair_free(&exchange->own_kem);
  if (curve_pair(exchange, &exchange->own) != SECSuccess) return SECFailure;
  const SECItem *share = &exchange->own.public->u.ec.publicValue;
  if (!exchange->group->kem) {
    append(output, share);
    return SECSuccess;
  }
  if (kem_pair(&exchange->own_kem) != SECSuccess) return SECFailure;
  append_both(exchange, output, share, &exchange->own_kem.public->u.kyber.publicValue);
  return SECSuccess;
}

/* The secret of a curve; the peer's share is decoded on the way. */
static PK11SymKey *derive(struct exchange *exchange, SECKEYPrivateKey *own, SECItem share) {
  SECKEYPublicKey peer = {.keyType = ecKey, .pkcs11ID = CK_INVALID_HANDLE};
  if (own == NULL || share.len == 0) {
    PORT_SetError(SEC_ERROR_INVALID_KEY);
    return NULL;
  }
  peer.u.ec.DEREncodedParams = exchange->curve;
  peer.u.ec.encoding = ECPoint_Undefined;
  peer.u.ec.publicValue = share;
  return PK11_PubDeriveWithKDF(own, &peer, PR_FALSE, NULL, NULL, CKM_ECDH1_DERIVE, CKM_HKDF_DERIVE, CKA_DERIVE, 0,
                               CKD_NULL, NULL, NULL);
}

static SECStatus agree(struct exchange *exchange, tlslab_buffer *input) {
  SECItem share = {siBuffer, input->data, (unsigned)input->len};
  exchange->secrets[0] = derive(exchange, exchange->own.private, share);
  return exchange->secrets[0] == NULL ? SECFailure : SECSuccess;
}

/* Takes a share apart. */
static SECStatus split(const struct exchange *exchange, const tlslab_buffer *input, unsigned of_kem, SECItem *curve,
                       SECItem *kem) {
  if (input->len <= of_kem) {
    PORT_SetError(SEC_ERROR_INVALID_ARGS);
    return SECFailure;
  }
  unsigned of_curve = (unsigned)input->len - of_kem;
  int first = exchange->group->curve_first;
  *curve = (SECItem){siBuffer, input->data + (first ? 0 : of_kem), of_curve};
  *kem = (SECItem){siBuffer, input->data + (first ? of_curve : 0), of_kem};
  return SECSuccess;
}

static SECStatus encapsulate_kem(SECItem share, PK11SymKey **secret, SECItem **ciphertext) {
  SECKEYPublicKey peer = {.keyType = kyberKey, .pkcs11ID = CK_INVALID_HANDLE};
  peer.u.kyber.params = params_ml_kem768;
  peer.u.kyber.publicValue = share;
  PK11SlotInfo *slot = PK11_GetBestSlot(CKM_NSS_ML_KEM, NULL);
  if (slot == NULL) return SECFailure;
  CK_OBJECT_HANDLE imported = PK11_ImportPublicKey(slot, &peer, PR_FALSE);
  PK11_FreeSlot(slot);
  if (imported == CK_INVALID_HANDLE) return SECFailure;
  SECStatus status =
      PK11_Encapsulate(&peer, CKM_HKDF_DERIVE, of_session | PK11_ATTR_PUBLIC, CKF_DERIVE, secret, ciphertext);
  PK11_DestroyObject(peer.pkcs11Slot, peer.pkcs11ID);
  PK11_FreeSlot(peer.pkcs11Slot);
  return status;
}

static SECStatus encapsulate(struct exchange *exchange, tlslab_buffer *input, tlslab_buffer *output) {
  struct pair fresh = {NULL, NULL};
  SECItem curve, kem, *ciphertext = NULL;
  int first = exchange->group->curve_first;
  secrets_free(exchange);
  PK11SymKey **of_curve = &exchange->secrets[first ? 0 : 1], **of_kem = &exchange->secrets[first ? 1 : 0];
  SECStatus status = split(exchange, input, KEM_SHARE, &curve, &kem);
  if (status == SECSuccess) status = curve_pair(exchange, &fresh);
  if (status == SECSuccess) *of_curve = derive(exchange, fresh.private, curve);
  if (*of_curve == NULL) status = SECFailure;
  if (status == SECSuccess) status = encapsulate_kem(kem, of_kem, &ciphertext);
  if (status == SECSuccess) append_both(exchange, output, &fresh.public->u.ec.publicValue, ciphertext);
  if (ciphertext != NULL) SECITEM_FreeItem(ciphertext, PR_TRUE);
  pair_free(&fresh);
  return status;
}

static SECStatus decapsulate(struct exchange *exchange, tlslab_buffer *input) {
  SECItem curve, kem;
  int first = exchange->group->curve_first;
  secrets_free(exchange);
  PK11SymKey **of_curve = &exchange->secrets[first ? 0 : 1], **of_kem = &exchange->secrets[first ? 1 : 0];
  if (exchange->own_kem.private == NULL) PORT_SetError(SEC_ERROR_INVALID_KEY);
  if (exchange->own_kem.private == NULL || split(exchange, input, KEM_CIPHERTEXT, &curve, &kem) != SECSuccess)
    return SECFailure;
  *of_curve = derive(exchange, exchange->own.private, curve);
  if (*of_curve == NULL) return SECFailure;
  return PK11_Decapsulate(exchange->own_kem.private, &kem, CKM_HKDF_DERIVE, of_session, CKF_DERIVE, of_kem);
}

static SECStatus exchange_run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input,
                              tlslab_buffer *output) {
  (void)sequence;
  struct exchange *exchange = (struct exchange *)head;
  switch (operation) {
    case TLSLAB_KEY_GENERATION: return generate(exchange, output);
    case TLSLAB_KEY_AGREEMENT: return agree(exchange, input);
    case TLSLAB_ENCAPSULATE: return encapsulate(exchange, input, output);
    default: return decapsulate(exchange, input);
  }
}

static void exchange_collect(struct primitive *head, tlslab_buffer *output) {
  struct exchange *exchange = (struct exchange *)head;
  for (int at = 0; at < 2; at++) {
    PK11SymKey *secret = exchange->secrets[at];
    if (secret != NULL && PK11_ExtractKeyValue(secret) == SECSuccess) append(output, PK11_GetKeyData(secret));
  }
  secrets_free(exchange);
}

static void exchange_free(struct primitive *head) {
  struct exchange *exchange = (struct exchange *)head;
  secrets_free(exchange);
  pair_free(&exchange->own);
  pair_free(&exchange->own_kem);
  free(exchange);
}

struct primitive *exchange_new(const tlslab_assignment *assignment) {
  const struct group *group = NULL;
  for (size_t at = 0; at < sizeof groups / sizeof *groups; at++) {
    if (groups[at].point == assignment->algorithm) group = &groups[at];
  }
  const SECOidData *oid = group == NULL ? NULL : SECOID_FindOIDByTag(group->curve);
  struct exchange *exchange = calloc(1, sizeof *exchange);
  if (oid == NULL || exchange == NULL || oid->oid.len > MOST_OID - 2) {
    PORT_SetError(SEC_ERROR_UNSUPPORTED_ELLIPTIC_CURVE);
    free(exchange);
    return NULL;
  }
  exchange->head = (struct primitive){exchange_run, exchange_collect, exchange_free};
  exchange->group = group;
  exchange->parameters[0] = SEC_ASN1_OBJECT_ID;
  exchange->parameters[1] = (uint8_t)oid->oid.len;
  memcpy(exchange->parameters + 2, oid->oid.data, oid->oid.len);
  exchange->curve = (SECItem){siBuffer, exchange->parameters, oid->oid.len + 2};
  return &exchange->head;
}
