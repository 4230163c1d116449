/* The library's reports: about a finished connection by code points, and about a failure. */
#include "shared.h"

uint16_t suite_of(const SSL *ssl) {
  const SSL_CIPHER *suite = SSL_get_current_cipher(ssl);
  /* The upper half of an identifier is a mark of old that all suites bear. */
  return suite == NULL ? 0 : (uint16_t)(SSL_CIPHER_get_id(suite) & 0xffff);
}

#if !REPORTS_CODE_POINTS
static uint16_t group_by_nid(int nid) {
  switch (nid) {
    case NID_X9_62_prime256v1: return TLSLAB_SECP256R1;
    case NID_secp384r1: return TLSLAB_SECP384R1;
    case NID_X25519: return TLSLAB_X25519;
#if defined(NID_ffdhe2048)
    case NID_ffdhe2048: return TLSLAB_FFDHE2048;
#endif
    default: return 0;
  }
}
#endif

uint16_t group_of(SSL *ssl) {
#if REPORTS_CODE_POINTS
  return SSL_get_group_id(ssl);
#elif REPORTS_GROUP
  int nid = (int)SSL_get_negotiated_group(ssl);
  /* A group without an identifier of the library's own is reported by its code point. */
  return nid & TLSEXT_nid_unknown ? (uint16_t)(nid & 0xffff) : group_by_nid(nid);
#else
  EVP_PKEY *key = NULL;
  if (!SSL_get_peer_tmp_key(ssl, &key) || key == NULL) return 0;
  int nid = EVP_PKEY_base_id(key);
  if (nid == EVP_PKEY_EC) nid = EC_GROUP_get_curve_name(EC_KEY_get0_group(EVP_PKEY_get0_EC_KEY(key)));
  EVP_PKEY_free(key);
  return group_by_nid(nid);
#endif
}

#if REPORTS_SIGNATURE
static uint16_t scheme_by_nids(int type, int digest, int key_type) {
  if (type == EVP_PKEY_EC && digest == NID_sha256) return TLSLAB_ECDSA_SECP256R1_SHA256;
  if (type == EVP_PKEY_EC && digest == NID_sha384) return TLSLAB_ECDSA_SECP384R1_SHA384;
  /* RSA-PSS has two schemes per digest, one for keys that may do nothing else. */
  if (type == EVP_PKEY_RSA_PSS && digest == NID_sha256) return key_type == EVP_PKEY_RSA ? TLSLAB_RSA_PSS_RSAE_SHA256 : 0x0809;
  if (type == EVP_PKEY_RSA && digest == NID_sha256) return TLSLAB_RSA_PKCS1_SHA256;
  if (type == EVP_PKEY_ED25519) return TLSLAB_ED25519;
#if defined(NID_ML_DSA_44)
  if (type == NID_ML_DSA_44) return TLSLAB_MLDSA44;
  if (type == NID_ML_DSA_65) return TLSLAB_MLDSA65;
#endif
  return 0;
}
#endif

/* The scheme of the server's CertificateVerify, which is the server's own and the client's peer's. */
uint16_t scheme_of(SSL *ssl, int side, int key_type) {
#if REPORTS_CODE_POINTS
  (void)key_type;
  return side == TLSLAB_CLIENT ? SSL_get_peer_signature_algorithm(ssl) : 0;
#elif REPORTS_SIGNATURE
  int type = NID_undef, digest = NID_undef;
  int known = side == TLSLAB_CLIENT
                  ? SSL_get_peer_signature_type_nid(ssl, &type) && SSL_get_peer_signature_nid(ssl, &digest)
                  : SSL_get_signature_type_nid(ssl, &type) && SSL_get_signature_nid(ssl, &digest);
  return known ? scheme_by_nids(type, digest, key_type) : 0;
#else
  (void)ssl, (void)side, (void)key_type;
  return 0;
#endif
}

void first_cause(char *text, size_t room) {
  unsigned long code = ERR_peek_error();
  const char *library = ERR_lib_error_string(code);
  const char *reason = ERR_reason_error_string(code);
  if (code == 0) {
    snprintf(text, room, "the library gave no reason");
  } else if (library != NULL && reason != NULL) {
    snprintf(text, room, "%s: %s", library, reason);
  } else {
    ERR_error_string_n(code, text, room);
  }
}

int reason_of_library(tlslab_error *error, int status, const char *what) {
  char cause[256];
  if (ERR_peek_error() == 0) return tlslab_say(error, status, "%s", what);
  first_cause(cause, sizeof cause);
  ERR_clear_error();
  return tlslab_say(error, status, "%s: %s", what, cause);
}
