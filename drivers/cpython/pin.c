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

int pin_groups(SSL_CTX *ssl, int side, const tlslab_scenario *scenario) {
  enum { P256 = 0x0017 };
  int meets_certificate = side == TLSLAB_CLIENT || scenario->mutual;
  int names_curve = scenario->version == TLS1_2_VERSION && meets_certificate && scenario->key_bits == 256;
  if (!names_curve || scenario->group == P256) return pin_group(ssl, scenario->group);
  const char *name = name_of(groups, GROUPS, scenario->group);
  char both[64];
  snprintf(both, sizeof both, "%s:P-256", name == NULL ? "" : name);
  return name != NULL && SSL_CTX_set1_groups_list(ssl, both) == 1;
}

int pin_scheme(SSL_CTX *ssl, uint16_t scheme) {
  const char *name = name_of(schemes, SCHEMES, scheme);
  return name != NULL && SSL_CTX_set1_sigalgs_list(ssl, name) == 1;
}
