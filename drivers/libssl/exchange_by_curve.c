/* Key exchange as BoringSSL's and AWS-LC's own TLS do it: by calls of each curve and of ML-KEM. */
#include "driver.h"

#if EXCHANGES_BY_CURVE

#include <openssl/bn.h>
#include <openssl/curve25519.h>
#include <openssl/ec.h>
#include <openssl/nid.h>

#if HAS_MLKEM_CALLS
#include <openssl/bytestring.h>
#include <openssl/mlkem.h>
#endif

enum { KEM_PUBLIC = 1184, KEM_CIPHERTEXT = 1088, KEM_SECRET = 32, X25519_SHARE = 32, P256_SHARE = 65 };

struct curve {
  const EC_GROUP *group; /* NULL: X25519 */
  BIGNUM *secret;
  uint8_t x25519[32];
};

struct exchange {
  struct primitive head;
  struct curve curve;
  int encapsulates;
#if HAS_MLKEM_CALLS
  struct MLKEM768_private_key kem;
#else
  EVP_PKEY *kem;
#endif
};

static uint8_t *room(tlslab_buffer *output, size_t length) {
  if (length > output->capacity - output->len) return NULL;
  uint8_t *at = output->data + output->len;
  output->len += length;
  return at;
}

static int curve_generate(struct curve *curve, tlslab_buffer *output) {
  if (curve->group == NULL) {
    uint8_t *share = room(output, X25519_SHARE);
    if (share != NULL) X25519_keypair(share, curve->x25519);
    return share != NULL;
  }
  BN_free(curve->secret);
  curve->secret = BN_new();
  EC_POINT *point = EC_POINT_new(curve->group);
  size_t length = 0;
  if (curve->secret != NULL && point != NULL &&
      BN_rand_range_ex(curve->secret, 1, EC_GROUP_get0_order(curve->group)) &&
      EC_POINT_mul(curve->group, point, curve->secret, NULL, NULL, NULL))
    length = EC_POINT_point2oct(curve->group, point, POINT_CONVERSION_UNCOMPRESSED, output->data + output->len,
                                output->capacity - output->len, NULL);
  output->len += length;
  EC_POINT_free(point);
  return length > 0;
}

static int curve_agree(const struct curve *curve, const uint8_t *share, size_t share_len, tlslab_buffer *output) {
  if (curve->group == NULL) {
    uint8_t *secret = room(output, 32);
    return secret != NULL && share_len == X25519_SHARE && X25519(secret, curve->x25519, share);
  }
  EC_POINT *peer = EC_POINT_new(curve->group), *point = EC_POINT_new(curve->group);
  BIGNUM *x = BN_new();
  size_t length = (EC_GROUP_get_degree(curve->group) + 7) / 8;
  uint8_t *secret = room(output, length);
  int done = peer != NULL && point != NULL && x != NULL && secret != NULL && curve->secret != NULL && share_len > 0 &&
             share[0] == POINT_CONVERSION_UNCOMPRESSED &&
             EC_POINT_oct2point(curve->group, peer, share, share_len, NULL) &&
             EC_POINT_mul(curve->group, point, NULL, peer, curve->secret, NULL) &&
             EC_POINT_get_affine_coordinates_GFp(curve->group, point, x, NULL, NULL) &&
             BN_bn2bin_padded(secret, length, x);
  BN_free(x);
  EC_POINT_free(point);
  EC_POINT_free(peer);
  return done;
}

#if HAS_MLKEM_CALLS

static int kem_generate(struct exchange *exchange, tlslab_buffer *output) {
  uint8_t *share = room(output, KEM_PUBLIC);
  if (share != NULL) MLKEM768_generate_key(share, NULL, &exchange->kem);
  return share != NULL;
}

static int kem_encapsulate(const uint8_t *share, uint8_t *ciphertext, uint8_t *secret) {
  struct MLKEM768_public_key public_key;
  CBS bytes;
  CBS_init(&bytes, share, KEM_PUBLIC);
  if (!MLKEM768_parse_public_key(&public_key, &bytes)) return 0;
  MLKEM768_encap(ciphertext, secret, &public_key);
  return 1;
}

static int kem_decapsulate(struct exchange *exchange, const uint8_t *ciphertext, uint8_t *secret) {
  return MLKEM768_decap(secret, ciphertext, KEM_CIPHERTEXT, &exchange->kem);
}

#else

static int kem_generate(struct exchange *exchange, tlslab_buffer *output) {
  EVP_PKEY_free(exchange->kem);
  exchange->kem = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_KEM, NULL);
  uint8_t *share = room(output, KEM_PUBLIC);
  size_t length = KEM_PUBLIC;
  int done = context != NULL && share != NULL && EVP_PKEY_CTX_kem_set_params(context, NID_MLKEM768) &&
             EVP_PKEY_keygen_init(context) && EVP_PKEY_keygen(context, &exchange->kem) &&
             EVP_PKEY_get_raw_public_key(exchange->kem, share, &length);
  EVP_PKEY_CTX_free(context);
  return done;
}

static int kem_encapsulate(const uint8_t *share, uint8_t *ciphertext, uint8_t *secret) {
  EVP_PKEY *peer = EVP_PKEY_kem_new_raw_public_key(NID_MLKEM768, share, KEM_PUBLIC);
  EVP_PKEY_CTX *context = peer == NULL ? NULL : EVP_PKEY_CTX_new(peer, NULL);
  size_t length = KEM_CIPHERTEXT, secret_len = KEM_SECRET;
  int done = context != NULL && EVP_PKEY_encapsulate(context, ciphertext, &length, secret, &secret_len);
  EVP_PKEY_CTX_free(context);
  EVP_PKEY_free(peer);
  return done;
}

