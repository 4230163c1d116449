#include "pin.h"

#include <stdio.h>

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

static int pin_two_groups(SSL_CTX *ssl, uint16_t first, uint16_t second) {
  const char *one = name_of(groups, GROUPS, first), *other = name_of(groups, GROUPS, second);
  if (one == NULL || other == NULL) return 0;
  char both[64];
  snprintf(both, sizeof both, "%s:%s", one, other);
  return SSL_CTX_set1_groups_list(ssl, both) == 1;
}

int pin_groups(SSL_CTX *ssl, int side, const tlslab_scenario *scenario) {
  enum { P256 = 0x0017 };
  /* The client makes its key share for the first. */
  if (side == TLSLAB_CLIENT && scenario->retry_group != 0) {
    return pin_two_groups(ssl, (uint16_t)scenario->retry_group, scenario->group);
  }
  int meets_certificate = side == TLSLAB_CLIENT || scenario->mutual;
  int names_curve = scenario->version == TLS1_2_VERSION && meets_certificate && scenario->key_bits == 256;
  if (!names_curve || scenario->group == P256) return pin_group(ssl, scenario->group);
  return pin_two_groups(ssl, scenario->group, P256);
}

int pin_scheme(SSL_CTX *ssl, uint16_t scheme) {
  const char *name = name_of(schemes, SCHEMES, scheme);
  return name != NULL && SSL_CTX_set1_sigalgs_list(ssl, name) == 1;
}
