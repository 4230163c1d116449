#include "pin.h"

#include <wolfssl/wolfcrypt/dh.h>

#include "reason.h"

WOLFSSL_CTX *pin_version(int side, uint16_t version) {
  switch (version) {
#if HAS_TLS12
    case TLS12:
      return wolfSSL_CTX_new(side == TLSLAB_CLIENT ? wolfTLSv1_2_client_method() : wolfTLSv1_2_server_method());
#endif
    case TLS13:
      return wolfSSL_CTX_new(side == TLSLAB_CLIENT ? wolfTLSv1_3_client_method() : wolfTLSv1_3_server_method());
    default: return NULL;
  }
}

int pin_suite(WOLFSSL_CTX *ssl, uint16_t suite) {
  const struct algorithm *known = algorithm_by_point(suites, SUITES, suite);
  return known != NULL && wolfSSL_CTX_set_cipher_list(ssl, known->library) == WOLFSSL_SUCCESS;
}

int pin_group(WOLFSSL_CTX *ssl, uint16_t group) {
  int only = group; /* the library's numbers are IANA's */
  return algorithm_by_point(groups, GROUPS, group) != NULL && wolfSSL_CTX_set_groups(ssl, &only, 1) == WOLFSSL_SUCCESS;
}

/* A client that is to be asked for another ClientHello makes its first key share for the first of two groups. */
static int pin_groups(WOLFSSL_CTX *ssl, int side, const tlslab_scenario *scenario) {
  if (side == TLSLAB_SERVER || scenario->retry_group == 0) return pin_group(ssl, scenario->group);
  int both[] = {(int)scenario->retry_group, scenario->group};
  return wolfSSL_CTX_set_groups(ssl, both, 2) == WOLFSSL_SUCCESS;
}

int pin_scheme(WOLFSSL_CTX *ssl, uint16_t scheme) {
  const struct algorithm *known = algorithm_by_point(schemes, SCHEMES, scheme);
  if (known == NULL) return 0;
  /* A key of ML-DSA has but one scheme. Without a setter for it, others are on offer, too. */
  if (known->library == NULL) return HAS_ML_DSA;
#if HAS_SIGNATURE_SETTER
  return wolfSSL_CTX_set1_sigalgs_list(ssl, known->library) == WOLFSSL_SUCCESS;
#else
  /* A key on P-256 has but one scheme in TLS 1.3. In TLS 1.2 the library takes the shortest digest, this one's. */
  (void)ssl;
  return scheme == 0x0403;
#endif
}

/* A server of TLS 1.2 asks for a signature by any scheme that was compiled in, and a client with an RSA key then takes
 * RSA-PSS, whatever both were told. */
static int holds_client_to_scheme(const tlslab_scenario *scenario) {
  return !(scenario->mutual && scenario->version == TLS12 && scenario->signature_scheme == 0x0401);
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
    return reason_unsupported(error, "in TLS 1.2 wolfSSL's client signs with RSA-PSS and has no option to change that");
  }
  if (scenario->pregenerated && scenario->group == FFDHE2048) {
    return reason_unsupported(error, "wolfSSL's server takes a key share that was made beforehand on curves alone: in a "
                                     "finite field it makes another one in the handshake");
  }
  if (!pin_suite(ssl, scenario->suite)) return reason_of_pin(error, "suite", scenario->suite);
  if (!pin_groups(ssl, side, scenario)) return reason_of_pin(error, "group", scenario->group);
  if (scenario->version == TLS12 && scenario->group == FFDHE2048 && !choose_field(ssl)) {
    return reason_of_pin(error, "group", scenario->group);
  }
  if (!pin_scheme(ssl, scenario->signature_scheme)) {
    return reason_of_pin(error, "signature scheme", scenario->signature_scheme);
  }
  return TLSLAB_OK;
}