static int kem_decapsulate(struct exchange *exchange, const uint8_t *ciphertext, uint8_t *secret) {
  EVP_PKEY_CTX *context = exchange->kem == NULL ? NULL : EVP_PKEY_CTX_new(exchange->kem, NULL);
  size_t length = KEM_SECRET;
  int done = context != NULL && EVP_PKEY_decapsulate(context, secret, &length, ciphertext, KEM_CIPHERTEXT);
  EVP_PKEY_CTX_free(context);
  return done;
}

#endif

/* In a share and in a secret, ML-KEM comes before X25519 and behind P-256. */
static int curve_first(const struct exchange *exchange) { return exchange->curve.group != NULL; }

static int generate(struct exchange *exchange, tlslab_buffer *output) {
  if (!exchange->encapsulates) return curve_generate(&exchange->curve, output);
  if (curve_first(exchange)) return curve_generate(&exchange->curve, output) && kem_generate(exchange, output);
  return kem_generate(exchange, output) && curve_generate(&exchange->curve, output);
}

static int encapsulate(struct exchange *exchange, tlslab_buffer *input, tlslab_buffer *output) {
  size_t curve_len = curve_first(exchange) ? P256_SHARE : X25519_SHARE;
  if (input->len != KEM_PUBLIC + curve_len) return 0;
  const uint8_t *curve_share = curve_first(exchange) ? input->data : input->data + KEM_PUBLIC;
  const uint8_t *kem_share = curve_first(exchange) ? input->data + curve_len : input->data;
  /* A separate key for each: the one whose share was sent stays. */
  struct curve own = {.group = exchange->curve.group};
  uint8_t *ciphertext, secret[KEM_SECRET];
  int done;
  if (curve_first(exchange)) {
    done = curve_generate(&own, output) && (ciphertext = room(output, KEM_CIPHERTEXT)) != NULL &&
           kem_encapsulate(kem_share, ciphertext, secret) && curve_agree(&own, curve_share, curve_len, output);
    uint8_t *end = done ? room(output, KEM_SECRET) : NULL;
    if (end != NULL) memcpy(end, secret, KEM_SECRET);
    done = end != NULL;
  } else {
    done = (ciphertext = room(output, KEM_CIPHERTEXT)) != NULL && kem_encapsulate(kem_share, ciphertext, secret) &&
           curve_generate(&own, output);
    uint8_t *end = done ? room(output, KEM_SECRET) : NULL;
    if (end != NULL) memcpy(end, secret, KEM_SECRET);
    done = end != NULL && curve_agree(&own, curve_share, curve_len, output);
  }
  BN_free(own.secret);
  return done;
}

static int decapsulate(struct exchange *exchange, tlslab_buffer *input, tlslab_buffer *output) {
  size_t curve_len = curve_first(exchange) ? P256_SHARE : X25519_SHARE;
  if (input->len != KEM_CIPHERTEXT + curve_len) return 0;
  uint8_t *secret;
  if (curve_first(exchange))
    return curve_agree(&exchange->curve, input->data, curve_len, output) &&
           (secret = room(output, KEM_SECRET)) != NULL && kem_decapsulate(exchange, input->data + curve_len, secret);
  return (secret = room(output, KEM_SECRET)) != NULL && kem_decapsulate(exchange, input->data, secret) &&
         curve_agree(&exchange->curve, input->data + KEM_CIPHERTEXT, curve_len, output);
}

static int exchange_run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input,
                        tlslab_buffer *output) {
  struct exchange *exchange = (struct exchange *)head;
  (void)sequence;
  switch (operation) {
    case TLSLAB_KEY_GENERATION: return generate(exchange, output);
    case TLSLAB_KEY_AGREEMENT: return curve_agree(&exchange->curve, input->data, input->len, output);
    case TLSLAB_ENCAPSULATE: return encapsulate(exchange, input, output);
    case TLSLAB_DECAPSULATE: return decapsulate(exchange, input, output);
    default: return 0;
  }
}

static void exchange_free(struct primitive *head) {
  struct exchange *exchange = (struct exchange *)head;
  BN_free(exchange->curve.secret);
#if !HAS_MLKEM_CALLS
  EVP_PKEY_free(exchange->kem);
#endif
  free(exchange);
}

struct primitive *exchange_new(const tlslab_assignment *assignment) {
  struct exchange *exchange = calloc(1, sizeof *exchange);
  if (exchange == NULL) return NULL;
  exchange->head = (struct primitive){exchange_run, exchange_free};
  switch (assignment->algorithm) {
    case TLSLAB_X25519: return &exchange->head;
    case TLSLAB_X25519MLKEM768: exchange->encapsulates = 1; return &exchange->head;
    case TLSLAB_SECP256R1: exchange->curve.group = EC_group_p256(); return &exchange->head;
    case TLSLAB_SECP384R1: exchange->curve.group = EC_group_p384(); return &exchange->head;
    case TLSLAB_SECP256R1MLKEM768:
      exchange->curve.group = EC_group_p256();
      exchange->encapsulates = 1;
      return &exchange->head;
    default: exchange_free(&exchange->head); return NULL;
  }
}

#endif
