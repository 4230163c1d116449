/* One cryptographic operation alone, by the library's public interface. */
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>

#include "driver.h"

enum { TAG = 16, FIELD = 256 };

/* State that lasts longer than a call; each kind of operation has its part. */
struct primitive {
  tlslab_assignment given;
  gnutls_hash_hd_t hash;
  gnutls_aead_cipher_hd_t aead;
  gnutls_sign_algorithm_t scheme;
  gnutls_privkey_t own; /* to sign with, or ephemeral */
  gnutls_pubkey_t public_key;
};

static unsigned hash_len(const struct primitive *p) { return p->given.algorithm == TLSLAB_SHA384 ? 48 : 32; }

/* GnuTLS numbers codes and hashes alike. */
static gnutls_digest_algorithm_t hash_of(const struct primitive *p) {
  return p->given.algorithm == TLSLAB_SHA384 ? GNUTLS_DIG_SHA384 : GNUTLS_DIG_SHA256;
}

static gnutls_sign_algorithm_t scheme_of(uint16_t point) {
  const char *known = tlslab_name(scheme_names(TLSLAB_TLS13), tlslab_schemes, point);
  return known == NULL ? GNUTLS_SIGN_UNKNOWN : gnutls_sign_get_id(known);
}

static int append(const gnutls_datum_t *data, tlslab_buffer *output) {
  return tlslab_append(output, data->data, data->size) ? 0 : GNUTLS_E_SHORT_MEMORY_BUFFER;
}

static int digest(struct primitive *p, tlslab_buffer *input, tlslab_buffer *output) {
  int code = gnutls_hash(p->hash, input->data, input->len);
  if (code < 0) return code;
  gnutls_hash_output(p->hash, output->data + output->len); /* and resets it */
  output->len += hash_len(p);
  return 0;
}

static int code_of(struct primitive *p, tlslab_buffer *input, tlslab_buffer *output) {
  int code = gnutls_hmac_fast((gnutls_mac_algorithm_t)hash_of(p), p->given.key.data, p->given.key.len, input->data, input->len,
                              output->data + output->len);
  if (code == 0) output->len += hash_len(p);
  return code;
}

static int crypt(struct primitive *p, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output) {
  uint8_t nonce[12], *to = output->data + output->len;
  size_t length = output->capacity - output->len;
  tlslab_nonce(p->given.iv, sequence, nonce);
  int code = operation == TLSLAB_AEAD_SEAL
                 ? gnutls_aead_cipher_encrypt(p->aead, nonce, sizeof nonce, p->given.header, p->given.header_len, TAG,
                                              input->data, input->len, to, &length)
                 : gnutls_aead_cipher_decrypt(p->aead, nonce, sizeof nonce, p->given.header, p->given.header_len, TAG,
                                              input->data, input->len, to, &length);
  if (code == 0) output->len += length;
  return code;
}

static int sign(struct primitive *p, tlslab_buffer *input, tlslab_buffer *output) {
  gnutls_datum_t message = {input->data, (unsigned)input->len}, signature = {NULL, 0};
  int code = gnutls_privkey_sign_data2(p->own, p->scheme, 0, &message, &signature);
  if (code == 0) code = append(&signature, output);
  gnutls_free(signature.data);
  return code;
}

static int verify(struct primitive *p, tlslab_buffer *input) {
  gnutls_datum_t message = {(uint8_t *)p->given.message.data, (unsigned)p->given.message.len};
  gnutls_datum_t signature = {input->data, (unsigned)input->len};
  int code = gnutls_pubkey_verify_data2(p->public_key, p->scheme, 0, &message, &signature);
  return code < 0 ? code : 0;
}

#if DERIVES_SECRETS

static gnutls_ecc_curve_t curve(const struct primitive *p) {
  switch (p->given.algorithm) {
    case TLSLAB_SECP256R1: return GNUTLS_ECC_CURVE_SECP256R1;
    case TLSLAB_SECP384R1: return GNUTLS_ECC_CURVE_SECP384R1;
    case TLSLAB_X25519: return GNUTLS_ECC_CURVE_X25519;
    default: return GNUTLS_ECC_CURVE_INVALID;
  }
}

static gnutls_pk_algorithm_t kind(const struct primitive *p) {
  return p->given.algorithm == TLSLAB_X25519 ? GNUTLS_PK_ECDH_X25519 : GNUTLS_PK_ECDSA;
}

