/* Holds a context to exactly what a scenario names: one version, one suite, one group, one signature scheme. */
#include "driver.h"

#include <wolfssl/wolfcrypt/dh.h>

/* The others have IANA's names, but for the dashes of TLS 1.2's suites. */
const tlslab_own_name group_names[] = {{TLSLAB_FFDHE2048, "FFDHE_2048"}, {0, NULL}};

const char *suite_name(uint16_t suite) {
  const tlslab_value *known = tlslab_find(tlslab_suites, suite);
  switch (suite) {
    case TLSLAB_AES_128_GCM: return "TLS13-AES128-GCM-SHA256";
    case TLSLAB_AES_256_GCM: return "TLS13-AES256-GCM-SHA384";
    case TLSLAB_CHACHA20_POLY1305: return "TLS13-CHACHA20-POLY1305-SHA256";
    default: return known == NULL ? NULL : known->dashed;
  }
}

/* A key of ML-DSA has but one scheme, and the setter has no names for these. */
static int is_ml_dsa(uint16_t scheme) { return scheme == TLSLAB_MLDSA44 || scheme == TLSLAB_MLDSA65; }

WOLFSSL_CTX *pin_version(int side, uint16_t version) {
  switch (version) {
#if HAS_TLS12
    case TLSLAB_TLS12:
      return wolfSSL_CTX_new(side == TLSLAB_CLIENT ? wolfTLSv1_2_client_method() : wolfTLSv1_2_server_method());
#endif
    case TLSLAB_TLS13:
      return wolfSSL_CTX_new(side == TLSLAB_CLIENT ? wolfTLSv1_3_client_method() : wolfTLSv1_3_server_method());
    default: return NULL;
  }
}

int pin_suite(WOLFSSL_CTX *ssl, uint16_t suite) {
  return suite_name(suite) != NULL && wolfSSL_CTX_set_cipher_list(ssl, suite_name(suite)) == WOLFSSL_SUCCESS;
}

int pin_group(WOLFSSL_CTX *ssl, uint16_t group) {
  int only = group; /* the library's numbers are IANA's */
  return tlslab_find(tlslab_groups, group) != NULL && wolfSSL_CTX_set_groups(ssl, &only, 1) == WOLFSSL_SUCCESS;
}

/* A client that is to be asked for another ClientHello makes its first key share for the first of two groups. */
static int pin_groups(WOLFSSL_CTX *ssl, int side, const tlslab_scenario *scenario) {
  if (side == TLSLAB_SERVER || scenario->retry_group == 0) return pin_group(ssl, scenario->group);
  int both[] = {(int)scenario->retry_group, scenario->group};
  return wolfSSL_CTX_set_groups(ssl, both, 2) == WOLFSSL_SUCCESS;
}

int pin_scheme(WOLFSSL_CTX *ssl, uint16_t scheme) {
  if (is_ml_dsa(scheme)) return HAS_ML_DSA; /* without a setter for it, others are on offer, too */
#if HAS_SIGNATURE_SETTER
  static const tlslab_own_name own[] = {{TLSLAB_ECDSA_SECP256R1_SHA256, "ECDSA+SHA256"},
                                        {TLSLAB_ECDSA_SECP384R1_SHA384, "ECDSA+SHA384"},
                                        {TLSLAB_ED25519, "ED25519"},
                                        {TLSLAB_RSA_PSS_RSAE_SHA256, "RSA-PSS+SHA256"},
                                        {TLSLAB_RSA_PKCS1_SHA256, "RSA+SHA256"},
                                        {0, NULL}};
  const char *known = tlslab_name(own, tlslab_schemes, scheme);
  return known != NULL && wolfSSL_CTX_set1_sigalgs_list(ssl, known) == WOLFSSL_SUCCESS;
#else
  /* A key on P-256 has but one scheme in TLS 1.3. In TLS 1.2 the library takes the shortest digest, this one's. */
  (void)ssl;
  return scheme == TLSLAB_ECDSA_SECP256R1_SHA256;
#endif
}

/* A server of TLS 1.2 asks for a signature by any scheme that was compiled in, and a client with an RSA key then takes
 * RSA-PSS, whatever both were told. */
static int holds_client_to_scheme(const tlslab_scenario *scenario) {
  return !(scenario->mutual && scenario->version == TLSLAB_TLS12 && scenario->signature_scheme == TLSLAB_RSA_PKCS1_SHA256);
}

/* The finite field that a server of TLS 1.2 chooses; a client has no use for it. */
static int choose_field(WOLFSSL_CTX *ssl) {
  byte prime[256], generator[1];
  word32 prime_len = sizeof prime, generator_len = sizeof generator;
  return wc_DhCopyNamedKey(WC_FFDHE_2048, prime, &prime_len, generator, &generator_len, NULL, NULL) == 0 &&
         wolfSSL_CTX_SetTmpDH(ssl, prime, (int)prime_len, generator, (int)generator_len) == WOLFSSL_SUCCESS;
}

int pin_scenario(WOLFSSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error) {
  if (!holds_client_to_scheme(scenario)) {
    return tlslab_unsupported(error, "in TLS 1.2 wolfSSL's client signs with RSA-PSS and has no option to change that");
  }
  if (scenario->pregenerated && scenario->group == TLSLAB_FFDHE2048) {
    return tlslab_unsupported(error, "wolfSSL's server takes a key share that was made beforehand on curves alone: in a "
                                     "finite field it makes another one in the handshake");
  }
  if (!pin_suite(ssl, scenario->suite)) return reason_of_pin(error, "suite", scenario->suite);
  if (!pin_groups(ssl, side, scenario)) return reason_of_pin(error, "group", scenario->group);
  if (scenario->version == TLSLAB_TLS12 && scenario->group == TLSLAB_FFDHE2048 && !choose_field(ssl)) {
    return reason_of_pin(error, "group", scenario->group);
  }
  if (!pin_scheme(ssl, scenario->signature_scheme)) {
    return reason_of_pin(error, "signature scheme", scenario->signature_scheme);
  }
  return TLSLAB_OK;
}
