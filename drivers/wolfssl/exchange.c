/* Key exchange: a curve, ML-KEM-768 together with one, as the library's TLS puts them together. */
#include "driver.h"

#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/dh.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/wc_mlkem.h>

enum { KEM_PUBLIC = 1184, KEM_CIPHERTEXT = 1088, KEM_SECRET = 32, FIELD = 256 };

/* One's own key on a curve. */
struct curve {
  int id; /* ECC_CURVE_INVALID: X25519 */
  ecc_key ecc;
  curve25519_key x25519;
};

struct exchange {
  struct primitive head;
  WC_RNG rng;
  struct curve own;
  int encapsulates, has_kem, in_field;
  MlKemKey kem;
  DhKey field;
  uint8_t number[FIELD]; /* one's own, of the field */
  word32 number_len;
};

static word32 field_len(int id) { return id == ECC_SECP384R1 ? 48 : 32; }

static word32 share_len(int id) { return id == ECC_CURVE_INVALID ? 32 : 1 + 2 * field_len(id); }

static void curve_free(struct curve *curve) {
  wc_ecc_free(&curve->ecc);
  wc_curve25519_free(&curve->x25519);
}

static int curve_init(struct curve *curve, int id) {
  curve->id = id;
  int code = wc_ecc_init(&curve->ecc);
  return code == 0 ? wc_curve25519_init(&curve->x25519) : code;
}

static int curve_generate(struct exchange *e, struct curve *curve, tlslab_buffer *output) {
  uint8_t *to = output->data + output->len;
  word32 length = (word32)(output->capacity - output->len);
  int id = curve->id;
  curve_free(curve);
  int code = curve_init(curve, id);
  if (code != 0) return code;
  if (id == ECC_CURVE_INVALID) {
    code = wc_curve25519_make_key(&e->rng, 32, &curve->x25519);
    if (code == 0) code = wc_curve25519_export_public_ex(&curve->x25519, to, &length, EC25519_LITTLE_ENDIAN);
  } else {
    code = wc_ecc_make_key_ex(&e->rng, (int)field_len(id), &curve->ecc, id);
    if (code == 0) code = wc_ecc_set_rng(&curve->ecc, &e->rng);
    if (code == 0) code = wc_ecc_export_x963(&curve->ecc, to, &length);
  }
  if (code == 0) output->len += length;
  return code;
}

static int curve_agree(struct curve *curve, const uint8_t *share, word32 len, tlslab_buffer *output) {
  uint8_t *to = output->data + output->len;
  word32 length = (word32)(output->capacity - output->len);
  int code;
  if (curve->id == ECC_CURVE_INVALID) {
    curve25519_key peer;
    code = wc_curve25519_init(&peer);
    if (code == 0) code = wc_curve25519_import_public_ex(share, len, &peer, EC25519_LITTLE_ENDIAN);
    if (code == 0) code = wc_curve25519_shared_secret_ex(&curve->x25519, &peer, to, &length, EC25519_LITTLE_ENDIAN);
    wc_curve25519_free(&peer);
  } else {
    ecc_key peer;
    code = wc_ecc_init(&peer);
    if (code == 0) code = wc_ecc_import_x963_ex(share, len, &peer, curve->id);
    if (code == 0) code = wc_ecc_shared_secret(&curve->ecc, &peer, to, &length);
    wc_ecc_free(&peer);
  }
  if (code == 0) output->len += length;
  return code;
}

/* In as many bytes as the prime has: the library leaves leading zeros out. */
static int append_whole(const uint8_t *number, word32 len, tlslab_buffer *output) {
  uint8_t *to = output->data + output->len;
  if (len > FIELD || output->capacity - output->len < FIELD) return BUFFER_E;
  memset(to, 0, FIELD - len);
  memcpy(to + FIELD - len, number, len);
  output->len += FIELD;
  return 0;
}

static int field_generate(struct exchange *e, tlslab_buffer *output) {
  uint8_t share[FIELD];
  word32 len = sizeof share;
  e->number_len = sizeof e->number;
  wc_FreeDhKey(&e->field);
  int code = wc_InitDhKey(&e->field);
  if (code == 0) code = wc_DhSetNamedKey(&e->field, WC_FFDHE_2048);
  if (code == 0) code = wc_DhGenerateKeyPair(&e->field, &e->rng, e->number, &e->number_len, share, &len);
  return code == 0 ? append_whole(share, len, output) : code;
}

static int field_agree(struct exchange *e, const tlslab_buffer *share, tlslab_buffer *output) {
  uint8_t secret[FIELD];
  word32 len = sizeof secret;
  int code = wc_DhAgree(&e->field, secret, &len, e->number, e->number_len, share->data, (word32)share->len);
  return code == 0 ? append_whole(secret, len, output) : code;
}

static int kem_generate(struct exchange *e, tlslab_buffer *output) {
  if (e->has_kem) wc_MlKemKey_Free(&e->kem);
  int code = wc_MlKemKey_Init(&e->kem, WC_ML_KEM_768, NULL, INVALID_DEVID);
  e->has_kem = code == 0;
  if (code == 0) code = wc_MlKemKey_MakeKey(&e->kem, &e->rng);
  if (code == 0) code = wc_MlKemKey_EncodePublicKey(&e->kem, output->data + output->len, KEM_PUBLIC);
  if (code == 0) output->len += KEM_PUBLIC;
  return code;
}

