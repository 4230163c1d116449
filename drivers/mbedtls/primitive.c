/* One cryptographic operation alone, called as the library's own TLS calls it. */
#include <mbedtls/cipher.h>
#include <mbedtls/md.h>
#include <mbedtls/pk.h>
#include <mbedtls/rsa.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>

#include "driver.h"

enum { TAG = 16 };

/* State that lasts longer than a call; each kind of operation has its part. */
struct primitive {
  tlslab_assignment given;
  mbedtls_md_context_t hash; /* of codes, too */
  mbedtls_cipher_context_t sealing, opening;
  mbedtls_pk_context own;
  mbedtls_x509_crt leaf;
  psa_key_id_t ephemeral;
};

static int digest(struct primitive *p, tlslab_buffer *input, tlslab_buffer *output) {
  int code = mbedtls_md_starts(&p->hash);
  if (code == 0) code = mbedtls_md_update(&p->hash, input->data, input->len);
  if (code == 0) code = mbedtls_md_finish(&p->hash, output->data + output->len);
  if (code == 0) output->len += p->given.algorithm == TLSLAB_SHA384 ? 48 : 32;
  return code;
}

static int code_of(struct primitive *p, tlslab_buffer *input, tlslab_buffer *output) {
  int code = mbedtls_md_hmac_starts(&p->hash, p->given.key.data, p->given.key.len);
  if (code == 0) code = mbedtls_md_hmac_update(&p->hash, input->data, input->len);
  if (code == 0) code = mbedtls_md_hmac_finish(&p->hash, output->data + output->len);
  if (code == 0) output->len += p->given.algorithm == TLSLAB_SHA384 ? 48 : 32;
  return code;
}

static int crypt(struct primitive *p, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output) {
  uint8_t nonce[12], *to = output->data + output->len;
  size_t length = 0, room = output->capacity - output->len;
  tlslab_nonce(p->given.iv, sequence, nonce);
  int code = operation == TLSLAB_AEAD_SEAL
                 ? mbedtls_cipher_auth_encrypt_ext(&p->sealing, nonce, sizeof nonce, p->given.header, p->given.header_len,
                                                   input->data, input->len, to, room, &length, TAG)
                 : mbedtls_cipher_auth_decrypt_ext(&p->opening, nonce, sizeof nonce, p->given.header, p->given.header_len,
                                                   input->data, input->len, to, room, &length, TAG);
  if (code == 0) output->len += length;
  return code;
}

static mbedtls_pk_type_t scheme(const struct primitive *p) {
  return p->given.algorithm == TLSLAB_RSA_PSS_RSAE_SHA256 ? MBEDTLS_PK_RSASSA_PSS : MBEDTLS_PK_ECDSA;
}

/* Hashes what is signed: with P-384 by SHA-384, else by SHA-256. */
static int hash_signed(const struct primitive *p, const uint8_t *data, size_t len, uint8_t hash[48], size_t *hash_len) {
  psa_algorithm_t by = p->given.algorithm == TLSLAB_ECDSA_SECP384R1_SHA384 ? PSA_ALG_SHA_384 : PSA_ALG_SHA_256;
  return psa_hash_compute(by, data, len, hash, 48, hash_len) == PSA_SUCCESS ? 0 : MBEDTLS_ERR_MD_BAD_INPUT_DATA;
}

static mbedtls_md_type_t signed_hash(const struct primitive *p) {
  return p->given.algorithm == TLSLAB_ECDSA_SECP384R1_SHA384 ? MBEDTLS_MD_SHA384 : MBEDTLS_MD_SHA256;
}

