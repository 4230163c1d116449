/* Holds a context to what a scenario names. In TLS 1.2 one list is for the key exchange and for the peer's certificate: it
 * has that certificate's curve as well. */
#include "shared.h"

#if CHOOSES_SUITES
#include <openssl/aead.h>
#endif

int pin_suite(SSL_CTX *ssl, uint16_t suite) {
  const tlslab_value *known = tlslab_find(tlslab_suites, suite);
  if (known == NULL) return 0;
  if (known->exchange != NULL) return SSL_CTX_set_cipher_list(ssl, known->dashed) == 1;
#if HAS_SUITE_SETTER
  return SSL_CTX_set_ciphersuites(ssl, known->iana) == 1;
#elif !CHOOSES_SUITES
  return 0;
#else
  /* One of the policies allows AES-256-GCM alone. What else it sets is overruled later. Of the two others the
   * library takes the one that is fast on the processor. */
  switch (suite) {
    case TLSLAB_AES_128_GCM: return EVP_has_aes_hardware();
    case TLSLAB_AES_256_GCM: return SSL_CTX_set_compliance_policy(ssl, ssl_compliance_policy_wpa3_192_202304);
    default: return !EVP_has_aes_hardware();
  }
#endif
}

int pin_version(SSL_CTX *ssl, uint16_t version) {
  return (version == TLS1_2_VERSION || version == TLS1_3_VERSION) && SSL_CTX_set_min_proto_version(ssl, version) &&
         SSL_CTX_set_max_proto_version(ssl, version);
}

/* Names in which all of the libraries differ from IANA. */
const char *group_name(uint16_t group) {
  static const tlslab_own_name own[] = {
      {TLSLAB_SECP256R1, "P-256"}, {TLSLAB_SECP384R1, "P-384"}, {TLSLAB_X25519, "X25519"}, {0, NULL}};
  return tlslab_name(own, tlslab_groups, group);
}

int pin_group(SSL_CTX *ssl, uint16_t group) {
  return group_name(group) != NULL && SSL_CTX_set1_groups_list(ssl, group_name(group)) == 1;
}

int pin_field(SSL_CTX *ssl, uint16_t group) {
#if HAS_FIELD_SETTER
  if (group != TLSLAB_FFDHE2048) return 0;
#if IS_OPENSSL_3
  OSSL_PARAM name[] = {OSSL_PARAM_construct_utf8_string("group", "ffdhe2048", 0), OSSL_PARAM_construct_end()};
  EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(NULL, "DH", NULL);
  EVP_PKEY *field = NULL;
  int done = making != NULL && EVP_PKEY_fromdata_init(making) == 1 &&
             EVP_PKEY_fromdata(making, &field, EVP_PKEY_KEY_PARAMETERS, name) == 1 &&
             SSL_CTX_set0_tmp_dh_pkey(ssl, field) == 1;
  EVP_PKEY_CTX_free(making);
  if (!done) EVP_PKEY_free(field);
  return done;
#else
  DH *field = DH_new_by_nid(NID_ffdhe2048);
  int done = field != NULL && SSL_CTX_set_tmp_dh(ssl, field) == 1;
  DH_free(field);
  return done;
#endif
#else
  (void)ssl, (void)group;
  return 0;
#endif
}

static int pin_two_groups(SSL_CTX *ssl, uint16_t first, uint16_t second) {
  char both[64];
  if (group_name(first) == NULL || group_name(second) == NULL) return 0;
  snprintf(both, sizeof both, "%s:%s", group_name(first), group_name(second));
  return SSL_CTX_set1_groups_list(ssl, both) == 1;
}

static int pin_groups(SSL_CTX *ssl, int side, const tlslab_scenario *scenario) {
  if (scenario->version == TLS1_2_VERSION && scenario->group == TLSLAB_FFDHE2048) {
    /* A finite field is the server's to choose. A client that says which ones it knows has names for them. */
    return side == TLSLAB_SERVER ? pin_field(ssl, TLSLAB_FFDHE2048)
                                 : HAS_FIELD_SETTER && (!NAMES_FIELDS || pin_group(ssl, TLSLAB_FFDHE2048));
  }
  int meets_certificate = side == TLSLAB_CLIENT || scenario->mutual;
  if (side == TLSLAB_CLIENT && scenario->retry_group != 0) {
    return pin_two_groups(ssl, (uint16_t)scenario->retry_group, scenario->group);
  }
  uint16_t curve = (uint16_t)scenario->certificate_curve;
  return meets_certificate && curve != 0 ? pin_two_groups(ssl, scenario->group, curve) : pin_group(ssl, scenario->group);
}

int pin_scheme(SSL_CTX *ssl, uint16_t scheme) {
  const char *known = tlslab_iana(tlslab_schemes, scheme);
  if (known == NULL) return 0;
#if TAKES_CODE_POINTS
  return SSL_CTX_set_verify_algorithm_prefs(ssl, &scheme, 1) && SSL_CTX_set_signing_algorithm_prefs(ssl, &scheme, 1);
#elif HAS_SIGNATURE_SETTER
  return SSL_CTX_set1_sigalgs_list(ssl, known) == 1;
#else
  /* A key on a curve has but one scheme in TLS 1.3; of an RSA key's schemes the library would choose one. */
  (void)ssl;
  return scheme == TLSLAB_ECDSA_SECP256R1_SHA256 || scheme == TLSLAB_ECDSA_SECP384R1_SHA384;
#endif
}

static int unsupported(tlslab_error *error, const char *what, uint16_t point) {
  char text[64];
  snprintf(text, sizeof text, "the library cannot be held to %s 0x%04x", what, point);
  return reason_of_library(error, TLSLAB_UNSUPPORTED, text);
}

static int is_hybrid(uint16_t group) { return group == TLSLAB_X25519MLKEM768 || group == TLSLAB_SECP256R1MLKEM768; }

int pin_scenario(SSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error) {
  if (!pin_suite(ssl, scenario->suite)) return unsupported(error, "suite", scenario->suite);
  if (!pin_version(ssl, scenario->version) || (!PINS_SIGNATURES_OF_TLS12 && scenario->version == TLS1_2_VERSION)) {
    return unsupported(error, "version", scenario->version);
  }
  if (scenario->retry_group != 0 && MAKES_TWO_KEY_SHARES && is_hybrid(scenario->group)) {
    return reason_of_library(error, TLSLAB_UNSUPPORTED,
                             "a client that offers a hybrid group and another makes a key share for both");
  }
  if (!pin_groups(ssl, side, scenario)) {
    if (scenario->version == TLS1_3_VERSION && scenario->group == TLSLAB_FFDHE2048 && pin_field(ssl, TLSLAB_FFDHE2048)) {
      return reason_of_library(error, TLSLAB_UNSUPPORTED, "the library has finite fields in TLS 1.2 alone");
    }
    return unsupported(error, "group", scenario->group);
  }
  if (!pin_scheme(ssl, scenario->signature_scheme)) {
    return unsupported(error, "signature scheme", scenario->signature_scheme);
  }
  return TLSLAB_OK;
}

int can_pin(int (*pin)(SSL_CTX *ssl, uint16_t point), uint16_t point) {
  SSL_CTX *ssl = SSL_CTX_new(TLS_server_method());
  int able = ssl != NULL && pin(ssl, point);
  SSL_CTX_free(ssl);
  ERR_clear_error();
  return able;
}

int accept_any_chain(X509_STORE_CTX *store, void *argument) {
  (void)argument;
  X509_STORE_CTX_set_error(store, X509_V_OK);
  return 1;
}