/* RFC 7919's field, as the library has it. */
static int field(gnutls_dh_params_t *parameters) {
  int code = gnutls_dh_params_init(parameters);
  return code < 0 ? code
                  : gnutls_dh_params_import_raw3(*parameters, &gnutls_ffdhe_2048_group_prime, &gnutls_ffdhe_2048_group_q,
                                                 &gnutls_ffdhe_2048_group_generator);
}

/* In as many bytes as there are to be: the library leaves leading zeros out. */
static int append_whole(const gnutls_datum_t *number, size_t size, tlslab_buffer *output) {
  uint8_t *to = output->data + output->len;
  if (number->size > size || size > output->capacity - output->len) return GNUTLS_E_SHORT_MEMORY_BUFFER;
  memset(to, 0, size - number->size);
  memcpy(to + size - number->size, number->data, number->size);
  output->len += size;
  return 0;
}

static int field_generate(struct primitive *p, tlslab_buffer *output) {
  gnutls_dh_params_t parameters = NULL;
  gnutls_datum_t share = {NULL, 0};
  int code = field(&parameters);
  gnutls_keygen_data_st given = {GNUTLS_KEYGEN_DH, (unsigned char *)parameters, 0};
  if (code == 0) code = gnutls_privkey_generate2(p->own, GNUTLS_PK_DH, 0, 0, &given, 1);
  if (code == 0) code = gnutls_privkey_export_dh_raw(p->own, NULL, &share, NULL, GNUTLS_EXPORT_FLAG_NO_LZ);
  if (code == 0) code = append_whole(&share, FIELD, output);
  gnutls_free(share.data);
  if (parameters != NULL) gnutls_dh_params_deinit(parameters);
  return code;
}

static int field_agree(struct primitive *p, tlslab_buffer *input, tlslab_buffer *output) {
  gnutls_dh_params_t parameters = NULL;
  gnutls_pubkey_t peer = NULL;
  gnutls_datum_t share = {input->data, (unsigned)input->len}, secret = {NULL, 0};
  int code = field(&parameters);
  if (code == 0) code = gnutls_pubkey_init(&peer);
  if (code == 0) code = gnutls_pubkey_import_dh_raw(peer, parameters, &share);
  if (code == 0) code = gnutls_privkey_derive_secret(p->own, peer, NULL, &secret, 0);
  if (code == 0) code = append_whole(&secret, FIELD, output);
  gnutls_free(secret.data);
  if (peer != NULL) gnutls_pubkey_deinit(peer);
  if (parameters != NULL) gnutls_dh_params_deinit(parameters);
  return code;
}

static int generate(struct primitive *p, tlslab_buffer *output) {
  gnutls_datum_t x = {NULL, 0}, y = {NULL, 0};
  if (p->own != NULL) gnutls_privkey_deinit(p->own);
  p->own = NULL;
  int code = gnutls_privkey_init(&p->own);
  if (code == 0 && p->given.algorithm == TLSLAB_FFDHE2048) return field_generate(p, output);
  if (code == 0) code = gnutls_privkey_generate(p->own, kind(p), GNUTLS_CURVE_TO_BITS(curve(p)), 0);
  if (code == 0) code = gnutls_privkey_export_ecc_raw2(p->own, NULL, &x, &y, NULL, GNUTLS_EXPORT_FLAG_NO_LZ);
  if (code == 0 && p->given.algorithm != TLSLAB_X25519) {
    size_t size = p->given.algorithm == TLSLAB_SECP384R1 ? 48 : 32;
    output->data[output->len++] = 4;
    code = append_whole(&x, size, output);
    if (code == 0) code = append_whole(&y, size, output);
  } else if (code == 0) {
    code = append(&x, output);
  }
  gnutls_free(x.data);
  gnutls_free(y.data);
  return code;
}