static int sign(struct primitive *p, tlslab_buffer *input, tlslab_buffer *output) {
  uint8_t hash[48];
  size_t length = 0;
  int code = hash_signed(p, input->data, input->len, hash, &length);
  if (code != 0) return code;
  code = mbedtls_pk_sign_ext(scheme(p), &p->own, signed_hash(p), hash, length, output->data + output->len,
                             output->capacity - output->len, &length, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  if (code == 0) output->len += length;
  return code;
}

static int verify(struct primitive *p, tlslab_buffer *input) {
  uint8_t hash[48];
  size_t length = 0;
  int code = hash_signed(p, p->given.message.data, p->given.message.len, hash, &length);
  if (code != 0) return code;
  const mbedtls_pk_rsassa_pss_options pss = {.mgf1_hash_id = MBEDTLS_MD_SHA256, .expected_salt_len = 32};
  return mbedtls_pk_verify_ext(scheme(p), scheme(p) == MBEDTLS_PK_RSASSA_PSS ? &pss : NULL, &p->leaf.pk,
                               signed_hash(p), hash, length, input->data, input->len);
}

static psa_algorithm_t agreement(uint16_t group) { return group == TLSLAB_FFDHE2048 ? PSA_ALG_FFDH : PSA_ALG_ECDH; }

static int set_group(uint16_t group, psa_key_attributes_t *attributes) {
  psa_ecc_family_t family = group == TLSLAB_X25519 ? PSA_ECC_FAMILY_MONTGOMERY : PSA_ECC_FAMILY_SECP_R1;
  psa_set_key_type(attributes, PSA_KEY_TYPE_ECC_KEY_PAIR(family));
  psa_set_key_bits(attributes, group == TLSLAB_SECP384R1 ? 384 : group == TLSLAB_X25519 ? 255 : 256);
  if (group == TLSLAB_FFDHE2048) {
    psa_set_key_type(attributes, PSA_KEY_TYPE_DH_KEY_PAIR(PSA_DH_FAMILY_RFC7919));
    psa_set_key_bits(attributes, 2048);
  }
  psa_set_key_usage_flags(attributes, PSA_KEY_USAGE_DERIVE);
  psa_set_key_algorithm(attributes, agreement(group));
  return group == TLSLAB_SECP256R1 || group == TLSLAB_SECP384R1 || group == TLSLAB_X25519 || group == TLSLAB_FFDHE2048;
}

static psa_status_t generate(struct primitive *p, tlslab_buffer *output) {
  psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
  size_t length = 0;
  psa_destroy_key(p->ephemeral);
  p->ephemeral = PSA_KEY_ID_NULL;
  if (!set_group(p->given.algorithm, &attributes)) return PSA_ERROR_NOT_SUPPORTED;
  psa_status_t status = psa_generate_key(&attributes, &p->ephemeral);
  if (status == PSA_SUCCESS)
    status = psa_export_public_key(p->ephemeral, output->data + output->len, output->capacity - output->len, &length);
  if (status == PSA_SUCCESS) output->len += length;
  return status;
}

static psa_status_t agree(struct primitive *p, tlslab_buffer *input, tlslab_buffer *output) {
  size_t length = 0;
  psa_status_t status = psa_raw_key_agreement(agreement(p->given.algorithm), p->ephemeral, input->data, input->len,
                                              output->data + output->len, output->capacity - output->len, &length);
  if (status == PSA_SUCCESS) output->len += length;
  return status;
}

int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error) {
  struct primitive *p = object;
  int code;
  switch (operation) {
    case TLSLAB_HASH: code = digest(p, input, output); break;
    case TLSLAB_HMAC: code = code_of(p, input, output); break;
    case TLSLAB_AEAD_SEAL:
    case TLSLAB_AEAD_OPEN: code = crypt(p, operation, sequence, input, output); break;
    case TLSLAB_SIGN: code = sign(p, input, output); break;
    case TLSLAB_VERIFY: code = verify(p, input); break;
    case TLSLAB_KEY_GENERATION: code = generate(p, output); break;
    case TLSLAB_KEY_AGREEMENT: code = agree(p, input, output); break;
    default: code = MBEDTLS_ERR_CIPHER_FEATURE_UNAVAILABLE;
  }
  return code == 0 ? TLSLAB_OK : reason(error, "the library refuses", code);
}

