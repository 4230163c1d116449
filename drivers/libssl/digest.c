/* Hashes and authentication codes. On the clock: an existing context is reset, fed and finished; a code's key is
 * taken in. */
#include <openssl/hmac.h>

#include "driver.h"

#if FETCHES_ALGORITHMS
#include <openssl/core_names.h>

static const char *name_of(uint16_t hash) { return hash == TLSLAB_SHA384 ? "SHA384" : "SHA256"; }
#else
static const EVP_MD *built_in(uint16_t hash) { return hash == TLSLAB_SHA384 ? EVP_sha384() : EVP_sha256(); }
#endif

struct digest {
  struct primitive head;
  const EVP_MD *hash;
  EVP_MD_CTX *context;
};

static int digest_run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input,
                      tlslab_buffer *output) {
  struct digest *digest = (struct digest *)head;
  unsigned length = 0;
  (void)operation, (void)sequence;
  if (!EVP_DigestInit_ex(digest->context, digest->hash, NULL) ||
      !EVP_DigestUpdate(digest->context, input->data, input->len) ||
      !EVP_DigestFinal_ex(digest->context, output->data + output->len, &length))
    return 0;
  output->len += length;
  return 1;
}

static void digest_free(struct primitive *head) {
  struct digest *digest = (struct digest *)head;
  EVP_MD_CTX_free(digest->context);
#if FETCHES_ALGORITHMS
  EVP_MD_free((EVP_MD *)digest->hash);
#endif
  free(digest);
}

struct primitive *digest_new(const tlslab_assignment *assignment) {
  struct digest *digest = calloc(1, sizeof *digest);
  if (digest == NULL) return NULL;
  digest->head = (struct primitive){digest_run, digest_free};
  digest->context = EVP_MD_CTX_new();
#if FETCHES_ALGORITHMS
  digest->hash = EVP_MD_fetch(NULL, name_of(assignment->algorithm), NULL);
#else
  digest->hash = built_in(assignment->algorithm);
#endif
  if (digest->context != NULL && digest->hash != NULL) return &digest->head;
  digest_free(&digest->head);
  return NULL;
}

struct code {
  struct primitive head;
  tlslab_bytes key;
#if FETCHES_ALGORITHMS
  EVP_MAC_CTX *context;
#else
  const EVP_MD *hash;
  HMAC_CTX *context;
#endif
};

static int code_run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input,
                    tlslab_buffer *output) {
  struct code *code = (struct code *)head;
  (void)operation, (void)sequence;
#if FETCHES_ALGORITHMS
  size_t length = 0;
  if (!EVP_MAC_init(code->context, code->key.data, code->key.len, NULL) ||
      !EVP_MAC_update(code->context, input->data, input->len) ||
      !EVP_MAC_final(code->context, output->data + output->len, &length, output->capacity - output->len))
    return 0;
#else
  unsigned length = 0;
  if (!HMAC_Init_ex(code->context, code->key.data, code->key.len, code->hash, NULL) ||
      !HMAC_Update(code->context, input->data, input->len) ||
      !HMAC_Final(code->context, output->data + output->len, &length))
    return 0;
#endif
  output->len += length;
  return 1;
}

static void code_free(struct primitive *head) {
  struct code *code = (struct code *)head;
#if FETCHES_ALGORITHMS
  EVP_MAC_CTX_free(code->context);
#else
  HMAC_CTX_free(code->context);
#endif
  free(code);
}

struct primitive *code_new(const tlslab_assignment *assignment) {
  struct code *code = calloc(1, sizeof *code);
  if (code == NULL) return NULL;
  code->head = (struct primitive){code_run, code_free};
  code->key = assignment->key;
#if FETCHES_ALGORITHMS
  EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  code->context = hmac == NULL ? NULL : EVP_MAC_CTX_new(hmac);
  EVP_MAC_free(hmac); /* the context holds on to it */
  OSSL_PARAM hash[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)name_of(assignment->algorithm), 0),
      OSSL_PARAM_construct_end(),
  };
  if (code->context != NULL && EVP_MAC_CTX_set_params(code->context, hash)) return &code->head;
#else
  code->hash = built_in(assignment->algorithm);
  code->context = HMAC_CTX_new();
  if (code->context != NULL) return &code->head;
#endif
  code_free(&code->head);
  return NULL;
}
