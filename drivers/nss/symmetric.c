/* Hashes, codes and AEADs by the software token. */
#include <hasht.h>
#include <pk11pub.h>

#include "driver.h"

enum { TAG = 16, MOST_HASH = 48 };

struct symmetric {
  struct primitive head;
  CK_MECHANISM_TYPE mechanism;
  PK11SymKey *key;
  PK11Context *context, *opening; /* of a code, made for each message; `opening` is an AEAD's */
  tlslab_assignment given;
};

static void symmetric_free(struct primitive *head) {
  struct symmetric *symmetric = (struct symmetric *)head;
  if (symmetric->context != NULL) PK11_DestroyContext(symmetric->context, PR_TRUE);
  if (symmetric->opening != NULL) PK11_DestroyContext(symmetric->opening, PR_TRUE);
  if (symmetric->key != NULL) PK11_FreeSymKey(symmetric->key);
  free(symmetric);
}

static struct symmetric *symmetric_new(void) {
  struct symmetric *symmetric = calloc(1, sizeof *symmetric);
  if (symmetric == NULL) PORT_SetError(SEC_ERROR_NO_MEMORY);
  else symmetric->head.free = symmetric_free;
  return symmetric;
}

static struct primitive *if_ready(struct symmetric *symmetric, int ready) {
  if (ready) return &symmetric->head;
  symmetric_free(&symmetric->head);
  return NULL;
}

static int load(struct symmetric *symmetric, tlslab_bytes bytes, CK_ATTRIBUTE_TYPE use) {
  PK11SlotInfo *slot = PK11_GetInternalSlot();
  SECItem key = credentials_item(bytes);
  if (slot != NULL)
    symmetric->key = PK11_ImportSymKey(slot, symmetric->mechanism, PK11_OriginUnwrap, use, &key, NULL);
  if (slot != NULL) PK11_FreeSlot(slot);
  return symmetric->key != NULL;
}

/* The result of a started context for a message. */
static SECStatus feed(PK11Context *context, const tlslab_buffer *input, tlslab_buffer *output) {
  unsigned length = 0;
  if (PK11_DigestBegin(context) != SECSuccess ||
      PK11_DigestOp(context, input->data, (unsigned)input->len) != SECSuccess ||
      PK11_DigestFinal(context, output->data + output->len, &length, MOST_HASH) != SECSuccess)
    return SECFailure;
  output->len += length;
  return SECSuccess;
}

static SECStatus digest_run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input,
                            tlslab_buffer *output) {
  (void)operation, (void)sequence;
  return feed(((struct symmetric *)head)->context, input, output);
}

struct primitive *digest_new(const tlslab_assignment *assignment) {
  struct symmetric *symmetric = symmetric_new();
  if (symmetric == NULL) return NULL;
  symmetric->head.run = digest_run;
  SECOidTag hash = assignment->algorithm == TLSLAB_SHA384 ? SEC_OID_SHA384 : SEC_OID_SHA256;
  symmetric->context = PK11_CreateDigestContext(hash);
  return if_ready(symmetric, symmetric->context != NULL);
}

/* On the clock: a context that takes in the token's key, as for Finished. */
static SECStatus code_run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input,
                          tlslab_buffer *output) {
  (void)operation, (void)sequence;
  struct symmetric *symmetric = (struct symmetric *)head;
  SECItem nothing = {siBuffer, NULL, 0};
  PK11Context *context = PK11_CreateContextBySymKey(symmetric->mechanism, CKA_SIGN, symmetric->key, &nothing);
  if (context == NULL) return SECFailure;
  SECStatus status = feed(context, input, output);
  PK11_DestroyContext(context, PR_TRUE);
  return status;
}

struct primitive *code_new(const tlslab_assignment *assignment) {
  struct symmetric *symmetric = symmetric_new();
  if (symmetric == NULL) return NULL;
  symmetric->head.run = code_run;
  symmetric->mechanism = assignment->algorithm == TLSLAB_SHA384 ? CKM_SHA384_HMAC : CKM_SHA256_HMAC;
  return if_ready(symmetric, load(symmetric, assignment->key, CKA_SIGN));
}

static SECStatus aead_run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input,
                          tlslab_buffer *output) {
  struct symmetric *aead = (struct symmetric *)head;
  uint8_t nonce[12], *to = output->data + output->len;
  int seals = operation == TLSLAB_AEAD_SEAL, length = 0;
  size_t message = seals ? input->len : input->len - TAG;
  if (!seals && input->len < TAG) return SECFailure;
  tlslab_nonce(aead->given.iv, sequence, nonce);
  SECStatus status =
      PK11_AEADOp(seals ? aead->context : aead->opening, CKG_NO_GENERATE, 0, nonce, sizeof nonce, aead->given.header,
                  (int)aead->given.header_len, to, &length, (int)(output->capacity - output->len),
                  seals ? to + message : input->data + message, TAG, input->data, (int)message);
  if (status == SECSuccess) output->len += (size_t)length + (seals ? TAG : 0);
  return status;
}

struct primitive *aead_new(const tlslab_assignment *assignment) {
  struct symmetric *aead = symmetric_new();
  if (aead == NULL) return NULL;
  SECItem nothing = {siBuffer, NULL, 0};
  aead->head.run = aead_run;
  aead->mechanism = assignment->algorithm == TLSLAB_CHACHA20_POLY1305 ? CKM_CHACHA20_POLY1305 : CKM_AES_GCM;
  aead->given = *assignment;
  if (load(aead, assignment->key, CKA_ENCRYPT)) {
    aead->context =
        PK11_CreateContextBySymKey(aead->mechanism, CKA_NSS_MESSAGE | CKA_ENCRYPT, aead->key, &nothing);
    aead->opening =
        PK11_CreateContextBySymKey(aead->mechanism, CKA_NSS_MESSAGE | CKA_DECRYPT, aead->key, &nothing);
  }
  return if_ready(aead, aead->context != NULL && aead->opening != NULL);
}
