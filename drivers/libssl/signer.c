/* Signatures. On the clock: a new context for each, as in TLS, the hash, and the signature or its check. The
 * key is loaded before, the public one out of the certificate. */
#include <openssl/rsa.h>

#include "driver.h"

struct signer {
  struct primitive head;
  EVP_PKEY *own, *public_key;
  const EVP_MD *hash; /* NULL where the algorithm brings its own */
  int pads;           /* RSA-PSS */
  tlslab_bytes message;
};

static int set_padding(const struct signer *signer, EVP_PKEY_CTX *parameters) {
  return !signer->pads || (EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) > 0 &&
                           EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, -1) > 0); /* as long as the hash */
}

/* The message in one call, where the library has one for it. */
static int make(EVP_MD_CTX *context, uint8_t *signature, size_t *length, const uint8_t *message, size_t len) {
#if SIGNS_AT_ONCE
  return EVP_DigestSign(context, signature, length, message, len);
#else
  return EVP_DigestSignUpdate(context, message, len) > 0 ? EVP_DigestSignFinal(context, signature, length) : 0;
#endif
}

static int check(EVP_MD_CTX *context, const uint8_t *signature, size_t length, const uint8_t *message, size_t len) {
#if SIGNS_AT_ONCE
  return EVP_DigestVerify(context, signature, length, message, len);
#else
  return EVP_DigestVerifyUpdate(context, message, len) > 0 ? EVP_DigestVerifyFinal(context, (uint8_t *)signature, length) : 0;
#endif
}

static int sign(const struct signer *signer, EVP_MD_CTX *context, tlslab_buffer *input, tlslab_buffer *output) {
  EVP_PKEY_CTX *parameters = NULL;
  size_t length = output->capacity - output->len;
  if (EVP_DigestSignInit(context, &parameters, signer->hash, NULL, signer->own) <= 0 ||
      !set_padding(signer, parameters) ||
      make(context, output->data + output->len, &length, input->data, input->len) <= 0)
    return 0;
  output->len += length;
  return 1;
}

static int verify(const struct signer *signer, EVP_MD_CTX *context, tlslab_buffer *input) {
  EVP_PKEY_CTX *parameters = NULL;
  return EVP_DigestVerifyInit(context, &parameters, signer->hash, NULL, signer->public_key) > 0 &&
         set_padding(signer, parameters) &&
         check(context, input->data, input->len, signer->message.data, signer->message.len) == 1;
}

static int signer_run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input,
                      tlslab_buffer *output) {
  const struct signer *signer = (struct signer *)head;
  (void)sequence;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  int done = context != NULL &&
             (operation == TLSLAB_SIGN ? sign(signer, context, input, output) : verify(signer, context, input));
  EVP_MD_CTX_free(context);
  return done;
}

static void signer_free(struct primitive *head) {
  struct signer *signer = (struct signer *)head;
  EVP_PKEY_free(signer->own);
  EVP_PKEY_free(signer->public_key);
  free(signer);
}

static int load(struct signer *signer, const tlslab_assignment *assignment, const tlslab_material *material) {
  if (material->chain_len == 0) return 0;
  const uint8_t *at = material->key.data;
  signer->own = d2i_AutoPrivateKey(NULL, &at, (long)material->key.len);
  at = material->chain[0].data;
  X509 *leaf = d2i_X509(NULL, &at, (long)material->chain[0].len);
  signer->public_key = leaf == NULL ? NULL : X509_get_pubkey(leaf);
  X509_free(leaf);
  signer->message = assignment->message;
  return signer->own != NULL && signer->public_key != NULL;
}

struct primitive *signer_new(const tlslab_assignment *assignment, const tlslab_material *material) {
  struct signer *signer = calloc(1, sizeof *signer);
  if (signer == NULL) return NULL;
  signer->head = (struct primitive){signer_run, signer_free};
  int known = 1;
  switch (assignment->algorithm) {
    case TLSLAB_ECDSA_SECP256R1_SHA256: signer->hash = EVP_sha256(); break;
    case TLSLAB_ECDSA_SECP384R1_SHA384: signer->hash = EVP_sha384(); break;
    case TLSLAB_RSA_PSS_RSAE_SHA256: signer->hash = EVP_sha256(), signer->pads = 1; break;
    case TLSLAB_ED25519: case TLSLAB_MLDSA44: case TLSLAB_MLDSA65: case TLSLAB_MLDSA87: break;
    default: known = 0;
  }
  if (known && load(signer, assignment, material)) return &signer->head;
  signer_free(&signer->head);
  return NULL;
}