static int agree(struct primitive *p, tlslab_buffer *input, tlslab_buffer *output) {
  if (p->given.algorithm == TLSLAB_FFDHE2048) return field_agree(p, input, output);
  gnutls_datum_t x = {input->data, (unsigned)input->len}, y = {NULL, 0}, secret = {NULL, 0};
  if (p->given.algorithm != TLSLAB_X25519) {
    if (input->len < 3 || input->data[0] != 4) return GNUTLS_E_ILLEGAL_PARAMETER;
    unsigned size = (unsigned)(input->len - 1) / 2;
    x = (gnutls_datum_t){input->data + 1, size};
    y = (gnutls_datum_t){input->data + 1 + size, size};
  }
  gnutls_pubkey_t peer = NULL;
  int code = gnutls_pubkey_init(&peer);
  if (code == 0) code = gnutls_pubkey_import_ecc_raw(peer, curve(p), &x, y.data == NULL ? NULL : &y);
  if (code == 0) code = gnutls_privkey_derive_secret(p->own, peer, NULL, &secret, 0);
  if (code == 0) code = append(&secret, output);
  gnutls_free(secret.data);
  if (peer != NULL) gnutls_pubkey_deinit(peer);
  return code;
}

#endif

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
#if DERIVES_SECRETS
    case TLSLAB_KEY_GENERATION: code = generate(p, output); break;
    case TLSLAB_KEY_AGREEMENT: code = agree(p, input, output); break;
#endif
    default: code = GNUTLS_E_UNIMPLEMENTED_FEATURE;
  }
  return code == 0 ? TLSLAB_OK : reason_of_library(error, "the library refuses", code);
}

static int prepare_signature(struct primitive *p, const tlslab_material *material) {
  if (material->chain_len == 0) return GNUTLS_E_INVALID_REQUEST;
  p->scheme = scheme_of(p->given.algorithm);
  gnutls_datum_t key = {(uint8_t *)material->key.data, (unsigned)material->key.len};
  gnutls_datum_t leaf = {(uint8_t *)material->chain[0].data, (unsigned)material->chain[0].len};
  gnutls_x509_crt_t certificate = NULL;
  int code = gnutls_privkey_init(&p->own);
  if (code == 0) code = gnutls_privkey_import_x509_raw(p->own, &key, GNUTLS_X509_FMT_DER, NULL, 0);
  if (code == 0) code = gnutls_x509_crt_init(&certificate);
  if (code == 0) code = gnutls_x509_crt_import(certificate, &leaf, GNUTLS_X509_FMT_DER);
  if (code == 0) code = gnutls_pubkey_init(&p->public_key);
  if (code == 0) code = gnutls_pubkey_import_x509(p->public_key, certificate, 0);
  if (certificate != NULL) gnutls_x509_crt_deinit(certificate);
  return code;
}

static int prepare(struct primitive *p, const tlslab_material *material) {
  gnutls_datum_t key = {(uint8_t *)p->given.key.data, (unsigned)p->given.key.len};
  switch (p->given.operation) {
    case TLSLAB_HASH: return gnutls_hash_init(&p->hash, hash_of(p));
    case TLSLAB_AEAD_SEAL:
    case TLSLAB_AEAD_OPEN:
      return gnutls_aead_cipher_init(&p->aead,
                                     p->given.algorithm == TLSLAB_AES_128_GCM ? GNUTLS_CIPHER_AES_128_GCM
                                     : p->given.algorithm == TLSLAB_AES_256_GCM ? GNUTLS_CIPHER_AES_256_GCM
                                                              : GNUTLS_CIPHER_CHACHA20_POLY1305,
                                     &key);
    case TLSLAB_SIGN:
    case TLSLAB_VERIFY: return prepare_signature(p, material);
    default: return 0;
  }
}

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error) {
  int signs = assignment->operation == TLSLAB_SIGN || assignment->operation == TLSLAB_VERIFY;
  if (signs && scheme_of(assignment->algorithm) == GNUTLS_SIGN_UNKNOWN) {
    return tlslab_unsupported(error, "this driver knows no name for the signature scheme 0x%04x", assignment->algorithm);
  }
  struct primitive *p = *object = calloc(1, sizeof *p);
  if (p == NULL) return reason_of_library(error, "no memory", GNUTLS_E_MEMORY_ERROR);
  p->given = *assignment;
  int code = prepare(p, material);
  return code == 0 ? TLSLAB_OK : reason_of_library(error, "the operation cannot be made ready", code);
}

void primitive_free(void *object) {
  struct primitive *p = object;
  if (p->hash != NULL) gnutls_hash_deinit(p->hash, NULL);
  if (p->aead != NULL) gnutls_aead_cipher_deinit(p->aead);
  if (p->own != NULL) gnutls_privkey_deinit(p->own);
  if (p->public_key != NULL) gnutls_pubkey_deinit(p->public_key);
  free(p);
}
