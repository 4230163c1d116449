#include "pin.h"

#include <stdio.h>

#include "names.h"
#include "reason.h"

#if !HAS_SUITE_SETTER
#include <openssl/aead.h>
#endif

int pin_suite(SSL_CTX *ssl, uint16_t suite) {
  const struct algorithm *known = algorithm_by_point(suites, SUITES, suite);
  if (known == NULL) return 0;
  if (suite >> 8 != 0x13) return SSL_CTX_set_cipher_list(ssl, known->library) == 1;
#if HAS_SUITE_SETTER
  return SSL_CTX_set_ciphersuites(ssl, known->library) == 1;
#else
  /* One of the policies allows AES-256-GCM alone. What else it sets is overruled later. Of the two others the
   * library takes the one that is fast on the processor. */
  switch (suite) {
    case 0x1301: return EVP_has_aes_hardware();
    case 0x1302: return SSL_CTX_set_compliance_policy(ssl, ssl_compliance_policy_wpa3_192_202304);
    default: return !EVP_has_aes_hardware();
  }
#endif
}

int pin_version(SSL_CTX *ssl, uint16_t version) {
  return (version == TLS1_2_VERSION || version == TLS1_3_VERSION) && SSL_CTX_set_min_proto_version(ssl, version) &&
         SSL_CTX_set_max_proto_version(ssl, version);
}

int pin_group(SSL_CTX *ssl, uint16_t group) {
  const struct algorithm *known = algorithm_by_point(groups, GROUPS, group);
  return known != NULL && SSL_CTX_set1_groups_list(ssl, known->library) == 1;
}

static int pin_two_groups(SSL_CTX *ssl, uint16_t first, uint16_t second) {
  const struct algorithm *one = algorithm_by_point(groups, GROUPS, first);
  const struct algorithm *other = algorithm_by_point(groups, GROUPS, second);
  if (one == NULL || other == NULL) return 0;
  char both[64];
  snprintf(both, sizeof both, "%s:%s", one->library, other->library);
  return SSL_CTX_set1_groups_list(ssl, both) == 1;
}

static int pin_groups(SSL_CTX *ssl, int side, const tlslab_scenario *scenario) {
  enum { P256 = 0x0017 };
  int meets_certificate = side == TLSLAB_CLIENT || scenario->mutual;
  if (side == TLSLAB_CLIENT && scenario->retry_group != 0) {
    return pin_two_groups(ssl, (uint16_t)scenario->retry_group, scenario->group);
  }
  int names_curve = scenario->version == TLS1_2_VERSION && meets_certificate && scenario->key_bits == 256;
  if (!names_curve || scenario->group == P256) return pin_group(ssl, scenario->group);
  return pin_two_groups(ssl, scenario->group, P256);
}

int pin_scheme(SSL_CTX *ssl, uint16_t scheme) {
  const struct algorithm *known = algorithm_by_point(schemes, SCHEMES, scheme);
  if (known == NULL) return 0;
#if HAS_SIGNATURE_SETTER
  return SSL_CTX_set1_sigalgs_list(ssl, known->library) == 1;
#else
  /* A key on P-256 has but one scheme in TLS 1.3; of an RSA key's schemes the library would choose by itself. */
  (void)ssl;
  return scheme == 0x0403;
#endif
}

static int unsupported(tlslab_error *error, const char *what, uint16_t point) {
  char text[64];
  snprintf(text, sizeof text, "the library cannot be held to %s 0x%04x", what, point);
  return reason_of_library(error, TLSLAB_UNSUPPORTED, text);
}

static int is_hybrid(uint16_t group) { return group == 0x11ec || group == 0x11eb; }

int pin_scenario(SSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error) {
  if (!pin_suite(ssl, scenario->suite)) return unsupported(error, "suite", scenario->suite);
  if (!pin_version(ssl, scenario->version)) return unsupported(error, "version", scenario->version);
  if (scenario->retry_group != 0 && MAKES_TWO_KEY_SHARES && is_hybrid(scenario->group)) {
    return reason_of_library(error, TLSLAB_UNSUPPORTED,
                             "a client that offers a hybrid group and another makes a key share for both");
  }
  if (!pin_groups(ssl, side, scenario)) return unsupported(error, "group", scenario->group);
  if (!pin_scheme(ssl, scenario->signature_scheme)) {
    return unsupported(error, "signature scheme", scenario->signature_scheme);
  }
  return TLSLAB_OK;
}