static int kem_encapsulate(struct exchange *e, const uint8_t *share, uint8_t *ciphertext, uint8_t *secret) {
  MlKemKey peer;
  int code = wc_MlKemKey_Init(&peer, WC_ML_KEM_768, NULL, INVALID_DEVID);
  if (code == 0) code = wc_MlKemKey_DecodePublicKey(&peer, share, KEM_PUBLIC);
  if (code == 0) code = wc_MlKemKey_Encapsulate(&peer, ciphertext, secret, &e->rng);
  wc_MlKemKey_Free(&peer);
  return code;
}

/* In a share and in a secret, ML-KEM comes before X25519 and behind P-256. */
static int curve_first(const struct exchange *e) { return e->own.id != ECC_CURVE_INVALID; }

static int generate(struct exchange *e, tlslab_buffer *output) {
  if (e->in_field) return field_generate(e, output);
  if (!e->encapsulates) return curve_generate(e, &e->own, output);
  int code = curve_first(e) ? curve_generate(e, &e->own, output) : kem_generate(e, output);
  if (code != 0) return code;
  return curve_first(e) ? kem_generate(e, output) : curve_generate(e, &e->own, output);
}

static int append(const uint8_t *bytes, size_t len, tlslab_buffer *output) {
  memcpy(output->data + output->len, bytes, len);
  output->len += len;
  return 0;
}

static int encapsulate(struct exchange *e, tlslab_buffer *input, tlslab_buffer *output) {
  word32 curve_len = share_len(e->own.id);
  if (input->len != KEM_PUBLIC + curve_len) return BUFFER_E;
  const uint8_t *curve_share = input->data + (curve_first(e) ? 0 : KEM_PUBLIC);
  const uint8_t *kem_share = input->data + (curve_first(e) ? curve_len : 0);
  uint8_t ciphertext[KEM_CIPHERTEXT], secret[KEM_SECRET];
  struct curve own; /* the one whose share was sent stays */
  int code = curve_init(&own, e->own.id);
  if (code == 0) code = kem_encapsulate(e, kem_share, ciphertext, secret);
  if (code == 0 && curve_first(e)) code = curve_generate(e, &own, output);
  if (code == 0) code = append(ciphertext, sizeof ciphertext, output);
  if (code == 0 && !curve_first(e)) code = curve_generate(e, &own, output);
  if (code == 0 && curve_first(e)) code = curve_agree(&own, curve_share, curve_len, output);
  if (code == 0) code = append(secret, sizeof secret, output);
  if (code == 0 && !curve_first(e)) code = curve_agree(&own, curve_share, curve_len, output);
  curve_free(&own);
  return code;
}

static int decapsulate(struct exchange *e, tlslab_buffer *input, tlslab_buffer *output) {
  word32 curve_len = share_len(e->own.id);
  if (input->len != KEM_CIPHERTEXT + curve_len) return BUFFER_E;
  const uint8_t *curve_share = input->data + (curve_first(e) ? 0 : KEM_CIPHERTEXT);
  const uint8_t *ciphertext = input->data + (curve_first(e) ? curve_len : 0);
  int code = curve_first(e) ? curve_agree(&e->own, curve_share, curve_len, output) : 0;
  if (code == 0) code = wc_MlKemKey_Decapsulate(&e->kem, output->data + output->len, ciphertext, KEM_CIPHERTEXT);
  if (code == 0) output->len += KEM_SECRET;
  if (code == 0 && !curve_first(e)) code = curve_agree(&e->own, curve_share, curve_len, output);
  return code;
}

static int run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output) {
  struct exchange *e = (struct exchange *)head;
  (void)sequence;
  switch (operation) {
    case TLSLAB_KEY_GENERATION: return generate(e, output);
    case TLSLAB_KEY_AGREEMENT:
      if (e->in_field) return field_agree(e, input, output);
      return curve_agree(&e->own, input->data, (word32)input->len, output);
    case TLSLAB_ENCAPSULATE: return encapsulate(e, input, output);
    case TLSLAB_DECAPSULATE: return decapsulate(e, input, output);
    default: return NOT_COMPILED_IN;
  }
}

static void release(struct primitive *head) {
  struct exchange *e = (struct exchange *)head;
  curve_free(&e->own);
  if (e->has_kem) wc_MlKemKey_Free(&e->kem);
  wc_FreeDhKey(&e->field);
  wc_FreeRng(&e->rng);
  free(e);
}

int exchange_new(const tlslab_assignment *assignment, struct primitive **primitive) {
  struct exchange *e = calloc(1, sizeof *e);
  if (e == NULL) return MEMORY_E;
  e->head = (struct primitive){run, release};
  int id = ECC_CURVE_INVALID;
  switch (assignment->algorithm) {
    case TLSLAB_X25519: break;
    case TLSLAB_FFDHE2048: e->in_field = 1; break;
    case TLSLAB_SECP256R1: id = ECC_SECP256R1; break;
    case TLSLAB_SECP384R1: id = ECC_SECP384R1; break;
    case TLSLAB_X25519MLKEM768: e->encapsulates = 1; break;
    case TLSLAB_SECP256R1MLKEM768: id = ECC_SECP256R1, e->encapsulates = 1; break;
    default: free(e); return NOT_COMPILED_IN;
  }
  int code = wc_InitRng(&e->rng);
  if (code == 0) code = wc_InitDhKey(&e->field);
  if (code == 0) code = curve_init(&e->own, id);
  if (code != 0) release(&e->head);
  *primitive = code == 0 ? &e->head : NULL;
  return code;
}