static int prepare_aead(struct primitive *p, tlslab_bytes key) {
  mbedtls_cipher_type_t type = p->given.algorithm == TLSLAB_AES_128_GCM ? MBEDTLS_CIPHER_AES_128_GCM
                               : p->given.algorithm == TLSLAB_AES_256_GCM ? MBEDTLS_CIPHER_AES_256_GCM
                                                        : MBEDTLS_CIPHER_CHACHA20_POLY1305;
  const mbedtls_cipher_info_t *info = mbedtls_cipher_info_from_type(type);
  if (info == NULL) return MBEDTLS_ERR_CIPHER_FEATURE_UNAVAILABLE;
  int code = mbedtls_cipher_setup(&p->sealing, info);
  if (code == 0) code = mbedtls_cipher_setup(&p->opening, info);
  if (code == 0) code = mbedtls_cipher_setkey(&p->sealing, key.data, (int)key.len * 8, MBEDTLS_ENCRYPT);
  if (code == 0) code = mbedtls_cipher_setkey(&p->opening, key.data, (int)key.len * 8, MBEDTLS_DECRYPT);
  return code;
}

static int prepare_signature(struct primitive *p, const tlslab_material *material) {
  if (material->chain_len == 0) return MBEDTLS_ERR_PK_BAD_INPUT_DATA;
  int code = mbedtls_pk_parse_key(&p->own, material->key.data, material->key.len, NULL, 0, mbedtls_psa_get_random,
                                  MBEDTLS_PSA_RANDOM_STATE);
  if (code == 0) code = mbedtls_x509_crt_parse_der(&p->leaf, material->chain[0].data, material->chain[0].len);
  return code;
}

static int prepare(struct primitive *p, const tlslab_material *material) {
  mbedtls_md_type_t hash = p->given.algorithm == TLSLAB_SHA384 ? MBEDTLS_MD_SHA384 : MBEDTLS_MD_SHA256;
  switch (p->given.operation) {
    case TLSLAB_HASH: return mbedtls_md_setup(&p->hash, mbedtls_md_info_from_type(hash), 0);
    case TLSLAB_HMAC: return mbedtls_md_setup(&p->hash, mbedtls_md_info_from_type(hash), 1);
    case TLSLAB_AEAD_SEAL:
    case TLSLAB_AEAD_OPEN: return prepare_aead(p, p->given.key);
    case TLSLAB_SIGN:
    case TLSLAB_VERIFY: return prepare_signature(p, material);
    default: return 0;
  }
}

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error) {
  int signs = assignment->operation == TLSLAB_SIGN || assignment->operation == TLSLAB_VERIFY;
  uint16_t scheme = assignment->algorithm;
  if (signs && scheme != TLSLAB_ECDSA_SECP256R1_SHA256 && scheme != TLSLAB_ECDSA_SECP384R1_SHA384 &&
      scheme != TLSLAB_RSA_PSS_RSAE_SHA256)
    return reason_of_pin(error, "signature scheme", scheme);
  struct primitive *p = *object = calloc(1, sizeof *p);
  if (p == NULL) return reason(error, "no memory", 0);
  p->given = *assignment;
  mbedtls_md_init(&p->hash);
  mbedtls_cipher_init(&p->sealing);
  mbedtls_cipher_init(&p->opening);
  mbedtls_pk_init(&p->own);
  mbedtls_x509_crt_init(&p->leaf);
  int code = prepare(p, material);
  return code == 0 ? TLSLAB_OK : reason(error, "the operation cannot be made ready", code);
}

void primitive_free(void *object) {
  struct primitive *p = object;
  mbedtls_md_free(&p->hash);
  mbedtls_cipher_free(&p->sealing);
  mbedtls_cipher_free(&p->opening);
  mbedtls_pk_free(&p->own);
  mbedtls_x509_crt_free(&p->leaf);
  psa_destroy_key(p->ephemeral);
  free(p);
}
