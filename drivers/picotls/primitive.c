/* One cryptographic operation alone, called as the library's own TLS calls it. */
#include "driver.h"

struct primitive {
  tlslab_assignment given;
  ptls_hash_algorithm_t *hash;
  ptls_aead_context_t *seal, *open;
  struct signer signer;
  verify_signature *check;
  void *public_key;
  ptls_key_exchange_algorithm_t *group;
  ptls_key_exchange_context_t *own;
};

static int digest(const struct primitive *p, int has_key, tlslab_buffer *input, tlslab_buffer *output) {
  tlslab_bytes key = p->given.key;
  ptls_hash_context_t *context = has_key ? ptls_hmac_create(p->hash, key.data, key.len) : p->hash->create();
  if (context == NULL) return PTLS_ERROR_NO_MEMORY;
  context->update(context, input->data, input->len);
  context->final(context, output->data + output->len, PTLS_HASH_FINAL_MODE_FREE);
  output->len += p->hash->digest_size;
  return 0;
}

static int crypt(const struct primitive *p, int seals, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output) {
  size_t done = (seals ? ptls_aead_encrypt : ptls_aead_decrypt)(seals ? p->seal : p->open, output->data + output->len, input->data,
                                                               input->len, sequence, p->given.header, p->given.header_len);
  if (done == SIZE_MAX) return PTLS_ALERT_BAD_RECORD_MAC;
  output->len += done;
  return 0;
}

static int sign(struct primitive *p, tlslab_buffer *input, tlslab_buffer *output) {
  ptls_buffer_t signature = room_in(output);
  ptls_iovec_t message = ptls_iovec_init(input->data, input->len);
  uint16_t scheme;
  int code = p->signer.library.super.cb(&p->signer.library.super, NULL, NULL, &scheme, &signature, message, &p->given.algorithm, 1);
  return give_back(&signature, output) ? code : PTLS_ERROR_NO_MEMORY;
}

static int verify(struct primitive *p, tlslab_buffer *input) {
  if (!EVP_PKEY_up_ref(p->public_key)) return PTLS_ERROR_LIBRARY;
  return p->check(p->public_key, p->given.algorithm, iovec(p->given.message), ptls_iovec_init(input->data, input->len));
}

static int generate(struct primitive *p, tlslab_buffer *output) {
  if (p->own != NULL) p->own->on_exchange(&p->own, 1, NULL, ptls_iovec_init(NULL, 0));
  int code = p->group->create(p->group, &p->own);
  return code == 0 && !tlslab_append(output, p->own->pubkey.base, p->own->pubkey.len) ? PTLS_ERROR_NO_MEMORY : code;
}

/* The peer's share gives a secret, with one's own key or with one that is made for it and whose share goes first. */
static int exchange(struct primitive *p, int makes_share, tlslab_buffer *input, tlslab_buffer *output) {
  ptls_iovec_t share = {NULL, 0}, secret = {NULL, 0}, peer = ptls_iovec_init(input->data, input->len);
  if (!makes_share && p->own == NULL) return PTLS_ERROR_LIBRARY;
  int code = makes_share ? p->group->exchange(p->group, &share, &secret, peer) : p->own->on_exchange(&p->own, 1, &secret, peer);
  int fits = code != 0 || (tlslab_append(output, share.base, share.len) && tlslab_append(output, secret.base, secret.len));
  free(share.base);
  free(secret.base);
  return fits ? code : PTLS_ERROR_NO_MEMORY;
}

int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error) {
  struct primitive *p = object;
  int code;
  switch (operation) {
    case TLSLAB_HASH:
    case TLSLAB_HMAC: code = digest(p, operation == TLSLAB_HMAC, input, output); break;
    case TLSLAB_AEAD_SEAL:
    case TLSLAB_AEAD_OPEN: code = crypt(p, operation == TLSLAB_AEAD_SEAL, sequence, input, output); break;
    case TLSLAB_SIGN: code = sign(p, input, output); break;
    case TLSLAB_VERIFY: code = verify(p, input); break;
    case TLSLAB_KEY_GENERATION: code = generate(p, output); break;
    default: code = exchange(p, operation == TLSLAB_ENCAPSULATE, input, output);
  }
  return code == 0 ? TLSLAB_OK : reason(error, "the operation fails", code);
}

static int prepare(struct primitive *p, const tlslab_material *material) {
  const tlslab_assignment *given = &p->given;
  ptls_cipher_suite_t *suite = ptls_find_cipher_suite(ptls_openssl_cipher_suites_all, given->algorithm);
  switch (given->operation) {
    case TLSLAB_HASH:
    case TLSLAB_HMAC:
      p->hash = given->algorithm == TLSLAB_SHA384 ? &ptls_openssl_sha384 : &ptls_openssl_sha256;
      return 0;
    case TLSLAB_AEAD_SEAL:
    case TLSLAB_AEAD_OPEN:
      p->seal = suite == NULL ? NULL : ptls_aead_new_direct(suite->aead, 1, given->key.data, given->iv);
      p->open = suite == NULL ? NULL : ptls_aead_new_direct(suite->aead, 0, given->key.data, given->iv);
      return p->seal == NULL || p->open == NULL ? PTLS_ERROR_LIBRARY : 0;
    case TLSLAB_SIGN:
    case TLSLAB_VERIFY:
      p->check = material->chain_len == 0 ? NULL : find_check(material->chain[0], &p->public_key);
      return p->check == NULL ? PTLS_ERROR_LIBRARY : load_signer(&p->signer, material->key, given->algorithm);
    default: return (p->group = find_group(given->algorithm)) == NULL ? PTLS_ERROR_NOT_AVAILABLE : 0;
  }
}

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error) {
  struct primitive *p = *object = calloc(1, sizeof *p);
  if (p == NULL) return tlslab_failed(error, "no memory");
  p->given = *assignment;
  int code = prepare(p, material);
  return code == 0 ? TLSLAB_OK : reason(error, "the operation cannot be made ready", code);
}

void primitive_free(void *object) {
  struct primitive *p = object;
  if (p->seal != NULL) ptls_aead_free(p->seal);
  if (p->open != NULL) ptls_aead_free(p->open);
  if (p->own != NULL) p->own->on_exchange(&p->own, 1, NULL, ptls_iovec_init(NULL, 0));
  EVP_PKEY_free(p->signer.library.key);
  EVP_PKEY_free(p->public_key);
  free(p);
}
