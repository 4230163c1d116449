/* Signatures of a hash: RSA-PSS and ECDSA. On the clock: the hash, and the signature or its check. The key is loaded
 * before, the public one out of the certificate. */
#include "driver.h"

#include <wolfssl/wolfcrypt/asn_public.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/rsa.h>
#include <wolfssl/wolfcrypt/hash.h>

enum { MOST_KEY = 4096, MOST_SIGNATURE = 1024 };

struct signer {
  struct primitive head;
  int is_rsa;
  enum wc_HashType hash;
  RsaKey rsa, rsa_public;
  ecc_key ecc, ecc_public;
  WC_RNG rng;
  tlslab_bytes message;
};

static int sign(struct signer *s, const uint8_t *hash, word32 hash_len, tlslab_buffer *output) {
  uint8_t *to = output->data + output->len;
  word32 length = (word32)(output->capacity - output->len);
  int code;
  if (s->is_rsa) {
    code = wc_RsaPSS_Sign(hash, hash_len, to, length, WC_HASH_TYPE_SHA256, WC_MGF1SHA256, &s->rsa, &s->rng);
    length = (word32)code;
    code = code > 0 ? 0 : code;
  } else {
    code = wc_ecc_sign_hash(hash, hash_len, to, &length, &s->rng, &s->ecc);
  }
  if (code == 0) output->len += length;
  return code;
}

static int verify(struct signer *s, const uint8_t *hash, word32 hash_len, tlslab_buffer *signature) {
  if (s->is_rsa) {
    uint8_t opened[MOST_SIGNATURE];
    int code = wc_RsaPSS_VerifyCheck(signature->data, (word32)signature->len, opened, sizeof opened, hash,
                                     hash_len, WC_HASH_TYPE_SHA256, WC_MGF1SHA256, &s->rsa_public);
    return code > 0 ? 0 : code;
  }
  int right = 0;
  int code = wc_ecc_verify_hash(signature->data, (word32)signature->len, hash, hash_len, &right, &s->ecc_public);
  return code != 0 ? code : right ? 0 : SIG_VERIFY_E;
}

static int run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output) {
  struct signer *s = (struct signer *)head;
  uint8_t hash[WC_MAX_DIGEST_SIZE];
  (void)sequence;
  int signs = operation == TLSLAB_SIGN;
  tlslab_bytes signed_ = signs ? (tlslab_bytes){input->data, input->len} : s->message;
  word32 hash_len = (word32)wc_HashGetDigestSize(s->hash);
  int code = wc_Hash(s->hash, signed_.data, (word32)signed_.len, hash, hash_len);
  if (code != 0) return code;
  return signs ? sign(s, hash, hash_len, output) : verify(s, hash, hash_len, input);
}

static int load(struct signer *s, const tlslab_material *material) {
  uint8_t key[MOST_KEY];
  word32 key_len = sizeof key, at = 0;
  int code = wc_GetSubjectPubKeyInfoDerFromCert(material->chain[0].data, (word32)material->chain[0].len, key, &key_len);
  if (code != 0) return code;
  code = s->is_rsa ? wc_RsaPublicKeyDecode(key, &at, &s->rsa_public, key_len)
                   : wc_EccPublicKeyDecode(key, &at, &s->ecc_public, key_len);
  if (code != 0) return code;
  if (material->key.len > sizeof key) return BUFFER_E;
  memcpy(key, material->key.data, material->key.len);
  at = 0;
  code = wc_GetPkcs8TraditionalOffset(key, &at, (word32)material->key.len);
  if (code < 0) return code;
  code = s->is_rsa ? wc_RsaPrivateKeyDecode(key, &at, &s->rsa, (word32)material->key.len)
                   : wc_EccPrivateKeyDecode(key, &at, &s->ecc, (word32)material->key.len);
  if (code == 0) code = s->is_rsa ? wc_RsaSetRNG(&s->rsa, &s->rng) : wc_ecc_set_rng(&s->ecc, &s->rng);
  return code;
}

static void release(struct primitive *head) {
  struct signer *s = (struct signer *)head;
  wc_FreeRsaKey(&s->rsa);
  wc_FreeRsaKey(&s->rsa_public);
  wc_ecc_free(&s->ecc);
  wc_ecc_free(&s->ecc_public);
  wc_FreeRng(&s->rng);
  free(s);
}

int signer_new(const tlslab_assignment *assignment, const tlslab_material *material, struct primitive **primitive) {
  uint16_t scheme = assignment->algorithm;
  int knows = scheme == TLSLAB_ECDSA_SECP256R1_SHA256 || scheme == TLSLAB_ECDSA_SECP384R1_SHA384 ||
              scheme == TLSLAB_RSA_PSS_RSAE_SHA256;
  if (!knows || material->chain_len == 0) return BAD_FUNC_ARG;
  struct signer *s = calloc(1, sizeof *s);
  if (s == NULL) return MEMORY_E;
  s->head = (struct primitive){run, release};
  s->is_rsa = assignment->algorithm == TLSLAB_RSA_PSS_RSAE_SHA256;
  s->hash = assignment->algorithm == TLSLAB_ECDSA_SECP384R1_SHA384 ? WC_HASH_TYPE_SHA384 : WC_HASH_TYPE_SHA256;
  s->message = assignment->message;
  int code = wc_InitRng(&s->rng);
  if (code == 0) code = wc_InitRsaKey(&s->rsa, NULL);
  if (code == 0) code = wc_InitRsaKey(&s->rsa_public, NULL);
  if (code == 0) code = wc_ecc_init(&s->ecc);
  if (code == 0) code = wc_ecc_init(&s->ecc_public);
  if (code == 0) code = load(s, material);
  if (code != 0) release(&s->head);
  *primitive = code == 0 ? &s->head : NULL;
  return code;
}
