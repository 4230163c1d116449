#include "pin.h"

#include <stdio.h>

#include "library.h"
#include "names.h"

int pin_suite(SSL_CTX *ssl, uint16_t suite) {
  const char *name = name_of(suites, SUITES, suite);
  if (name == NULL) return 0;
  return suite >> 8 == 0x13 ? SSL_CTX_set_ciphersuites(ssl, name) == 1 : SSL_CTX_set_cipher_list(ssl, name) == 1;
}

int pin_group(SSL_CTX *ssl, uint16_t group) {
  const char *name = name_of(groups, GROUPS, group);
  return name != NULL && SSL_CTX_set1_groups_list(ssl, name) == 1;
}

int pin_field(SSL_CTX *ssl, uint16_t group) {
#if DESCENDS_FROM_BORINGSSL
  (void)ssl, (void)group;
  return 0;
#else
  if (group != FFDHE2048) return 0;
#if NAMES_FIELDS
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
#endif
}

/* The curve that keys of a signature scheme lie on, where TLS 1.2 has to name it among the groups. */
static uint16_t curve_of(const tlslab_scenario *scenario) {
  if (scenario->version != TLS1_2_VERSION) return 0;
  return scenario->signature_scheme == 0x0403 ? 0x0017 : scenario->signature_scheme == 0x0503 ? 0x0018 : 0;
}

static int pin_two_groups(SSL_CTX *ssl, uint16_t first, uint16_t second) {
  const char *one = name_of(groups, GROUPS, first), *other = name_of(groups, GROUPS, second);
  if (one == NULL || other == NULL) return 0;
  char both[64];
  snprintf(both, sizeof both, "%s:%s", one, other);
  return SSL_CTX_set1_groups_list(ssl, both) == 1;
}

int pin_groups(SSL_CTX *ssl, int side, const tlslab_scenario *scenario) {
  if (scenario->version == TLS1_2_VERSION && scenario->group == FFDHE2048) {
    /* A finite field is the server's to choose. A client that says which ones it knows has names for them. */
    return side == TLSLAB_SERVER ? pin_field(ssl, FFDHE2048)
                                 : !DESCENDS_FROM_BORINGSSL && (!NAMES_FIELDS || pin_group(ssl, FFDHE2048));
  }
  /* The client makes its key share for the first. */
  if (side == TLSLAB_CLIENT && scenario->retry_group != 0) {
    return pin_two_groups(ssl, (uint16_t)scenario->retry_group, scenario->group);
  }
  int meets_certificate = side == TLSLAB_CLIENT || scenario->mutual;
  uint16_t curve = curve_of(scenario);
  if (!meets_certificate || curve == 0 || scenario->group == curve) return pin_group(ssl, scenario->group);
  return pin_two_groups(ssl, scenario->group, curve);
}

int pin_scheme(SSL_CTX *ssl, uint16_t scheme) {
#if DESCENDS_FROM_BORINGSSL
  return name_of(schemes, SCHEMES, scheme) != NULL && SSL_CTX_set_verify_algorithm_prefs(ssl, &scheme, 1) &&
         SSL_CTX_set_signing_algorithm_prefs(ssl, &scheme, 1);
#else
  const char *name = name_of(schemes, SCHEMES, scheme);
  return name != NULL && SSL_CTX_set1_sigalgs_list(ssl, name) == 1;
#endif
}
