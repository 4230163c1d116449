/* Signatures of unhashed messages: Ed25519 and ML-DSA. On the clock: the signature or its check. The key is loaded
 * before, the public one out of the certificate. */
#include "driver.h"

#include <wolfssl/wolfcrypt/asn_public.h>
#if HAS_ED25519
#include <wolfssl/wolfcrypt/ed25519.h>
#endif
#if HAS_ML_DSA
#include <wolfssl/wolfcrypt/dilithium.h>
#endif

enum { MOST_KEY = 8192 };

struct pure {
  struct primitive head;
  int is_ed25519;
#if HAS_ED25519
  ed25519_key ed25519, ed25519_public;
#endif
#if HAS_ML_DSA
  dilithium_key ml_dsa, ml_dsa_public;
#endif
  WC_RNG rng;
  tlslab_bytes message;
};

static int sign(struct pure *s, tlslab_buffer *input, tlslab_buffer *output) {
  word32 length = (word32)(output->capacity - output->len);
  int code = NOT_COMPILED_IN;
#if HAS_ED25519
  if (s->is_ed25519)
    code = wc_ed25519_sign_msg(input->data, (word32)input->len, output->data + output->len, &length, &s->ed25519);
#endif
#if HAS_ML_DSA
  if (!s->is_ed25519)
    code = wc_dilithium_sign_ctx_msg(NULL, 0, input->data, (word32)input->len, output->data + output->len, &length,
                                     &s->ml_dsa, &s->rng);
#endif
  if (code == 0) output->len += length;
  return code;
}

static int verify(struct pure *s, tlslab_buffer *signature) {
  int right = 0, code = NOT_COMPILED_IN;
#if HAS_ED25519
  if (s->is_ed25519)
    code = wc_ed25519_verify_msg(signature->data, (word32)signature->len, s->message.data, (word32)s->message.len, &right,
                                 &s->ed25519_public);
#endif
#if HAS_ML_DSA
  if (!s->is_ed25519)
    code = wc_dilithium_verify_ctx_msg(signature->data, (word32)signature->len, NULL, 0, s->message.data, (word32)s->message.len,
                                       &right, &s->ml_dsa_public);
#endif
  return code != 0 ? code : right ? 0 : SIG_VERIFY_E;
}

static int run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output) {
  struct pure *s = (struct pure *)head;
  (void)sequence;
  return operation == TLSLAB_SIGN ? sign(s, input, output) : verify(s, input);
}

static int load_public(struct pure *s, const uint8_t *key, word32 len) {
  word32 at = 0;
#if HAS_ED25519
  if (s->is_ed25519) return wc_Ed25519PublicKeyDecode(key, &at, &s->ed25519_public, len);
#endif
#if HAS_ML_DSA
  if (!s->is_ed25519) return wc_Dilithium_PublicKeyDecode(key, &at, &s->ml_dsa_public, len);
#endif
  return NOT_COMPILED_IN;
}

static int load_own(struct pure *s, const uint8_t *key, word32 len) {
  word32 at = 0;
#if HAS_ED25519
  if (s->is_ed25519) {
    int code = wc_Ed25519PrivateKeyDecode(key, &at, &s->ed25519, len);
    uint8_t own[ED25519_PUB_KEY_SIZE];
    /* A signature hashes the public key, which the file has not. */
    if (code == 0 && !s->ed25519.pubKeySet) code = wc_ed25519_make_public(&s->ed25519, own, sizeof own);
    if (code == 0 && !s->ed25519.pubKeySet) code = wc_ed25519_import_public(own, sizeof own, &s->ed25519);
    return code;
  }
#endif
#if HAS_ML_DSA
  if (!s->is_ed25519) return wc_Dilithium_PrivateKeyDecode(key, &at, &s->ml_dsa, len);
#endif
  return NOT_COMPILED_IN;
}

static int load(struct pure *s, const tlslab_material *material) {
  uint8_t key[MOST_KEY];
  word32 len = sizeof key;
  int code = wc_GetSubjectPubKeyInfoDerFromCert(material->chain[0].data, (word32)material->chain[0].len, key, &len);
  if (code == 0) code = load_public(s, key, len);
  return code != 0 ? code : load_own(s, material->key.data, (word32)material->key.len);
}

static void release(struct primitive *head) {
  struct pure *s = (struct pure *)head;
#if HAS_ED25519
  wc_ed25519_free(&s->ed25519);
  wc_ed25519_free(&s->ed25519_public);
#endif
#if HAS_ML_DSA
  wc_dilithium_free(&s->ml_dsa);
  wc_dilithium_free(&s->ml_dsa_public);
#endif
  wc_FreeRng(&s->rng);
  free(s);
}

static int start(struct pure *s, uint16_t scheme) {
  int code = wc_InitRng(&s->rng);
#if HAS_ED25519
  if (code == 0) code = wc_ed25519_init(&s->ed25519);
  if (code == 0) code = wc_ed25519_init(&s->ed25519_public);
#endif
#if HAS_ML_DSA
  uint8_t level = scheme == TLSLAB_MLDSA44 ? WC_ML_DSA_44 : WC_ML_DSA_65;
  if (code == 0) code = wc_dilithium_init(&s->ml_dsa);
  if (code == 0) code = wc_dilithium_init(&s->ml_dsa_public);
  if (code == 0) code = wc_dilithium_set_level(&s->ml_dsa, level);
  if (code == 0) code = wc_dilithium_set_level(&s->ml_dsa_public, level);
#endif
  (void)scheme;
  return code;
}

int pure_signer_new(const tlslab_assignment *assignment, const tlslab_material *material, struct primitive **primitive) {
  if (material->chain_len == 0) return BAD_FUNC_ARG;
  struct pure *s = calloc(1, sizeof *s);
  if (s == NULL) return MEMORY_E;
  s->head = (struct primitive){run, release};
  s->is_ed25519 = assignment->algorithm == TLSLAB_ED25519;
  s->message = assignment->message;
  int code = start(s, assignment->algorithm);
  if (code == 0) code = load(s, material);
  if (code != 0) release(&s->head);
  *primitive = code == 0 ? &s->head : NULL;
  return code;
}
