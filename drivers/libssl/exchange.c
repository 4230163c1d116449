/* Key exchange as OpenSSL's own TLS does it: a context for each key, shares encoded and decoded, secrets derived. */
#include "driver.h"

#if !EXCHANGES_BY_CURVE && !EXCHANGES_BY_KEY

#include <openssl/ec.h>

struct exchange {
  struct primitive head;
  const char *algorithm, *group; /* the group is NULL where the algorithm has but one */
  int id, curve;                 /* the same for a library that does not look up by name */
  EVP_PKEY *own;
  EVP_PKEY *model; /* what a peer's key is decoded after, where there is no own one: of encapsulate */
};

static EVP_PKEY *key_new(const struct exchange *exchange) {
  EVP_PKEY *key = NULL;
#if FETCHES_ALGORITHMS
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, exchange->algorithm, NULL);
  int ready = context != NULL && EVP_PKEY_keygen_init(context) > 0 &&
              (exchange->group == NULL || EVP_PKEY_CTX_set_group_name(context, exchange->group) > 0);
#else
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(exchange->id, NULL);
  int ready = context != NULL && EVP_PKEY_keygen_init(context) > 0 &&
              (exchange->curve == 0 || EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, exchange->curve) > 0);
#endif
  if (!ready || EVP_PKEY_keygen(context, &key) <= 0) key = NULL;
  EVP_PKEY_CTX_free(context);
  return key;
}

static int append_share(EVP_PKEY *key, tlslab_buffer *output) {
  unsigned char *share = NULL;
  size_t length = GET_ENCODED_KEY(key, &share);
  int done = length > 0 && tlslab_append(output, share, length);
  OPENSSL_free(share);
  return done;
}

static int generate(struct exchange *exchange, tlslab_buffer *output) {
  EVP_PKEY_free(exchange->own);
  exchange->own = key_new(exchange);
  return exchange->own != NULL && append_share(exchange->own, output);
}

static EVP_PKEY *decoded(EVP_PKEY *model, tlslab_buffer *share) {
  EVP_PKEY *peer = EVP_PKEY_new();
  if (peer != NULL && EVP_PKEY_copy_parameters(peer, model) > 0 && SET_ENCODED_KEY(peer, share->data, share->len) > 0)
    return peer;
  EVP_PKEY_free(peer);
  return NULL;
}

static int agree(struct exchange *exchange, tlslab_buffer *share, tlslab_buffer *output) {
  EVP_PKEY *peer = exchange->own == NULL ? NULL : decoded(exchange->own, share);
  EVP_PKEY_CTX *context = peer == NULL ? NULL : EVP_PKEY_CTX_new(exchange->own, NULL);
  size_t length = output->capacity - output->len;
  int done = context != NULL && EVP_PKEY_derive_init(context) > 0 && EVP_PKEY_derive_set_peer(context, peer) > 0;
#if FETCHES_ALGORITHMS
  /* Of a finite field's secret every byte counts, also a leading zero. */
  if (done && EVP_PKEY_is_a(exchange->own, "DH")) EVP_PKEY_CTX_set_dh_pad(context, 1);
#endif
  done = done && EVP_PKEY_derive(context, output->data + output->len, &length) > 0;
  if (done) output->len += length;
  EVP_PKEY_CTX_free(context);
  EVP_PKEY_free(peer);
  return done;
}

#if FETCHES_ALGORITHMS

static int encapsulate(struct exchange *exchange, tlslab_buffer *share, tlslab_buffer *output) {
  EVP_PKEY *peer = decoded(exchange->model, share);
  EVP_PKEY_CTX *context = peer == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(NULL, peer, NULL);
  size_t length = 0, secret = 0;
  int done = context != NULL && EVP_PKEY_encapsulate_init(context, NULL) > 0 &&
             EVP_PKEY_encapsulate(context, NULL, &length, NULL, &secret) > 0 &&
             length + secret <= output->capacity - output->len &&
             EVP_PKEY_encapsulate(context, output->data + output->len, &length, output->data + output->len + length,
                                  &secret) > 0;
  if (done) output->len += length + secret;
  EVP_PKEY_CTX_free(context);
  EVP_PKEY_free(peer);
  return done;
}

static int decapsulate(struct exchange *exchange, tlslab_buffer *share, tlslab_buffer *output) {
  EVP_PKEY_CTX *context = exchange->own == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(NULL, exchange->own, NULL);
  size_t secret = output->capacity - output->len;
  int done = context != NULL && EVP_PKEY_decapsulate_init(context, NULL) > 0 &&
             EVP_PKEY_decapsulate(context, output->data + output->len, &secret, share->data, share->len) > 0;
  if (done) output->len += secret;
  EVP_PKEY_CTX_free(context);
  return done;
}

#endif

static int exchange_run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input,
                        tlslab_buffer *output) {
  struct exchange *exchange = (struct exchange *)head;
  (void)sequence;
  switch (operation) {
    case TLSLAB_KEY_GENERATION: return generate(exchange, output);
    case TLSLAB_KEY_AGREEMENT: return agree(exchange, input, output);
#if FETCHES_ALGORITHMS
    case TLSLAB_ENCAPSULATE: return encapsulate(exchange, input, output);
    case TLSLAB_DECAPSULATE: return decapsulate(exchange, input, output);
#endif
    default: return 0;
  }
}

static void exchange_free(struct primitive *head) {
  struct exchange *exchange = (struct exchange *)head;
  EVP_PKEY_free(exchange->own);
  EVP_PKEY_free(exchange->model);
  free(exchange);
}

static int set_group(struct exchange *exchange, uint16_t group) {
  static const struct {
    uint16_t point;
    const char *algorithm, *group;
    int id, curve;
  } known[] = {{TLSLAB_SECP256R1, "EC", "P-256", EVP_PKEY_EC, NID_X9_62_prime256v1},
               {TLSLAB_SECP384R1, "EC", "P-384", EVP_PKEY_EC, NID_secp384r1},
#if FETCHES_ALGORITHMS
               {TLSLAB_FFDHE2048, "DH", "ffdhe2048", 0, 0},
               {TLSLAB_X25519MLKEM768, "X25519MLKEM768", NULL, 0, 0},
               {TLSLAB_SECP256R1MLKEM768, "SecP256r1MLKEM768", NULL, 0, 0},
#endif
               {TLSLAB_X25519, "X25519", NULL, EVP_PKEY_X25519, 0}};
  for (size_t at = 0; at < sizeof known / sizeof *known; at++) {
    if (known[at].point != group) continue;
    exchange->algorithm = known[at].algorithm, exchange->group = known[at].group;
    exchange->id = known[at].id, exchange->curve = known[at].curve;
    return 1;
  }
  return 0;
}

struct primitive *exchange_new(const tlslab_assignment *assignment) {
  struct exchange *exchange = calloc(1, sizeof *exchange);
  if (exchange == NULL) return NULL;
  exchange->head = (struct primitive){exchange_run, exchange_free};
  if (set_group(exchange, assignment->algorithm)) exchange->model = key_new(exchange);
  if (exchange->model != NULL) return &exchange->head;
  exchange_free(&exchange->head);
  return NULL;
}

#endif
