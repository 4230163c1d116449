/* Key exchange as LibreSSL's own TLS does it: an EC_KEY of each curve, and calls of X25519. */
#include "driver.h"

#if EXCHANGES_BY_KEY

#include <openssl/curve25519.h>
#include <openssl/ec.h>
#include <openssl/ecdh.h>

struct exchange {
  struct primitive head;
  int curve; /* 0: X25519 */
  EC_KEY *own;
  uint8_t x25519[X25519_KEY_LENGTH];
};

static int generate(struct exchange *exchange, tlslab_buffer *output) {
  uint8_t *share = output->data + output->len;
  size_t room = output->capacity - output->len, length = X25519_KEY_LENGTH;
  if (exchange->curve == 0) {
    if (room < length) return 0;
    X25519_keypair(share, exchange->x25519);
  } else {
    EC_KEY_free(exchange->own);
    exchange->own = EC_KEY_new_by_curve_name(exchange->curve);
    if (exchange->own == NULL || !EC_KEY_generate_key(exchange->own)) return 0;
    length = EC_POINT_point2oct(EC_KEY_get0_group(exchange->own), EC_KEY_get0_public_key(exchange->own),
                                POINT_CONVERSION_UNCOMPRESSED, share, room, NULL);
  }
  output->len += length;
  return length > 0;
}

static int agree(struct exchange *exchange, tlslab_buffer *share, tlslab_buffer *output) {
  uint8_t *secret = output->data + output->len;
  size_t room = output->capacity - output->len, length = X25519_KEY_LENGTH;
  if (exchange->curve == 0) {
    if (room < length || share->len != X25519_KEY_LENGTH || !X25519(secret, exchange->x25519, share->data)) return 0;
  } else {
    if (exchange->own == NULL) return 0;
    const EC_GROUP *group = EC_KEY_get0_group(exchange->own);
    EC_POINT *peer = EC_POINT_new(group);
    length = ((size_t)EC_GROUP_get_degree(group) + 7) / 8;
    int done = peer != NULL && room >= length && EC_POINT_oct2point(group, peer, share->data, share->len, NULL) &&
               ECDH_compute_key(secret, length, peer, exchange->own, NULL) == (int)length;
    EC_POINT_free(peer);
    if (!done) return 0;
  }
  output->len += length;
  return 1;
}

static int exchange_run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input,
                        tlslab_buffer *output) {
  struct exchange *exchange = (struct exchange *)head;
  (void)sequence;
  switch (operation) {
    case TLSLAB_KEY_GENERATION: return generate(exchange, output);
    case TLSLAB_KEY_AGREEMENT: return agree(exchange, input, output);
    default: return 0;
  }
}

static void exchange_free(struct primitive *head) {
  struct exchange *exchange = (struct exchange *)head;
  EC_KEY_free(exchange->own);
  free(exchange);
}

struct primitive *exchange_new(const tlslab_assignment *assignment) {
  struct exchange *exchange = calloc(1, sizeof *exchange);
  if (exchange == NULL) return NULL;
  exchange->head = (struct primitive){exchange_run, exchange_free};
  switch (assignment->algorithm) {
    case TLSLAB_X25519: return &exchange->head;
    case TLSLAB_SECP256R1: exchange->curve = NID_X9_62_prime256v1; return &exchange->head;
    case TLSLAB_SECP384R1: exchange->curve = NID_secp384r1; return &exchange->head;
    default: exchange_free(&exchange->head); return NULL;
  }
}

#endif
